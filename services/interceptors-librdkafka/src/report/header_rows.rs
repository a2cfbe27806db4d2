//! What was counted of headers, as rows of the topic headers and for Prometheus.

use kwitness_observation::record_headers::HeaderTally;
use serde_json::{Map, Value, json};

use super::rows::{insert_count, topic_name};
use crate::headers::KeyCounts;

/// The part of a row that is of its topic and key; without both it is of those that are too many.
pub(super) fn header_row(topic: Option<&[u8]>, key: Option<&str>, counts: &KeyCounts) -> Map<String, Value> {
    let mut row = Map::new();
    match topic_name(topic) {
        Some(name) => row.insert("topic".to_owned(), json!(name)),
        None => row.insert("overflowed".to_owned(), json!(true)),
    };
    if let Some(key) = key {
        row.insert("key".to_owned(), json!(key));
    }
    // Every record is looked at.
    insert_count(&mut row, "records_passed", counts.records);
    insert_count(&mut row, "records_looked_at", counts.records);
    if let Ok(Value::Object(counted)) = serde_json::to_value(&counts.tally) {
        row.extend(counted);
    }
    row
}

/// The counted part of an entry of `HeaderTotals`.
pub(super) fn insert_totals(entry: &mut Map<String, Value>, tally: &HeaderTally) {
    if tally.registered {
        entry.insert("registered".to_owned(), json!(true));
    }
    insert_count(entry, "headers", tally.headers);
    insert_count(entry, "bytes", tally.bytes);
    let problems: Map<_, _> =
        tally.problems().map(|(problem, count)| (problem.name().to_owned(), json!(count))).collect();
    if !problems.is_empty() {
        entry.insert("problems".to_owned(), Value::Object(problems));
    }
    insert_count(entry, "removed", tally.removed);
}
