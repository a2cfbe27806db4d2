//! What is new in the windows that are over, added up over all clients of the process: for Prometheus.

use std::collections::BTreeMap;

use kwitness_observation::record_headers::HeaderTally;
use kwitness_observation::{Sketch, Totals};
use serde_json::{Map, Value, json};

use super::header_rows::insert_totals;
use super::rows::{Numbers, Reported, anomalies, by_reason, hook_calls, insert_count, insert_counts, topic_name};
use super::statistics::{of_client, of_topic};
use crate::client::{Client, Harvest, Side};
use crate::counting::{Counting, KeyTally, Merge as _, Statistics, Topics};
use crate::headers::HeaderCounts;

/// Of `kafka_client_interceptor_end_to_end_latency_seconds`, in microseconds.
const LATENCY_BOUNDS_US: [u64; 15] = [
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000,
    300_000_000,
    3_600_000_000,
];
/// Of `kafka_client_interceptor_record_size_bytes`.
const SIZE_BOUNDS_BYTES: [u64; 9] = [64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 10_485_760];
/// Of so many bytes one part is made, and what its last entry has beyond.
const PART_BYTES: usize = 64 << 10;

type Counted = BTreeMap<String, u64>;
/// Topic, client id and group.
type TopicLabels = (Option<String>, Option<String>, Option<String>);

/// Side, client id and group.
type ClientLabels = (Side, Option<String>, Option<String>);

/// Side, topic, key and client id.
type HeaderLabels = (Side, Option<String>, Option<String>, Option<String>);

#[derive(Default)]
struct Intercepted {
    sent: u64,
    acknowledged: u64,
    failures: Counted,
    consumed: u64,
    commits: u64,
    commit_failures: Counted,
    anomalies: Counted,
}

/// What is added up: by topic, where it has one of its own, and what else it is labelled with.
#[derive(Default)]
pub(super) struct Sums {
    topics: BTreeMap<TopicLabels, Intercepted>,
    latencies: BTreeMap<(&'static str, Option<String>, Option<String>), Sketch>,
    sizes: BTreeMap<(Side, Option<String>), Sketch>,
    /// Of the last window alone: its start, its length, and what it had.
    keys: BTreeMap<(Side, Option<String>), (u64, u64, KeyTally)>,
    headers: BTreeMap<HeaderLabels, HeaderTally>,
    /// Of the client library, with the length of its windows.
    statistics: BTreeMap<ClientLabels, (u64, Statistics)>,
    /// By interceptor and hook: calls, errors, and nanoseconds.
    hooks: BTreeMap<(String, &'static str), [u64; 3]>,
}

impl Sums {
    /// Add what was harvested of one client.
    pub(super) fn add(&mut self, client: &Client, reported: &Reported, counting: &Counting, harvest: &Harvest) {
        let about = &client.about;
        for window in &harvest.windows {
            for (topic, tally) in window.counted.topics.iter().flat_map(Topics::iter) {
                let topic = topic_name(topic);
                let labels = (topic.clone(), reported.client_id.clone(), reported.group_id.clone());
                let sum = self.topics.entry(labels).or_default();
                sum.sent = sum.sent.saturating_add(tally.sent);
                sum.acknowledged = sum.acknowledged.saturating_add(tally.acknowledged);
                sum.consumed = sum.consumed.saturating_add(tally.consumed);
                sum.commits = sum.commits.saturating_add(tally.commits);
                add_all(&mut sum.failures, by_reason(&tally.failures, &client.reasons));
                add_all(&mut sum.commit_failures, by_reason(&tally.commit_failures, &client.reasons));
                add_all(&mut sum.anomalies, anomalies(tally));
                for (measure, sketch) in
                    [("acknowledgement", &tally.acknowledgement_time), ("end_to_end", &tally.end_to_end)]
                {
                    if !sketch.is_empty() {
                        let labels = (measure, topic.clone(), reported.group_id.clone());
                        self.latencies.entry(labels).or_default().merge(sketch);
                    }
                }
                if !tally.sizes.is_empty() {
                    self.sizes.entry((about.side, topic)).or_default().merge(&tally.sizes);
                }
            }
            for (topic, key, counts) in window.counted.headers.iter().flat_map(HeaderCounts::iter) {
                // What was looked at and had none says nothing.
                if counts.tally != HeaderTally::default() {
                    let labels = (about.side, topic_name(topic), key.map(str::to_owned), reported.client_id.clone());
                    self.headers.entry(labels).or_default().merge(&counts.tally);
                }
            }
            for (interceptor, hook, calls) in hook_calls(&window.counted, counting) {
                let sums = self.hooks.entry((interceptor.to_owned(), hook.name())).or_default();
                for (sum, more) in sums.iter_mut().zip([calls.calls, calls.errors, calls.time_ns()]) {
                    *sum = sum.saturating_add(more);
                }
            }
        }
        self.add_statistics(client, reported, harvest);
        for window in &harvest.keys {
            for (topic, tally) in window.counted.0.iter().flat_map(Topics::iter) {
                let labels = (about.side, topic_name(topic));
                let (start_ms, length_ms, last) = self.keys.entry(labels).or_default();
                if window.start_ms > *start_ms {
                    (*start_ms, *last) = (window.start_ms, tally.clone());
                    *length_ms = window.end_ms.saturating_sub(window.start_ms);
                } else if window.start_ms == *start_ms {
                    last.merge(tally);
                }
            }
        }
    }

    /// Of one client the later window's queues count, of several with the same labels all of them together.
    fn add_statistics(&mut self, client: &Client, reported: &Reported, harvest: &Harvest) {
        let mut own: Option<(u64, Statistics)> = None;
        for window in &harvest.windows {
            if let Some(statistics) = &window.counted.statistics {
                let (length_ms, sum) = own.get_or_insert_default();
                *length_ms = window.end_ms.saturating_sub(window.start_ms);
                sum.merge(statistics);
            }
        }
        if let Some((length_ms, own)) = own {
            let labels = (client.about.side, reported.client_id.clone(), reported.group_id.clone());
            let (longest_ms, sum) = self.statistics.entry(labels).or_default();
            *longest_ms = length_ms.max(*longest_ms);
            sum.add(&own);
        }
    }

    /// The parts, each with a number. What the queue dropped since the last time is in the first.
    pub(super) fn parts(self, dropped: &Counted, numbers: &mut Numbers) -> Vec<Totals> {
        let mut parts = Parts::default();
        for ((topic, client_id, group_id), sum) in self.topics {
            let mut entry = labelled([("topic", topic), ("client_id", client_id), ("group_id", group_id)]);
            insert_count(&mut entry, "sent", sum.sent);
            insert_count(&mut entry, "acknowledged", sum.acknowledged);
            insert_counts(&mut entry, "failures", &sum.failures);
            insert_count(&mut entry, "consumed", sum.consumed);
            insert_count(&mut entry, "commits", sum.commits);
            insert_counts(&mut entry, "commit_failures", &sum.commit_failures);
            insert_counts(&mut entry, "anomalies", &sum.anomalies);
            parts.add("topics", entry);
        }
        for ((measure, topic, group_id), sketch) in self.latencies {
            let mut entry = labelled([("topic", topic), ("group_id", group_id)]);
            entry.insert("measure".to_owned(), json!(measure));
            entry.insert("counts".to_owned(), json!(sketch.histogram(&LATENCY_BOUNDS_US)));
            entry.insert("sum_us".to_owned(), json!(sketch.sum_us()));
            parts.add("latencies", entry);
        }
        for ((side, topic), sketch) in self.sizes {
            let mut entry = labelled([("topic", topic)]);
            entry.insert("side".to_owned(), json!(side.name()));
            entry.insert("counts".to_owned(), json!(sketch.histogram(&SIZE_BOUNDS_BYTES)));
            entry.insert("sum_bytes".to_owned(), json!(sketch.sum_us()));
            parts.add("sizes", entry);
        }
        for ((side, topic), (_, length_ms, tally)) in self.keys {
            let mut entry = labelled([("topic", topic)]);
            entry.insert("side".to_owned(), json!(side.name()));
            entry.insert("distinct".to_owned(), json!(tally.distinct()));
            entry.insert("window_ms".to_owned(), json!(length_ms));
            parts.add("keys", entry);
        }
        for ((interceptor, hook), [calls, errors, time_ns]) in self.hooks {
            let mut entry = labelled([("interceptor", Some(interceptor)), ("hook", Some(hook.to_owned()))]);
            entry.insert("calls".to_owned(), json!(calls));
            insert_count(&mut entry, "errors", errors);
            entry.insert("time_ns".to_owned(), json!(time_ns));
            parts.add("hooks", entry);
        }
        for ((side, client_id, group_id), (window_ms, statistics)) in self.statistics {
            let labels = |topic: Option<String>| {
                let named = [("topic", topic), ("client_id", client_id.clone()), ("group_id", group_id.clone())];
                let mut entry = labelled(named);
                entry.insert("window_ms".to_owned(), json!(window_ms));
                entry
            };
            let mut entry = labels(None);
            entry.extend(of_client(&statistics, side));
            parts.add("statistics", entry);
            for (topic, queues) in statistics.topics.iter().flat_map(Topics::iter) {
                let mut entry = labels(topic_name(topic));
                entry.extend(of_topic(queues, side));
                parts.add("topic_statistics", entry);
            }
        }
        for ((side, topic, key, client_id), tally) in self.headers {
            let mut entry = labelled([("topic", topic), ("key", key), ("client_id", client_id)]);
            entry.insert("side".to_owned(), json!(side.name()));
            insert_totals(&mut entry, &tally);
            parts.add("headers", entry);
        }
        parts.finish(dropped, numbers)
    }
}

fn labelled<const N: usize>(labels: [(&str, Option<String>); N]) -> Map<String, Value> {
    labels.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))).collect()
}

fn add_all(to: &mut Counted, from: Counted) {
    for (reason, count) in from {
        let sum = to.entry(reason).or_default();
        *sum = sum.saturating_add(count);
    }
}

#[derive(Default)]
struct Parts {
    full: Vec<Map<String, Value>>,
    open: Map<String, Value>,
    bytes: usize,
}

impl Parts {
    fn add(&mut self, list: &str, entry: Map<String, Value>) {
        let entry = Value::Object(entry);
        self.bytes = self.bytes.saturating_add(entry.to_string().len());
        if let Some(entries) = self.open.entry(list).or_insert_with(|| json!([])).as_array_mut() {
            entries.push(entry);
        }
        if self.bytes >= PART_BYTES {
            self.bytes = 0;
            self.full.push(std::mem::take(&mut self.open));
        }
    }

    fn finish(mut self, dropped: &Counted, numbers: &mut Numbers) -> Vec<Totals> {
        if !self.open.is_empty() || (self.full.is_empty() && !dropped.is_empty()) {
            self.full.push(self.open);
        }
        if let Some(first) = self.full.first_mut() {
            insert_counts(first, "dropped", dropped);
        }
        let number = |mut part: Map<String, Value>| {
            let seq = numbers.take();
            part.insert("seq".to_owned(), json!(seq));
            Totals { seq, json: Value::Object(part).to_string() }
        };
        self.full.into_iter().map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{LATENCY_BOUNDS_US, SIZE_BOUNDS_BYTES};

    #[test]
    fn the_bounds_are_those_of_the_metrics() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/interception_aggregates.json");
        let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();

        assert_eq!(vectors["latency_bounds_us"], serde_json::json!(LATENCY_BOUNDS_US));
        assert_eq!(vectors["size_bounds_bytes"], serde_json::json!(SIZE_BOUNDS_BYTES));
    }
}
