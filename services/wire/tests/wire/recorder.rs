//! What a recorder makes of one connection, or of many, as records say it.

use std::sync::Arc;

use kwitness_wire::aggregate::{
    Client, End, Identity, IdentityKey, Recorder, Row, Settings, TopicNames, Unfollowed, Window, Writer,
};
use kwitness_wire::{
    Authenticated, Connection, Content, Event, Exchange, IdentityField, Limits, Mechanism, Nanos, Opaque,
    PartitionExchange, PrincipalSource, Request, Side, Software, Topic, TransactionEnd, Unread,
};
use serde_json::{Value, json};

use crate::contracts::vectors;
use crate::exchanges::{Produced, produced, producing};
use crate::records::RECORDS;
use crate::transcript::{api_versions, response};
use crate::windows::source;

const PRODUCE: i16 = 0;
const FETCH: i16 = 1;
const METADATA: i16 = 3;
const SASL_HANDSHAKE: i16 = 17;
const API_VERSIONS: i16 = 18;
const END_TXN: i16 = 26;

/// A recorder with one connection, in the window of 20,000 ms to 30,000 ms.
struct Scene {
    recorder: Recorder,
    names: Arc<TopicNames>,
    client: Client,
}

impl Scene {
    fn new() -> Self {
        Self::with(Settings::of_at_most(1_000))
    }

    fn with(settings: Settings) -> Self {
        let names = Arc::new(TopicNames::new(1_000));
        let mut recorder = Recorder::new(settings, Arc::clone(&names), 21_234);
        let identity = Identity::default()
            .with(IdentityKey::Listener, b"GATEWAY")
            .with(IdentityKey::ClientAddress, b"10.0.0.7")
            .with(IdentityKey::ClientSourcePort, b"40000");
        let client = recorder.open(1, identity, true, 21_234);
        Self { recorder, names, client }
    }

    fn record(&mut self, event: Event<'_>) {
        self.recorder.record(&mut self.client, &event, 22_000);
    }

    fn request(&mut self, key: i16, client_id: &[u8]) {
        self.record(Event::Request(Request { key, version: 4, client_id: Some(client_id), bytes: 100 }));
    }

    fn answer(&mut self, key: i16, microseconds: u64) {
        self.record(Event::Exchange(Exchange {
            key,
            version: 4,
            asked: Nanos(0),
            answered: Nanos(microseconds * 1_000),
            request_bytes: 100,
            bytes: 30,
            error: 0,
            waited: false,
        }));
    }

    fn partition(&mut self, key: i16, topic: Topic<'_>, partition: i32, content: Content) {
        let exchange = PartitionExchange { key, version: 4, topic, partition, error: 0, confirmed: true, content };
        self.record(Event::Partition(exchange));
    }

    fn swap(&mut self) -> Window {
        self.recorder.swap(30_000)
    }

    fn rows(&self, window: &Window) -> Vec<Value> {
        written(window, &self.names).iter().map(|row| serde_json::from_slice(&row.line).unwrap()).collect()
    }

    /// The finished window's records of this kind.
    fn of_kind(&mut self, kind: &str) -> Vec<Value> {
        let window = self.swap();
        self.rows(&window).into_iter().filter(|row| row["kind"] == kind).collect()
    }

    fn totals(&mut self) -> Value {
        let window = self.swap();
        let parts = Writer::new(source(), 1).totals(&window, &self.names);
        assert_eq!(parts.len(), 1);
        serde_json::from_str(&parts[0].json).unwrap()
    }
}

fn written(window: &Window, names: &TopicNames) -> Vec<Row> {
    let mut rows = Vec::new();
    Writer::new(source(), 1).write(window, names, &mut |row| {
        rows.push(row);
        Ok(())
    });
    rows
}

fn records(count: u64) -> Content {
    Content { batches: 1, records: count, bytes: 10 * count, codecs: [0, 0, 0, 0, 1], ..Content::default() }
}

const ORDERS: Topic<'static> = Topic::Name(b"orders");

/// A client produces, is refused, commits a transaction, and fetches; it names one topic too many and an API that nobody has, and goes.
fn busy() -> Scene {
    let mut scene = Scene::with(Settings { most_topics: 1, ..Settings::of_at_most(100) });
    scene.request(PRODUCE, b"shop");
    scene.record(Event::Software(Software { name: "apache-kafka-java", version: "4.3.1" }));
    scene.record(Event::Identity { field: IdentityField::TransactionalId, value: b"shop-1" });
    let content = Content {
        transactional_batches: 1,
        transactional_records: 30,
        first_offset: Some(100),
        last_offset: Some(129),
        min_timestamp_ms: Some(20_005),
        max_timestamp_ms: Some(20_009),
        ..records(30)
    };
    let topic = Topic::Id([7; 16]);
    scene.record(Event::TopicName { id: [7; 16], name: b"orders" });
    scene.partition(PRODUCE, topic, 2, content);
    let refused = PartitionExchange {
        key: PRODUCE,
        version: 4,
        topic,
        partition: 2,
        error: 6,
        confirmed: true,
        content: records(5),
    };
    scene.record(Event::Partition(refused));
    scene.answer(PRODUCE, 2_000);
    scene.request(END_TXN, b"shop");
    scene.record(Event::TransactionEnd(TransactionEnd { version: 4, committed: true }));
    scene.answer(END_TXN, 3_000);
    scene.request(FETCH, b"shop");
    scene.partition(FETCH, ORDERS, 0, records(1));
    scene.record(Event::Exchange(Exchange {
        key: FETCH,
        version: 4,
        asked: Nanos(0),
        answered: Nanos(500_000_000),
        request_bytes: 100,
        bytes: 30,
        error: 70,
        waited: true,
    }));
    scene.record(Event::Presence { topic, partitions: 6 });
    scene.record(Event::Unread { key: -1, version: 0, why: Unread::UnknownKey });
    scene
}

#[test]
fn records_and_totals_are_those_of_the_contracts() {
    let Scene { mut recorder, names, client } = busy();
    recorder.close(client, End::Error, 29_000);
    let window = recorder.swap(30_000);
    let mut writer = Writer::new(source(), 1);
    let mut records = Vec::new();

    writer.write(&window, &names, &mut |row| {
        let record: Value = serde_json::from_slice(&row.line).unwrap();
        records.push(json!({"topic": row.topic, "record": record}));
        Ok(())
    });
    let totals = writer.totals(&window, &names);

    let totals: Vec<Value> = totals.iter().map(|part| serde_json::from_str(&part.json).unwrap()).collect();
    let expected = vectors("window_records.json");
    assert_eq!(Value::from(records), expected["records"]);
    assert_eq!(Value::from(totals), expected["totals"]);
}

#[test]
fn a_window_in_which_nothing_happened_has_neither_records_nor_totals() {
    let mut scene = Scene::new();
    let window = scene.swap();

    assert_eq!(scene.rows(&window), Vec::<Value>::new());
    assert_eq!(Writer::new(source(), 1).totals(&window, &scene.names), []);
}

#[test]
fn windows_begin_at_multiples_of_their_length() {
    let mut scene = Scene::new();
    let ends_ms = scene.recorder.ends_ms();
    let first = scene.recorder.swap(30_000);
    let late = scene.recorder.swap(95_000);
    let after = scene.recorder.swap(100_000);

    assert_eq!(ends_ms, 30_000);
    let windows = [first, late, after].map(|window| (window.start_ms, window.end_ms));
    assert_eq!(windows, [(20_000, 30_000), (30_000, 40_000), (90_000, 100_000)]);
}

#[test]
fn what_was_counted_before_a_client_was_known_is_counted_under_its_whole_identity() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"shop");
    scene.record(Event::Software(Software { name: "apache-kafka-java", version: "4.3.1" }));
    scene.record(Event::Identity { field: IdentityField::GroupId, value: b"readers" });
    scene.record(Event::Identity { field: IdentityField::ClientInstanceId, value: &[0xff; 16] });
    scene.answer(METADATA, 1);

    let rows = scene.of_kind("api");

    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["client_software_name"], "apache-kafka-java");
    assert_eq!(rows[0]["group_id"], "readers");
    assert_eq!(rows[0]["client_instance_id"], "_____________________w");
    assert_eq!((&rows[0]["requests"], &rows[0]["response_bytes"]), (&json!(1), &json!(30)));
}

#[test]
fn what_was_counted_under_another_client_id_stays_there() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"one");
    scene.request(METADATA, b"two");

    let rows = scene.of_kind("api");

    assert_eq!(rows.iter().map(|row| row["client_id"].as_str().unwrap()).collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn what_is_dropped_of_a_client_is_in_no_record() {
    let keys = [IdentityKey::ClientId, IdentityKey::ClientAddress, IdentityKey::GroupId];
    let dropped = keys.into_iter().collect();
    let mut scene = Scene::with(Settings { dropped, ..Settings::of_at_most(10) });
    scene.request(METADATA, b"canary");
    scene.record(Event::Identity { field: IdentityField::GroupId, value: b"canary" });
    scene.answer(METADATA, 1);

    let window = scene.swap();

    let rows = scene.rows(&window);
    assert!(!rows.is_empty());
    for row in &rows {
        assert!(keys.iter().all(|key| row.get(key.name()).is_none()), "{row}");
        assert!(!row.to_string().contains("canary"));
    }
}

#[test]
fn what_is_to_be_dropped_from_now_on_is_gone_in_the_next_window() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"canary");
    scene.recorder.set(Settings { dropped: [IdentityKey::ClientId].into_iter().collect(), ..Settings::of_at_most(10) });
    scene.swap();
    scene.request(METADATA, b"canary");
    scene.answer(METADATA, 1);

    let window = scene.swap();

    assert!(scene.rows(&window).iter().all(|row| row.get("client_id").is_none()));
    assert_eq!(scene.client.identity().get(IdentityKey::ClientId), None);
}

#[test]
fn transactions_are_counted_by_how_they_ended_with_the_client_that_ended_them() {
    let mut scene = Scene::new();
    for (transactional_id, committed) in [("a", true), ("a", false), ("a", true), ("b", false)] {
        let value = transactional_id.as_bytes();
        scene.record(Event::Identity { field: IdentityField::TransactionalId, value });
        scene.request(END_TXN, b"shop");
        scene.record(Event::TransactionEnd(TransactionEnd { version: 4, committed }));
        scene.answer(END_TXN, 1);
    }
    scene.request(METADATA, b"shop");

    let rows = scene.of_kind("api");

    let counts = rows.iter().map(|row| {
        json!([row["transactional_id"], row["api"], row["committed_transactions"], row["aborted_transactions"]])
    });
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [
            json!(["a", "EndTxn", 2, 1]),
            json!(["b", "EndTxn", null, 1]),
            json!(["b", "Metadata", null, null]), // what is zero is left out
        ]
    );
}

#[test]
fn a_topic_named_by_its_id_has_its_name_as_soon_as_any_connection_heard_it() {
    let id = [7; 16];
    let mut scene = Scene::new();
    scene.partition(FETCH, Topic::Id(id), 0, records(1));
    let unknown = scene.swap();
    scene.partition(FETCH, Topic::Id(id), 0, records(1));
    scene.record(Event::TopicName { id, name: b"orders" });
    let known = scene.swap();

    let partition = |rows: Vec<Value>| rows.into_iter().find(|row| row["kind"] == "partition").unwrap();
    let of = |window: &Window| written(window, &TopicNames::new(0));
    let rows = of(&unknown).iter().map(|row| serde_json::from_slice(&row.line).unwrap()).collect();
    let row = partition(rows);
    assert_eq!((row.get("topic"), &row["topic_id"]), (None, &json!("BwcHBwcHBwcHBwcHBwcHBw")));
    let row = partition(scene.rows(&known));
    assert_eq!((&row["topic"], &row["topic_id"]), (&json!("orders"), &json!("BwcHBwcHBwcHBwcHBwcHBw")));
}

#[test]
fn an_exchange_counts_once_with_each_topic_and_its_time_with_a_topic_that_is_alone() {
    let mut scene = Scene::new();
    scene.partition(PRODUCE, ORDERS, 0, records(1));
    scene.partition(PRODUCE, ORDERS, 1, records(1));
    scene.partition(PRODUCE, Topic::Name(b"bills"), 0, records(1));
    scene.answer(PRODUCE, 700);
    scene.partition(PRODUCE, ORDERS, 0, records(1));
    scene.answer(PRODUCE, 500);

    let totals = scene.totals();

    let traffic = totals["traffic"].as_array().unwrap();
    let requests: Vec<_> = traffic.iter().map(|entry| (&entry["topic"], &entry["requests"])).collect();
    assert_eq!(requests, [(&json!("bills"), &json!(1)), (&json!("orders"), &json!(2))]);
    let times = totals["times"].as_array().unwrap();
    let times: Vec<_> = times.iter().map(|entry| (entry.get("topic"), &entry["sum_us"])).collect();
    assert_eq!(times, [(None, &json!(700)), (Some(&json!("orders")), &json!(500))]);
}

#[test]
fn a_request_without_acknowledgement_counts_once_with_its_topic() {
    let mut scene = Scene::new();
    for _ in 0..3 {
        scene.request(PRODUCE, b"shop");
        for partition in 0..2 {
            let (topic, content) = (ORDERS, records(5));
            let exchange =
                PartitionExchange { key: PRODUCE, version: 4, topic, partition, error: 0, confirmed: false, content };
            scene.record(Event::Partition(exchange));
        }
    }

    let window = scene.swap();

    let parts = Writer::new(source(), 1).totals(&window, &scene.names);
    let totals: Value = serde_json::from_str(&parts[0].json).unwrap();
    assert_eq!((&totals["traffic"][0]["requests"], &totals["traffic"][0]["records"]), (&json!(3), &json!(0)));
    let rows = scene.rows(&window);
    let row = rows.iter().find(|row| row["kind"] == "partition").unwrap();
    assert_eq!((&row["unconfirmed"], &row["records"], &row["bytes"]), (&json!(15), &json!(0), &json!(0)));
}

#[test]
fn a_connection_is_told_with_its_first_answer_and_when_it_ends() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"shop");
    let before = scene.swap();
    scene.answer(METADATA, 1);
    scene.record(Event::Exchange(Exchange {
        key: METADATA,
        version: 4,
        asked: Nanos(0),
        answered: Nanos(1),
        request_bytes: 1,
        bytes: 1,
        error: 41,
        waited: false,
    }));
    let Scene { mut recorder, names, client } = scene;
    recorder.close(client, End::Broker, 25_000);
    let window = recorder.swap(30_000);

    assert!(before.connections.is_empty());
    let rows: Vec<Value> =
        written(&window, &names).iter().map(|row| serde_json::from_slice(&row.line).unwrap()).collect();
    let told: Vec<_> = rows.iter().filter(|row| row["schema"] == "kwitness.connections/1").collect();
    assert_eq!(told.iter().map(|row| row["kind"].as_str().unwrap()).collect::<Vec<_>>(), ["opened", "closed"]);
    assert_eq!((&told[0]["occurred_at_ms"], &told[0]["client_id"]), (&json!(21_234), &json!("shop")));
    assert_eq!((&told[1]["occurred_at_ms"], &told[1]["duration_ms"]), (&json!(25_000), &json!(3_766)));
    assert_eq!((&told[1]["end"], &told[1]["last_error"]), (&json!("broker"), &json!(41)));
    assert_eq!(told[1].get("opaque"), None);
}

#[test]
fn a_connection_that_is_opaque_is_told_at_once_and_says_why_at_its_end() {
    const NOT_KAFKA: Unfollowed = Unfollowed::Opaque(Opaque::NotKafka);
    let mut scene = Scene::new();
    scene.record(Event::Opaque(Opaque::NotKafka));
    let Scene { mut recorder, client, .. } = scene;
    recorder.close(client, End::Client, 22_000);
    let window = recorder.swap(30_000);

    assert_eq!(window.connections.len(), 2);
    assert!(window.connections.iter().all(|event| event.opaque == Some(NOT_KAFKA)));
    assert_eq!(window.opaque.iter().collect::<Vec<_>>(), [(NOT_KAFKA, 1)]);
}

#[test]
fn an_api_that_kafka_does_not_have_is_named_by_its_key_and_is_one_of_others_in_totals() {
    let mut scene = Scene::new();
    scene.request(10_001, b"shop");
    scene.record(Event::Unread { key: 10_001, version: 4, why: Unread::UnknownKey });
    scene.request(-5, b"shop");
    let window = scene.swap();

    let rows = scene.rows(&window);
    assert_eq!((&rows[0]["api"], &rows[0]["unread"]), (&json!("10001"), &json!({"unknown_key": 1})));
    assert_eq!((&rows[1]["api"], &rows[1]["overflowed"]), (&json!("other"), &json!(true)));
    let parts = Writer::new(source(), 1).totals(&window, &scene.names);
    let totals: Value = serde_json::from_str(&parts[0].json).unwrap();
    assert!(totals["apis"].as_array().unwrap().iter().all(|entry| entry["api"] == "other"));
}

#[test]
fn text_of_clients_is_escaped_and_replaced_where_it_is_not_utf8() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"a\"\\\n\x00\xff\xe2\x82z");

    let rows = scene.of_kind("api");

    assert_eq!(rows[0]["client_id"], "a\"\\\n\0\u{fffd}\u{fffd}z");
}

#[test]
fn a_hundred_thousand_client_ids_topics_and_versions_take_few_rows_and_lose_nothing() {
    let mut scene = Scene::with(Settings::of_at_most(100));
    for number in 0..100_000_u32 {
        let version = i16::try_from(number % 30_000).unwrap();
        let name = number.to_string();
        scene.record(Event::Request(Request { key: 3, version, client_id: Some(name.as_bytes()), bytes: 2 }));
        scene.partition(FETCH, Topic::Name(name.as_bytes()), 0, records(3));
    }
    let window = scene.swap();

    let rows = scene.rows(&window);
    let sum = |name: &str| rows.iter().filter_map(|row| row[name].as_u64()).sum::<u64>();
    assert!(rows.iter().filter(|row| row["schema"] == "kwitness.traffic/1").count() <= 2 * 101);
    assert_eq!((sum("request_bytes"), sum("records")), (200_000, 300_000));
    assert!(window.overflowed.identities > 0 && window.overflowed.topics > 0 && window.overflowed.series > 0);
    let totals = &Writer::new(source(), 1).totals(&window, &scene.names);
    let totals: Vec<Value> = totals.iter().map(|part| serde_json::from_str(&part.json).unwrap()).collect();
    let records = totals.iter().flat_map(|part| part["traffic"].as_array().unwrap());
    assert_eq!(records.map(|entry| entry["records"].as_u64().unwrap()).sum::<u64>(), 300_000);
}

#[test]
fn the_names_of_the_window_before_take_no_place_in_the_next() {
    let mut scene = Scene::with(Settings::of_at_most(8));
    for window in 0..3 {
        for number in 0..8 {
            let name = format!("{window}-{number}");
            scene.request(METADATA, name.as_bytes());
            scene.partition(FETCH, Topic::Name(name.as_bytes()), 0, records(1));
        }
        assert_eq!(scene.swap().overflowed, kwitness_wire::aggregate::Overflowed::default());
    }
}

#[test]
fn no_record_is_longer_than_its_bound_whatever_a_client_sends() {
    let mut scene = Scene::new();
    let hostile = vec![0x01; 32_767]; // six bytes each in JSON
    scene.request(FETCH, &hostile);
    for field in [
        IdentityField::GroupId,
        IdentityField::GroupInstanceId,
        IdentityField::GroupMemberId,
        IdentityField::TransactionalId,
        IdentityField::ClientRack,
    ] {
        scene.record(Event::Identity { field, value: &hostile });
    }
    for number in 0..10_000_u64 {
        let error = i16::try_from(number).unwrap();
        let (topic, content) = (Topic::Name(&[0x01; 249]), records(u64::MAX / 20));
        let exchange =
            PartitionExchange { key: FETCH, version: 4, topic, partition: 0, error, confirmed: true, content };
        scene.record(Event::Partition(exchange));
        for waited in [true, false] {
            scene.record(Event::Exchange(Exchange {
                key: FETCH,
                version: 4,
                asked: Nanos(0),
                answered: Nanos(number * number * number * 1_000),
                request_bytes: usize::MAX,
                bytes: usize::MAX,
                error,
                waited,
            }));
        }
    }
    scene.partition(FETCH, Topic::Name(&hostile), 0, records(1));
    scene.partition(FETCH, Topic::Name(b""), 0, records(1));

    let window = scene.swap();

    let lengths: Vec<usize> = written(&window, &scene.names).iter().map(|row| row.line.len()).collect();
    assert!(lengths.iter().all(|length| *length < 128 << 10), "{lengths:?}");
    let others = scene.rows(&window).into_iter().filter(|row| row["overflowed"] == true);
    assert_eq!(
        others.map(|row| (row.get("topic").cloned(), row["records"].clone())).collect::<Vec<_>>(),
        [(None, json!(2))]
    );
}

#[test]
fn records_that_are_dropped_are_in_the_seal() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"shop");
    scene.request(PRODUCE, b"shop");
    let window = scene.swap();
    let mut given = Vec::new();
    let mut writer = Writer::new(source(), 7);

    writer.write(&window, &scene.names, &mut |row| {
        if row.seq == 8 {
            return Err("queue_full");
        }
        given.push(row);
        Ok(())
    });

    assert_eq!(given.iter().map(|row| row.seq).collect::<Vec<_>>(), [7, 9]);
    let seal: Value = serde_json::from_slice(&given[1].line).unwrap();
    assert_eq!((given[1].topic, given[1].key.as_str(), writer.next_seq()), ("seals", "shop/gateway-0", 10));
    assert_eq!((&seal["first_seq"], &seal["last_seq"], &seal["count"]), (&json!(7), &json!(8), &json!(1)));
    assert_eq!(seal["dropped"], json!({"queue_full": 1}));
}

#[test]
fn connections_that_are_one_too_many_are_counted_in_the_seal() {
    let settings = Settings { most_connection_events: 3, ..Settings::of_at_most(100) };
    let mut recorder = Recorder::new(settings, Arc::new(TopicNames::new(1)), 0);
    for connection in 0..5 {
        let client = recorder.open(connection, Identity::default(), false, 0);
        recorder.close(client, End::Deadline, 1);
    }
    let window = recorder.swap(10_000);

    let rows = written(&window, &TopicNames::new(1));

    let seal: Value = serde_json::from_slice(&rows[3].line).unwrap();
    assert_eq!((&seal["count"], &seal["dropped"]), (&json!(3), &json!({"window_full": 7})));
}

#[test]
fn only_what_is_wanted_is_added_up() {
    let rows = |traffic, latency, connections| {
        let mut scene = Scene::with(Settings { traffic, latency, connections, ..Settings::of_at_most(10) });
        scene.request(PRODUCE, b"shop");
        scene.partition(PRODUCE, ORDERS, 0, records(1));
        scene.record(Event::Presence { topic: ORDERS, partitions: 1 });
        scene.answer(PRODUCE, 5);
        let window = scene.swap();
        let rows = scene.rows(&window);
        let timed = rows.iter().any(|row| row["response_time"]["sum_us"] == 5);
        let kinds = rows.iter().filter_map(|row| row["kind"].as_str()).map(str::to_owned);
        (kinds.collect::<Vec<_>>(), timed)
    };

    assert_eq!(rows(false, false, false), (vec![], false));
    assert_eq!(rows(false, false, true), (vec!["opened".into()], false));
    assert_eq!(rows(false, true, false), (vec!["api".into()], true));
    assert_eq!(rows(true, false, false), (["partition", "api", "presence"].map(Into::into).into(), false));
}

#[test]
fn a_connection_that_is_given_up_says_so_at_its_end() {
    let Scene { mut recorder, names, mut client } = Scene::new();
    recorder.give_up(&mut client, Unfollowed::Panic);
    recorder.close(client, End::Client, 22_000);

    let rows = written(&recorder.swap(30_000), &names);

    let closed: Value = serde_json::from_slice(&rows[1].line).unwrap();
    assert_eq!((&closed["kind"], &closed["opaque"]), (&json!("closed"), &json!("panic")));
}

#[test]
fn bytes_of_a_connection_become_rows() {
    let records = RECORDS.iter().find(|one| one.name == "format 2 none of 3").unwrap();
    let Scene { mut recorder, names, mut client } = Scene::new();
    let mut connection = Connection::new(Limits::default());
    let partition = |partition, error| Produced { partition, error, base_offset: 70 };
    let bytes = [
        (Side::Client, api_versions(1, "librdkafka", "2.6.0")),
        (Side::Broker, response(1, &[0; 20])),
        (Side::Client, producing(2, -1, &[(4, &records.bytes), (5, &records.bytes)])),
        (Side::Broker, produced(2, &[partition(4, 0), partition(5, 6)])),
    ];

    for (side, bytes) in &bytes {
        connection.feed(*side, bytes, Nanos(0), &mut |event| recorder.record(&mut client, &event, 0));
    }

    let window = recorder.swap(30_000);
    let rows: Vec<Value> =
        written(&window, &names).iter().map(|row| serde_json::from_slice(&row.line).unwrap()).collect();
    let partitions: Vec<_> = rows.iter().filter(|row| row["kind"] == "partition").collect();
    let length = records.bytes.len();
    assert!(
        rows.iter()
            .filter(|row| row["schema"] == "kwitness.traffic/1")
            .all(|row| { (&row["client_id"], &row["client_software_name"]) == (&json!("me"), &json!("librdkafka")) })
    );
    assert_eq!(partitions.len(), 2);
    assert_eq!((&partitions[0]["records"], &partitions[0]["bytes"]), (&json!(3), &json!(length)));
    assert_eq!(partitions[0]["offset_ranges"], json!([{"first": 70, "last": 72}]));
    assert_eq!((&partitions[1]["records"], &partitions[1]["rejected_bytes"]), (&json!(0), &json!(length)));
    assert_eq!(partitions[1]["errors"], json!({"6": 1}));
}

/// Kind, security protocol, principal and its source of what was told of connections.
fn told_of_connections(mut scene: Scene) -> Vec<Value> {
    let window = scene.swap();
    let Scene { mut recorder, client, names } = scene;
    recorder.close(client, End::Client, 25_000);
    let rows = [window, recorder.swap(40_000)].map(|window| written(&window, &names));
    let rows = rows.iter().flatten().map(|row| serde_json::from_slice::<Value>(&row.line).unwrap());
    let rows = rows.filter(|row| row["schema"] == "kwitness.connections/1");
    let told =
        rows.map(|row| json!([row["kind"], row["security_protocol"], row["principal"], row["principal_source"]]));
    told.collect()
}

#[test]
fn a_client_that_a_broker_serves_without_a_sign_in_is_anonymous() {
    let mut scene = Scene::new();
    scene.request(API_VERSIONS, b"shop");
    scene.answer(API_VERSIONS, 1);
    scene.request(METADATA, b"shop");
    scene.answer(METADATA, 1);

    assert_eq!(
        told_of_connections(scene),
        [json!(["opened", "SSL", "User:ANONYMOUS", "none"]), json!(["closed", "SSL", "User:ANONYMOUS", "none"]),]
    );
}

#[test]
fn a_client_that_only_asks_for_versions_has_no_principal() {
    let mut scene = Scene::new();
    scene.request(API_VERSIONS, b"shop");
    scene.answer(API_VERSIONS, 1);

    let told = told_of_connections(scene);

    assert_eq!(told, [json!(["opened", "SSL", null, null]), json!(["closed", "SSL", null, null])]);
}

#[test]
fn a_producer_that_waits_for_no_answer_is_told_of_and_anonymous() {
    let mut scene = Scene::new();
    scene.request(PRODUCE, b"shop");
    let (content, topic) = (records(1), ORDERS);
    scene.record(Event::Partition(PartitionExchange {
        key: PRODUCE,
        version: 4,
        topic,
        partition: 0,
        error: 0,
        confirmed: false,
        content,
    }));

    assert_eq!(told_of_connections(scene)[0], json!(["opened", "SSL", "User:ANONYMOUS", "none"]));
}

#[test]
fn the_security_protocol_is_known_before_a_client_has_signed_in() {
    let mut scene = Scene::new();
    scene.request(API_VERSIONS, b"shop");
    scene.answer(API_VERSIONS, 1);
    scene.request(SASL_HANDSHAKE, b"shop");
    scene.record(Event::Mechanism(Mechanism::Gssapi));
    scene.answer(SASL_HANDSHAKE, 1);

    let told = told_of_connections(scene);

    assert_eq!(told, [json!(["opened", "SASL_SSL", null, null]), json!(["closed", "SASL_SSL", null, null])]);
}

#[test]
fn a_principal_is_the_clients_once_the_broker_believed_it() {
    let mut scene = Scene::new();
    for (principal, succeeded) in [(None, false), (Some("User:mallory"), false), (Some("User:alice"), true)] {
        let (mechanism, source) = (Mechanism::Plain, PrincipalSource::Sasl);
        scene.record(Event::Authenticated(Authenticated { mechanism, principal, source, succeeded }));
    }
    let window = scene.swap();

    let rows = scene.rows(&window);

    let told = rows.iter().filter(|row| row["schema"] == "kwitness.connections/1");
    let told = told.map(|row| json!([row["kind"], row["succeeded"], row["principal"], row["principal_source"]]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            json!(["opened", null, null, null]),
            json!(["authenticated", false, null, "none"]),
            json!(["authenticated", false, null, "sasl"]),
            json!(["authenticated", true, "User:alice", "sasl"]),
        ]
    );
    assert_eq!((&rows[1]["mechanism"], &rows[1]["occurred_at_ms"]), (&json!("PLAIN"), &json!(22_000)));
    assert!(!format!("{rows:?}").contains("mallory"));
}
