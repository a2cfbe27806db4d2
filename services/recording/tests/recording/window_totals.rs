//! Compares the totals of a window with the sums of its rows.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::windows::Sums;

/// The sums of all rows of a kind, by name, with those of different clients, topics and partitions together.
pub fn overall(sums: &Sums) -> BTreeMap<String, i64> {
    let mut all = BTreeMap::new();
    for (key, sums) in sums.iter().filter(|(key, _)| key[0] != "presence") {
        for (name, value) in sums
            .iter()
            .filter(|(name, _)| !name.starts_with("min_") && !name.starts_with("max_") && !name.contains("_offset"))
        {
            *all.entry(format!("{} {name}", key[0])).or_default() += value;
        }
    }
    all.retain(|_, value| *value != 0);
    all
}

fn sum_of(parts: &[Value], section: &str, name: &str) -> u64 {
    let entries = parts.iter().filter_map(|part| part.get(section)?.as_array()).flatten();
    entries.map(|entry| entry.get(name).map_or(0, |value| value.as_u64().unwrap())).sum()
}

fn acks_of(parts: &[Value], acks: &str) -> u64 {
    let entries = parts.iter().filter_map(|part| part.get("apis")?.as_array()).flatten();
    entries.filter_map(|entry| entry.get("acks")?.get(acks)?.as_u64()).sum()
}

fn batches_of(parts: &[Value], codec: &str) -> u64 {
    let entries = parts.iter().filter_map(|part| part.get("traffic")?.as_array()).flatten();
    entries.filter_map(|entry| entry.get("batches")?.get(codec)?.as_u64()).sum()
}

fn counted_times(parts: &[Value]) -> u64 {
    let times = parts.iter().filter_map(|part| part.get("times")?.as_array()).flatten();
    times.flat_map(|entry| entry["counts"].as_array().unwrap()).map(|count| count.as_u64().unwrap()).sum()
}

pub fn check_totals(parts: &[Value], sums: &Sums, timed: u64) {
    let all = overall(sums);
    let number = |name: &str| u64::try_from(all.get(name).copied().unwrap_or_default()).unwrap();
    assert_eq!(sum_of(parts, "traffic", "records"), number("partition records"));
    assert_eq!(sum_of(parts, "traffic", "record_bytes"), number("partition bytes"));
    for acks in ["0", "1", "all"] {
        assert_eq!(acks_of(parts, acks), number(&format!("api acks.{acks}")));
    }
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        assert_eq!(batches_of(parts, codec), number(&format!("partition compression.{codec}")));
    }
    assert_eq!(sum_of(parts, "apis", "requests"), number("api requests"));
    assert_eq!(sum_of(parts, "apis", "request_bytes"), number("api request_bytes"));
    assert_eq!(sum_of(parts, "apis", "response_bytes"), number("api response_bytes"));
    assert_eq!(sum_of(parts, "apis", "throttled_responses"), number("api throttled_responses"));
    assert_eq!(sum_of(parts, "apis", "throttle_ms"), number("api throttle_ms"));
    assert_eq!(sum_of(parts, "times", "sum_us"), number("api response_time.sum_us"));
    assert_eq!(counted_times(parts), timed);
}
