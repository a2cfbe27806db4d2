//! Counts what became of what was made.

use std::collections::BTreeMap;

use serde::Serialize;

/// In rows: accepted = delivered + queued + dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Made.
    pub accepted: u64,
    /// Acknowledged by a collector.
    pub delivered: u64,
    /// Waiting.
    pub queued: u64,
    /// Given up, by reason.
    pub dropped: BTreeMap<String, u64>,
}
