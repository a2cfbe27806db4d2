//! Windows hold what a slow and plain model holds, however much is told apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use kwitness_observation::{Identity, IdentityKey, index};
use kwitness_protocol::{
    Content, Event, Exchange, IdentityField, Nanos, PartitionExchange, Request, Software, Topic, Unread,
};
use kwitness_recording::{Client, End, Recorder, Settings, TopicNames, Window, Writer};
use proptest::prelude::*;
use serde_json::Value;

use crate::window_steps::{CONNECTIONS, JOIN_GROUP, Step, conversations, topic};
use crate::window_totals::{check_totals, overall};
use crate::written_rows::{rows, source};

/// What is added up, by name, of everything that has the same key.
pub type Sums = BTreeMap<Vec<String>, BTreeMap<String, i64>>;

/// The model of one window.
#[derive(Default)]
struct Model {
    sums: Sums,
    /// Offsets that rows of partitions must have.
    offsets: BTreeMap<Vec<String>, Vec<(i64, i64)>>,
    /// How many response times are in a histogram.
    timed: u64,
}

fn api_name(key: i16) -> String {
    match key {
        0 => "Produce".into(),
        1 => "Fetch".into(),
        3 => "Metadata".into(),
        JOIN_GROUP => "JoinGroup".into(),
        78 => "ShareFetch".into(),
        _ => key.to_string(),
    }
}

fn topic_name(number: u8) -> String {
    match topic(number, "") {
        Topic::Name(_) => format!("topic-{number}"),
        Topic::Id(_) => format!("id-{number}"),
    }
}

impl Model {
    fn add(&mut self, key: &[String], name: &str, value: u64) {
        *self.sums.entry(key.to_vec()).or_default().entry(name.into()).or_default() += i64::try_from(value).unwrap();
    }

    fn combine(&mut self, key: &[String], name: &str, value: i64, how: fn(i64, i64) -> i64) {
        let place = self.sums.entry(key.to_vec()).or_default().entry(name.into()).or_insert(value);
        *place = how(*place, value);
    }

    fn take(&mut self, port: usize, step: &Step) {
        let port = port.to_string();
        match *step {
            Step::Request { key, version, bytes, acks, is_idempotent, .. } => {
                let key = ["api".into(), port, api_name(key), version.to_string()];
                self.add(&key, "requests", 1);
                self.add(&key, "request_bytes", bytes as u64);
                self.add(&key, "idempotent_requests", is_idempotent.into());
                for (sent, name) in [(0, "acks.0"), (1, "acks.1"), (-1, "acks.all")] {
                    self.add(&key, name, u64::from(acks == Some(sent)));
                }
            }
            Step::Partition { key, topic, partition, error, confirmed, content } => {
                let key = ["partition".into(), port, api_name(key), topic_name(topic), partition.to_string()];
                self.add(&key, "requests", 1);
                match (error, confirmed) {
                    (0, true) => self.content(&key, &content),
                    (0, false) => self.add(&key, "unconfirmed", content.records),
                    (code, _) => {
                        self.add(&key, &format!("errors.{code}"), 1);
                        self.add(&key, "rejected_bytes", content.bytes);
                    }
                }
            }
            Step::Presence { topic, partitions } => {
                let key = ["presence".into(), port, "Fetch".into(), topic_name(topic)];
                self.combine(&key, "partitions", partitions.into(), i64::max);
            }
            Step::Exchange { key, version, microseconds, bytes, error, throttle_ms, waited, is_empty } => {
                let is_timed = key != JOIN_GROUP;
                let key = ["api".into(), port, api_name(key), version.to_string()];
                self.add(&key, "response_bytes", bytes as u64);
                self.add(&key, "throttled_responses", u64::from(throttle_ms > 0));
                self.add(&key, "throttle_ms", throttle_ms.into());
                self.add(&key, "empty_responses", is_empty.into());
                if error != 0 {
                    self.add(&key, &format!("errors.{error}"), 1);
                }
                if is_timed {
                    let sketch = if waited { "waited" } else { "response_time" };
                    self.timed += u64::from(!waited);
                    self.add(&key, &format!("{sketch}.buckets.{}", index(microseconds)), 1);
                    self.add(&key, &format!("{sketch}.sum_us"), microseconds);
                }
            }
            Step::Unread { key, version } => {
                self.add(&["api".into(), port, api_name(key), version.to_string()], "unread.malformed", 1);
            }
            Step::Software(_) | Step::Group(_) | Step::Reopened | Step::Swapped => {}
        }
    }

    fn content(&mut self, key: &[String], content: &Content) {
        for (name, count) in [
            ("batches", content.batches),
            ("records", content.records),
            ("unknown_batches", content.unknown_batches),
            ("bytes", content.bytes),
            ("transactional_batches", content.transactional_batches),
            ("transactional_records", content.transactional_records),
            ("aborted_records", content.aborted_records),
            ("duplicate_batches", content.duplicate_batches),
        ] {
            self.add(key, name, count);
        }
        for (codec, count) in ["none", "gzip", "snappy", "lz4", "zstd"].iter().zip(content.codecs) {
            self.add(key, &format!("compression.{codec}"), count);
        }
        if let (Some(first @ 0..), Some(last)) = (content.first_offset, content.last_offset)
            && first <= last
        {
            self.combine(key, "first_offset", first, i64::min);
            self.combine(key, "last_offset", last, i64::max);
            self.offsets.entry(key.to_vec()).or_default().push((first, last));
        }
        if let Some(time @ 0..) = content.min_timestamp_ms {
            self.combine(key, "min_timestamp_ms", time, i64::min);
        }
        if let Some(time @ 0..) = content.max_timestamp_ms {
            self.combine(key, "max_timestamp_ms", time, i64::max);
        }
    }
}

/// A recorder with its connections, each of which has its own port.
struct Observed {
    recorder: Recorder,
    clients: Vec<Client>,
    names: Arc<TopicNames>,
    opened: u64,
    now_ms: u64,
}

fn open(recorder: &mut Recorder, connection: u64, port: usize, now_ms: u64) -> Client {
    let identity = Identity::default().with(IdentityKey::ClientSourcePort, port.to_string().as_bytes());
    recorder.open(connection, identity, false, now_ms)
}

impl Observed {
    fn of_at_most(most: usize) -> Self {
        let names = Arc::new(TopicNames::new(100));
        let settings = Settings { most_connection_events: 1_000, ..Settings::of_at_most(most) };
        let mut recorder = Recorder::new(settings, Arc::clone(&names), 0);
        let clients = (0..CONNECTIONS).map(|port| open(&mut recorder, port as u64, port, 0)).collect();
        Self { recorder, clients, names, opened: CONNECTIONS as u64, now_ms: 0 }
    }

    /// The finished window, if the step ended it.
    fn take(&mut self, port: usize, step: &Step) -> Option<Window> {
        let client = &mut self.clients[port];
        let mut record = |event: Event<'_>| self.recorder.record(client, &event, 0);
        match *step {
            Step::Request { key, version, client_id, bytes, acks, is_idempotent } => {
                let client_id = client_id.map(|number| [b'c', b'0' + number]);
                let client_id = client_id.as_ref().map(|id| &id[..]);
                record(Event::Request(Request { key, version, client_id, bytes, acks, is_idempotent }));
            }
            Step::Software(number) => {
                record(Event::Software(Software { name: "software", version: &number.to_string() }));
            }
            Step::Group(number) => {
                record(Event::Identity { field: IdentityField::GroupId, value: number.to_string().as_bytes() });
            }
            Step::Partition { key, topic: number, partition, error, confirmed, content } => {
                let name = topic_name(number);
                let topic = topic(number, &name);
                let version = 0;
                record(Event::Partition(PartitionExchange {
                    key,
                    version,
                    topic,
                    partition,
                    error,
                    confirmed,
                    content,
                    fetched: None,
                }));
            }
            Step::Presence { topic: number, partitions } => {
                let name = topic_name(number);
                record(Event::Presence { topic: topic(number, &name), partitions });
            }
            Step::Exchange { key, version, microseconds, bytes, error, throttle_ms, waited, is_empty } => {
                let (asked, answered) = (Nanos(7), Nanos(7 + microseconds * 1_000));
                let request_bytes = 1;
                let exchange = Exchange {
                    key,
                    version,
                    asked,
                    answered,
                    request_bytes,
                    bytes,
                    error,
                    throttle_ms,
                    waited,
                    is_empty,
                };
                record(Event::Exchange(exchange));
            }
            Step::Unread { key, version } => record(Event::Unread { key, version, why: Unread::Malformed }),
            Step::Reopened => {
                let again = open(&mut self.recorder, self.opened, port, self.now_ms);
                self.opened += 1;
                let ended = std::mem::replace(&mut self.clients[port], again);
                self.recorder.close(ended, End::Client, self.now_ms);
            }
            Step::Swapped => {
                self.now_ms += 10_000;
                return Some(self.recorder.swap(self.now_ms));
            }
        }
        None
    }
}

/// The numbers in a row, by their names, but for those that are zero.
fn numbers(value: &Value) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for (name, value) in value.as_object().unwrap() {
        match value {
            Value::Number(number) => _ = found.insert(name.clone(), number.as_i64().unwrap()),
            Value::Object(_) => {
                found.extend(numbers(value).into_iter().map(|(inner, count)| (format!("{name}.{inner}"), count)));
            }
            _ => {}
        }
    }
    found
}

/// What a row of traffic has in the model: its key without anything of the client but the port, and its sums.
fn modelled(row: &Value) -> (Vec<String>, BTreeMap<String, i64>) {
    let text = |name: &str| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned);
    let id = (0..6_u8).find(|number| row["topic_id"] == id_text(*number));
    let topic = id.map_or_else(|| text("topic"), |number| format!("id-{number}"));
    let mut key = vec![text("kind"), text("client_source_port"), text("api")];
    key.extend(match row["kind"].as_str().unwrap() {
        "partition" => vec![topic, text("partition")],
        "api" => vec![text("api_version")],
        _ => vec![topic],
    });
    let mut sums = numbers(row);
    for name in ["event_epoch", "event_seq", "window_start_ms", "window_end_ms", "client_source_port", "partition"] {
        sums.remove(name);
    }
    // Lag follows from watermarks, which the model does not have; `lag.rs` tests it.
    for name in ["api_version", "offset_ranges_merged", "fetch_lag", "fetch_lag_ms"] {
        sums.remove(name);
    }
    (key, sums)
}

fn id_text(number: u8) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode([number; 16])
}

fn without_zeros(sums: &Sums) -> Sums {
    const EXTREMES: [&str; 4] = ["first_offset", "last_offset", "min_timestamp_ms", "max_timestamp_ms"];
    let counts = |sums: &BTreeMap<String, i64>| {
        let kept = sums.iter().filter(|(name, value)| **value != 0 || EXTREMES.contains(&name.as_str()));
        kept.map(|(name, value)| (name.clone(), *value)).collect()
    };
    sums.iter().map(|(key, sums)| (key.clone(), counts(sums))).collect()
}

/// Join rows that differ only in what the model does not know of a client.
fn joined(rows: &[(&str, Value)]) -> Sums {
    let mut all = Sums::new();
    for (key, sums) in rows.iter().filter(|(topic, _)| *topic == "traffic").map(|(_, row)| modelled(row)) {
        let place = all.entry(key).or_default();
        for (name, value) in sums {
            let known = place
                .entry(name.clone())
                .or_insert_with(|| if name.starts_with("min_") || name == "first_offset" { i64::MAX } else { 0 });
            *known = match name.as_str() {
                "first_offset" | "min_timestamp_ms" => value.min(*known),
                "last_offset" | "max_timestamp_ms" | "partitions" => value.max(*known),
                _ => *known + value,
            };
        }
    }
    all
}

fn check_offsets(model: &Model, rows: &[(&str, Value)]) {
    for (key, expected) in &model.offsets {
        let of_key = rows.iter().filter(|(topic, row)| *topic == "traffic" && modelled(row).0 == *key);
        let ranges: Vec<(i64, i64)> = of_key
            .flat_map(|(_, row)| row["offset_ranges"].as_array().unwrap())
            .map(|range| (range["first"].as_i64().unwrap(), range["last"].as_i64().unwrap()))
            .collect();
        for (first, last) in expected {
            assert!(ranges.iter().any(|range| range.0 <= *first && *last <= range.1), "{key:?} {ranges:?}");
        }
    }
}

/// Give the steps to a recorder and the model, and compare every window.
fn compare(most: usize, told: &[(usize, Step)]) {
    let is_everything_told_apart = most == usize::MAX;
    let (mut observed, mut model, mut writer) =
        (Observed::of_at_most(most), Model::default(), Writer::new(source(), 1));
    for (port, step) in told.iter().chain([&(0, Step::Swapped)]) {
        model.take(*port, step);
        let Some(window) = observed.take(*port, step) else { continue };
        let Model { sums, timed, .. } = &model;
        let rows = rows(&mut writer, &window, &observed.names);
        let found = joined(&rows);
        if is_everything_told_apart {
            assert_eq!(without_zeros(&found), without_zeros(sums));
            check_offsets(&model, &rows);
        } else {
            assert_eq!(overall(&found), overall(sums));
        }
        let parts = writer.totals(&window, &observed.names);
        let parts: Vec<Value> = parts.iter().map(|part| serde_json::from_str(&part.json).unwrap()).collect();
        check_totals(&parts, sums, *timed);
        check_seals(&rows);
        model = Model::default();
    }
}

/// A seal names the numbers of its topic's records.
fn check_seals(rows: &[(&str, Value)]) {
    for topic in ["traffic", "connections"] {
        let numbers: Vec<&Value> =
            rows.iter().filter(|(of, _)| *of == topic).map(|(_, row)| &row["event_seq"]).collect();
        let seal = rows.iter().find(|(of, row)| *of == "seals" && row["topic"] == topic).map(|(_, seal)| seal);
        assert_eq!(seal.is_some(), !numbers.is_empty());
        if let Some(seal) = seal {
            assert_eq!((&seal["first_seq"], &seal["last_seq"]), (numbers[0], numbers[numbers.len() - 1]));
            assert_eq!(seal["count"], numbers.len());
        }
    }
}

proptest! {
    #[test]
    fn rows_say_what_a_plain_model_says(told in conversations()) {
        compare(usize::MAX, &told);
    }

    #[test]
    fn sums_are_exact_however_little_is_told_apart(told in conversations(), most in prop::sample::select(vec![0, 1, 2, 10])) {
        compare(most, &told);
    }

    #[test]
    fn no_two_rows_of_a_window_are_about_the_same(told in conversations()) {
        let mut observed = Observed::of_at_most(1_000);
        for (port, step) in told.iter().chain([&(0, Step::Swapped)]) {
            let Some(window) = observed.take(*port, step) else { continue };
            let rows = rows(&mut Writer::new(source(), 1), &window, &observed.names);
            let mut keys: Vec<String> = rows.iter().filter(|(topic, _)| *topic == "traffic").map(|(_, row)| {
                let keys = ["kind", "api", "api_version", "topic", "topic_id", "partition", "client_source_port"];
                let who = ["principal", "client_id", "client_software_name", "client_software_version", "group_id"];
                format!("{:?}", keys.into_iter().chain(who).map(|name| row.get(name)).collect::<Vec<_>>())
            }).collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            prop_assert_eq!(keys.len(), count);
        }
    }
}
