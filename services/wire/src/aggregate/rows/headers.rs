//! Header keys that records had.

use serde::Serialize;

use super::super::headers::HeaderRow;
use super::super::json::text;
use super::super::topics::TopicNames;
use super::super::window::{Which, Window};
use super::Named;

/// How many characters of a key are told.
const LONGEST_KEY: usize = 128;

#[derive(Serialize)]
pub(super) struct HeaderKeyRow {
    seen_by: &'static str,
    side: &'static str,
    #[serde(flatten)]
    topic: Named,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    overflowed: bool,
    registered: bool,
    records_passed: u64,
    records_looked_at: u64,
    headers: u64,
    bytes: u64,
}

impl HeaderKeyRow {
    pub(super) fn new(window: &Window, row: &HeaderRow<'_>, names: &TopicNames) -> Self {
        let passed = row.topic.and_then(|topic| window.passed(row.client?, &topic, row.is_produced));
        Self {
            seen_by: "observer",
            side: side(row.is_produced),
            topic: Named::of(row.topic.map_or(Which::Others, Which::Topic), names),
            key: row.key.map(key_text),
            overflowed: row.is_overflowed(),
            registered: false,
            // What was looked at may be counted as passed in the window after, or be refused by the broker.
            records_passed: passed.unwrap_or_default().max(row.looked_at),
            records_looked_at: row.looked_at,
            headers: row.tally.headers,
            bytes: row.tally.bytes,
        }
    }
}

/// Whose records they are, as records spell it.
pub(in super::super) const fn side(is_produced: bool) -> &'static str {
    if is_produced { "producer" } else { "consumer" }
}

/// A key as records have it.
pub(in super::super) fn key_text(key: &[u8]) -> String {
    text(key).chars().take(LONGEST_KEY).collect()
}
