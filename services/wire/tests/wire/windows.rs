//! Windows hold what a slow and plain model holds, however much is told apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use kwitness_wire::aggregate::{
    Client, End, Identity, IdentityKey, Recorder, Settings, Source, TopicNames, Window, Writer, index,
};
use kwitness_wire::{
    Content, Event, Exchange, IdentityField, Nanos, PartitionExchange, Request, Software, Topic, Unread,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// Something told of a connection, or the end of a window.
#[derive(Clone, Debug)]
enum Step {
    Request { key: i16, version: i16, client_id: Option<u8>, bytes: usize },
    Software(u8),
    Group(u8),
    Partition { key: i16, topic: u8, partition: i32, error: i16, confirmed: bool, content: Content },
    Presence { topic: u8, partitions: u32 },
    Exchange { key: i16, version: i16, microseconds: u64, bytes: usize, error: i16, waited: bool },
    Unread { key: i16, version: i16 },
    Reopened,
    Swapped,
}

const CONNECTIONS: usize = 5;
const JOIN_GROUP: i16 = 11;

/// Half of the topics have names, half have ids.
fn topic(number: u8, name: &str) -> Topic<'_> {
    if number.is_multiple_of(2) { Topic::Name(name.as_bytes()) } else { Topic::Id([number; 16]) }
}

fn contents() -> impl Strategy<Value = Content> {
    let counts = (0..4_u64, 0..50_u64, 0..3_u64, 0..9_000_u64, 0..4_u64, 0..9_u64);
    let rest = (0..3_u64, 0..3_u64, proptest::array::uniform5(0..3_u64));
    let offsets = proptest::option::of((-3..300_i64, -2..20_i64));
    let times = proptest::option::of((-5..1_000_i64, 0..100_i64));
    (counts, rest, offsets, times).prop_map(|(counts, (aborted, duplicates, codecs), offsets, times)| Content {
        batches: counts.0,
        records: counts.1,
        unknown_batches: counts.2,
        bytes: counts.3,
        transactional_batches: counts.4,
        transactional_records: counts.5,
        aborted_records: aborted,
        duplicate_batches: duplicates,
        codecs,
        first_offset: offsets.map(|(first, _)| first),
        last_offset: offsets.map(|(first, length)| first + length),
        min_timestamp_ms: times.map(|(first, _)| first),
        max_timestamp_ms: times.map(|(first, length)| first + length),
    })
}

fn errors() -> impl Strategy<Value = i16> {
    prop_oneof![3 => Just(0), 1 => prop::sample::select(vec![-1, 3, 6, 87])]
}

fn steps() -> impl Strategy<Value = Step> {
    let keys = || prop::sample::select(vec![0_i16, 1, 3, JOIN_GROUP, 78, 10_001]);
    let counted = prop::sample::select(vec![0_i16, 1, 78]);
    prop_oneof![
        4 => (keys(), 0..3_i16, proptest::option::of(0..3_u8), 0..500_usize)
            .prop_map(|(key, version, client_id, bytes)| Step::Request { key, version, client_id, bytes }),
        1 => (0..3_u8).prop_map(Step::Software),
        1 => (0..3_u8).prop_map(Step::Group),
        8 => (counted, 0..6_u8, 0..3_i32, errors(), any::<bool>(), contents()).prop_map(
            |(key, topic, partition, error, confirmed, content)| {
                Step::Partition { key, topic, partition, error, confirmed, content }
            }
        ),
        1 => (0..6_u8, 1..9_u32).prop_map(|(topic, partitions)| Step::Presence { topic, partitions }),
        4 => (keys(), 0..3_i16, 0..100_000_u64, 0..900_usize, errors(), any::<bool>()).prop_map(
            |(key, version, microseconds, bytes, error, waited)| {
                Step::Exchange { key, version, microseconds, bytes, error, waited }
            }
        ),
        1 => (keys(), 0..3_i16).prop_map(|(key, version)| Step::Unread { key, version }),
        1 => Just(Step::Reopened),
        1 => Just(Step::Swapped),
    ]
}

/// Told of a connection, by its number.
fn conversations() -> impl Strategy<Value = Vec<(usize, Step)>> {
    vec((0..CONNECTIONS, steps()), 0..100)
}

/// What is added up, by name, of everything that has the same key.
type Sums = BTreeMap<Vec<String>, BTreeMap<String, i64>>;

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
            Step::Request { key, version, bytes, .. } => {
                let key = ["api".into(), port, api_name(key), version.to_string()];
                self.add(&key, "requests", 1);
                self.add(&key, "request_bytes", bytes as u64);
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
            Step::Exchange { key, version, microseconds, bytes, error, waited } => {
                let is_timed = key != JOIN_GROUP;
                let key = ["api".into(), port, api_name(key), version.to_string()];
                self.add(&key, "response_bytes", bytes as u64);
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
            Step::Request { key, version, client_id, bytes } => {
                let client_id = client_id.map(|number| [b'c', b'0' + number]);
                let client_id = client_id.as_ref().map(|id| &id[..]);
                record(Event::Request(Request { key, version, client_id, bytes }));
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
                }));
            }
            Step::Presence { topic: number, partitions } => {
                let name = topic_name(number);
                record(Event::Presence { topic: topic(number, &name), partitions });
            }
            Step::Exchange { key, version, microseconds, bytes, error, waited } => {
                let (asked, answered) = (Nanos(7), Nanos(7 + microseconds * 1_000));
                let exchange = Exchange { key, version, asked, answered, request_bytes: 1, bytes, error, waited };
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

pub fn source() -> Source {
    Source {
        name: "shop/gateway-0".into(),
        epoch_ms: 1_760_000_000_000,
        cluster_id: "cluster".into(),
        reported_by: "gateway".into(),
        observer_mode: "gateway".into(),
    }
}

/// All records of a window, by their topics.
pub fn rows(writer: &mut Writer, window: &Window, names: &TopicNames) -> Vec<(&'static str, Value)> {
    let mut rows = Vec::new();
    writer.write(window, names, &mut |row| {
        let value: Value = serde_json::from_slice(&row.line).unwrap();
        assert_eq!(value["event_seq"], row.seq);
        rows.push((row.topic, value));
        Ok(())
    });
    rows
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
    sums.remove("api_version");
    sums.remove("offset_ranges_merged");
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

/// The sums of all rows of a kind, by name, with those of different clients, topics and partitions together.
fn overall(sums: &Sums) -> BTreeMap<String, i64> {
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
    entries.map(|entry| entry[name].as_u64().unwrap()).sum()
}

fn counted_times(parts: &[Value]) -> u64 {
    let times = parts.iter().filter_map(|part| part.get("times")?.as_array()).flatten();
    times.flat_map(|entry| entry["counts"].as_array().unwrap()).map(|count| count.as_u64().unwrap()).sum()
}

fn check_totals(parts: &[Value], sums: &Sums, timed: u64) {
    let all = overall(sums);
    let number = |name: &str| u64::try_from(all.get(name).copied().unwrap_or_default()).unwrap();
    assert_eq!(sum_of(parts, "traffic", "records"), number("partition records"));
    assert_eq!(sum_of(parts, "traffic", "record_bytes"), number("partition bytes"));
    assert_eq!(sum_of(parts, "apis", "requests"), number("api requests"));
    assert_eq!(sum_of(parts, "apis", "request_bytes"), number("api request_bytes"));
    assert_eq!(sum_of(parts, "apis", "response_bytes"), number("api response_bytes"));
    assert_eq!(sum_of(parts, "times", "sum_us"), number("api response_time.sum_us"));
    assert_eq!(counted_times(parts), timed);
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
