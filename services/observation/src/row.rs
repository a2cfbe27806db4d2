//! Holds what goes to the collector: rows, and what they add to counters.

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number within the source's epoch.
    pub seq: u64,
    /// Its topic, without the prefix.
    pub topic: &'static str,
    /// The key by which it has its partition.
    pub key: String,
    /// The record: one JSON object, without a line feed.
    pub line: Vec<u8>,
}

/// A part of a window's totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Its number within the source's epoch, in one sequence with the records.
    pub seq: u64,
    /// One JSON object, without a line feed.
    pub json: String,
}
