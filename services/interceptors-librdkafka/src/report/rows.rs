//! What was counted, as records of the topics interceptions, headers and seals.

use std::collections::BTreeMap;

use kwitness_observation::{Counts, IdentityKey, IdentityPolicy, OffsetRanges, Row, Sketch};
use serde_json::{Map, Value, json};

use super::header_rows::header_row;
use super::statistics::whole;
use crate::client::{About, Client, Harvest, Side};
use crate::counting::{Counting, Hook, HookTally, KeyTally, PartitionTally, TopicTally, Topics, WindowTally};
use crate::headers::HeaderCounts;
use crate::reasons::Reasons;

const INTERCEPTIONS: &str = "interceptions";
const HEADERS: &str = "headers";
const SEALS: &str = "seals";
/// In characters.
const LONGEST_TOPIC: usize = 249;

/// Who writes.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// `<namespace>/<pod>/<reporter>`.
    pub(super) name: String,
    pub(super) reporter: String,
    pub(super) epoch_ms: u64,
}

/// A client's identity as it is reported.
#[derive(Clone, Debug)]
pub(super) struct Reported {
    pub(super) client_id: Option<String>,
    pub(super) group_id: Option<String>,
}

impl Reported {
    pub(super) fn new(about: &About, policy: &IdentityPolicy) -> Self {
        let value = |key, value: Option<&String>| {
            policy.value(key, value?.as_bytes()).map(|value| String::from_utf8_lossy(&value).into_owned())
        };
        Self {
            client_id: value(IdentityKey::ClientId, about.client_id.as_ref()),
            group_id: value(IdentityKey::GroupId, about.group_id.as_ref()),
        }
    }
}

/// Rows that wait for their numbers, by window and topic: start and end, in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Unnumbered(BTreeMap<(u64, u64, &'static str), Vec<KeyedRow>>);

/// The key, and the row without what comes with its number.
type KeyedRow = (String, Map<String, Value>);

/// Gives numbers to records, without a gap.
#[derive(Debug)]
pub(super) struct Numbers {
    next: u64,
}

impl Numbers {
    pub(super) const fn new(first: u64) -> Self {
        Self { next: first }
    }

    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    pub(super) const fn take(&mut self) -> u64 {
        let number = self.next;
        self.next = number.saturating_add(1);
        number
    }
}

impl Unnumbered {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Add what was harvested of one client.
    pub(super) fn add(
        &mut self,
        client: &Client,
        reported: &Reported,
        counting: &Counting,
        source: &Source,
        harvest: &Harvest,
    ) {
        let instance = format!("{}/{}", source.reporter, client.about.number);
        let mut put = |topic: &'static str, start_ms: u64, end_ms: u64, rest: Map<String, Value>| {
            let mut row = Map::new();
            insert_some(&mut row, "client_id", reported.client_id.as_deref());
            insert_some(&mut row, "group_id", reported.group_id.as_deref());
            row.insert("instance".to_owned(), json!(instance));
            let seen_by = if topic == HEADERS { "seen_by" } else { "runtime" };
            row.insert(seen_by.to_owned(), json!("librdkafka"));
            row.insert("side".to_owned(), json!(client.about.side.name()));
            if !counting.settings.attributes.is_empty() {
                row.insert("attributes".to_owned(), json!(counting.settings.attributes));
            }
            row.extend(rest);
            self.0.entry((start_ms, end_ms, topic)).or_default().push((instance.clone(), row));
        };
        for window in &harvest.windows {
            for (topic, tally) in window.counted.topics.iter().flat_map(Topics::iter) {
                put(INTERCEPTIONS, window.start_ms, window.end_ms, topic_row(topic, tally, &client.reasons));
            }
            for (topic, key, counts) in window.counted.headers.iter().flat_map(HeaderCounts::iter) {
                put(HEADERS, window.start_ms, window.end_ms, header_row(topic, key, &counts));
            }
            if let Some(row) = client_row(&window.counted, counting, client.about.side) {
                put(INTERCEPTIONS, window.start_ms, window.end_ms, row);
            }
        }
        for window in &harvest.keys {
            for (topic, tally) in window.counted.0.iter().flat_map(Topics::iter) {
                put(INTERCEPTIONS, window.start_ms, window.end_ms, keys_row(topic, tally));
            }
        }
    }

    /// Hand each row to `give`, and after those of a window and topic their seal.
    pub(super) fn write(self, source: &Source, cluster_id: &str, numbers: &mut Numbers, give: &mut impl FnMut(Row)) {
        for ((start_ms, end_ms, topic), rows) in self.0 {
            let (first, count) = (numbers.next(), rows.len());
            let mut last = first;
            for (key, rest) in rows {
                last = numbers.take();
                let mut row = head(&format!("kwitness.{topic}/1"), source, cluster_id, last, start_ms, end_ms);
                row.extend(rest);
                give(Row { seq: last, topic, key, line: line(row) });
            }
            let seq = numbers.take();
            let mut seal = head("kwitness.seals/1", source, cluster_id, seq, start_ms, end_ms);
            seal.insert("reported_by".to_owned(), json!("pod"));
            seal.insert("topic".to_owned(), json!(topic));
            seal.insert("first_seq".to_owned(), json!(first));
            seal.insert("last_seq".to_owned(), json!(last));
            seal.insert("count".to_owned(), json!(count));
            // What is lost before the seal goes is written into it then.
            seal.insert("dropped".to_owned(), json!({}));
            give(Row { seq, topic: SEALS, key: source.name.clone(), line: line(seal) });
        }
    }
}

fn head(schema: &str, source: &Source, cluster_id: &str, seq: u64, start_ms: u64, end_ms: u64) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("schema".to_owned(), json!(schema));
    row.insert("event_source".to_owned(), json!(source.name));
    row.insert("event_epoch".to_owned(), json!(source.epoch_ms));
    row.insert("event_seq".to_owned(), json!(seq));
    row.insert("cluster_id".to_owned(), json!(cluster_id));
    row.insert("window_start_ms".to_owned(), json!(start_ms));
    row.insert("window_end_ms".to_owned(), json!(end_ms));
    row
}

fn line(row: Map<String, Value>) -> Vec<u8> {
    Value::Object(row).to_string().into_bytes()
}

fn insert_some(row: &mut Map<String, Value>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        row.insert(name.to_owned(), json!(value));
    }
}

/// Zeros are what is absent.
pub(super) fn insert_count(row: &mut Map<String, Value>, name: &str, count: u64) {
    if count > 0 {
        row.insert(name.to_owned(), json!(count));
    }
}

pub(super) fn insert_counts(row: &mut Map<String, Value>, name: &str, counts: &BTreeMap<String, u64>) {
    if !counts.is_empty() {
        row.insert(name.to_owned(), json!(counts));
    }
}

/// Counts by the reasons of librdkafka's codes; different codes may have the same.
pub(super) fn by_reason(counts: &Counts<i32>, reasons: &Reasons) -> BTreeMap<String, u64> {
    let mut named = BTreeMap::<String, u64>::new();
    let others = Some(("other".to_owned(), counts.others())).filter(|(_, count)| *count > 0);
    let known = counts.iter().map(|(code, count)| (reasons.of(code).into_owned(), count));
    for (reason, count) in known.chain(others) {
        let sum = named.entry(reason).or_default();
        *sum = sum.saturating_add(count);
    }
    named
}

pub(super) fn anomalies(tally: &TopicTally) -> BTreeMap<String, u64> {
    tally.anomalies.iter().map(|(reason, count)| (reason.to_owned(), count)).collect()
}

/// A topic's name; none for topics that share an entry. Topics are what brokers take; whatever a client asks for may be
/// in the place of one.
pub(super) fn topic_name(topic: Option<&[u8]>) -> Option<String> {
    let name = String::from_utf8_lossy(topic?).chars().take(LONGEST_TOPIC).collect::<String>();
    Some(name).filter(|name| !name.is_empty())
}

fn of_topic(kind: &str, topic: Option<&[u8]>) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("kind".to_owned(), json!(kind));
    match topic_name(topic) {
        Some(name) => row.insert("topic".to_owned(), json!(name)),
        None => row.insert("overflowed".to_owned(), json!(true)),
    };
    row
}

fn topic_row(topic: Option<&[u8]>, tally: &TopicTally, reasons: &Reasons) -> Map<String, Value> {
    let mut row = of_topic("topic", topic);
    insert_count(&mut row, "sent", tally.sent);
    insert_count(&mut row, "acknowledged", tally.acknowledged);
    insert_counts(&mut row, "failures", &by_reason(&tally.failures, reasons));
    insert_count(&mut row, "consumed", tally.consumed);
    insert_count(&mut row, "commits", tally.commits);
    insert_counts(&mut row, "commit_failures", &by_reason(&tally.commit_failures, reasons));
    insert_count(&mut row, "key_bytes", tally.key_bytes);
    insert_count(&mut row, "value_bytes", tally.value_bytes);
    if !tally.sizes.is_empty() {
        let buckets: BTreeMap<String, u64> = buckets(&tally.sizes);
        row.insert("record_sizes".to_owned(), json!({"buckets": buckets, "sum_bytes": tally.sizes.sum_us()}));
    }
    for (name, sketch) in
        [("acknowledgement_time", &tally.acknowledgement_time), ("end_to_end_latency", &tally.end_to_end)]
    {
        if !sketch.is_empty() {
            row.insert(name.to_owned(), json!(sketch));
        }
    }
    insert_counts(&mut row, "anomalies", &anomalies(tally));
    // Offsets of several topics have no meaning.
    if topic.is_some() {
        let partitions: Vec<_> = tally.partitions.iter().map(|(number, tally)| partition(*number, tally)).collect();
        if !partitions.is_empty() {
            row.insert("partitions".to_owned(), json!(partitions));
        }
        insert_count(&mut row, "partitions_left_out", u64::try_from(tally.left_out()).unwrap_or(u64::MAX));
    }
    row
}

fn buckets(sketch: &Sketch) -> BTreeMap<String, u64> {
    sketch.buckets().map(|(bucket, count)| (bucket.to_string(), count)).collect()
}

fn partition(number: i32, tally: &PartitionTally) -> Value {
    let mut row = Map::new();
    row.insert("partition".to_owned(), json!(number));
    insert_count(&mut row, "acknowledged", tally.acknowledged);
    insert_count(&mut row, "consumed", tally.consumed);
    if let Some(offset) = tally.committed {
        row.insert("committed_offset".to_owned(), json!(offset));
    }
    if !tally.offsets.kept().is_empty() {
        row.insert("offset_ranges".to_owned(), json!(OffsetRanges(&tally.offsets)));
    }
    insert_count(&mut row, "offset_ranges_merged", tally.offsets.merged());
    Value::Object(row)
}

fn keys_row(topic: Option<&[u8]>, tally: &KeyTally) -> Map<String, Value> {
    let mut row = of_topic("keys", topic);
    insert_count(&mut row, "records", tally.records);
    insert_count(&mut row, "keyless", tally.keyless);
    insert_count(&mut row, "distinct", tally.distinct());
    row.insert("sketch".to_owned(), json!(tally.image()));
    row
}

/// What the hooks cost; nothing where none was called and nothing is known of the client.
fn client_row(tally: &WindowTally, counting: &Counting, side: Side) -> Option<Map<String, Value>> {
    let hooks: Vec<_> = hook_calls(tally, counting)
        .map(|(interceptor, hook, calls)| {
            json!({
                "interceptor": interceptor, "hook": hook.name(), "calls": calls.calls, "errors": calls.errors,
                "time_ns": calls.time_ns(),
            })
        })
        .collect();
    if hooks.is_empty() && tally.statistics.is_none() {
        return None;
    }
    let mut row = Map::new();
    row.insert("kind".to_owned(), json!("client"));
    row.insert("hooks".to_owned(), json!(hooks));
    if let Some(statistics) = &tally.statistics {
        row.insert("statistics".to_owned(), Value::Object(whole(statistics, side)));
    }
    Some(row)
}

/// Hooks that were called, each under the first interceptor that needs it.
pub(super) fn hook_calls<'a>(
    tally: &'a WindowTally,
    counting: &'a Counting,
) -> impl Iterator<Item = (&'a str, Hook, &'a HookTally)> {
    let called = Hook::ALL.into_iter().zip(&tally.hooks).filter(|(_, calls)| calls.calls > 0 || calls.errors > 0);
    called.filter_map(|(hook, calls)| Some((counting.interceptor(hook)?, hook, calls)))
}
