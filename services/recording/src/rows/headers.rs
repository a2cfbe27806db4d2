//! Header keys that records had.

use kwitness_observation::record_headers::{HeaderTally, key_text};
use serde::Serialize;

use super::traffic::Named;
use crate::headers::HeaderRow;
use crate::topics::TopicNames;
use crate::window::{Which, Window};

#[derive(Serialize)]
pub(super) struct HeaderKeyRow<'a> {
    seen_by: &'static str,
    side: &'static str,
    #[serde(flatten)]
    topic: Named,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    overflowed: bool,
    records_passed: u64,
    records_looked_at: u64,
    #[serde(flatten)]
    tally: Option<&'a HeaderTally>,
}

impl<'a> HeaderKeyRow<'a> {
    pub(super) fn new(window: &Window, row: &HeaderRow<'a>, names: &TopicNames) -> Self {
        let passed = row.topic.and_then(|topic| window.passed(row.client?, &topic, row.is_produced));
        Self {
            seen_by: "observer",
            side: side(row.is_produced),
            topic: Named::of(row.topic.map_or(Which::Others, Which::Topic), names),
            key: row.key.map(|key| key_text(key).into_owned()),
            overflowed: row.is_overflowed(),
            // What was looked at may be counted as passed in the window after, or be refused by the broker.
            records_passed: passed.unwrap_or_default().max(row.looked_at),
            records_looked_at: row.looked_at,
            tally: row.tally,
        }
    }
}

/// Whose records they are, as records spell it.
pub(crate) const fn side(is_produced: bool) -> &'static str {
    if is_produced { "producer" } else { "consumer" }
}
