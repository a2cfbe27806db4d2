//! What a recorder makes of one connection, or of many, as records say it.

use kwitness_observation::{IdentityKey, IdentityKeys, IdentityPolicy};
use kwitness_protocol::{
    Connection, Event, IdentityField, Limits, Nanos, PartitionExchange, Side, Software, Topic, TransactionEnd, Unread,
};
use kwitness_recording::{End, Settings, TopicNames, Window, Writer};
use serde_json::{Value, json};

use crate::contract_vectors::vectors;
use crate::partition_frames::{Produced, produced, producing};
use crate::record_vectors::RECORDS;
use crate::scene::{END_TXN, FETCH, METADATA, ORDERS, PRODUCE, Scene, busy, records, written};
use crate::transcript::{api_versions, response};
use crate::written_rows::source;

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
    let identity = IdentityPolicy::new(keys.into_iter().collect(), IdentityKeys::default(), None);
    let mut scene = Scene::with(Settings { identity, ..Settings::of_at_most(10) });
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
    let identity = IdentityPolicy::new([IdentityKey::ClientId].into_iter().collect(), IdentityKeys::default(), None);
    scene.recorder.set(Settings { identity, ..Settings::of_at_most(10) });
    scene.swap();
    scene.request(METADATA, b"canary");
    scene.answer(METADATA, 1);

    let window = scene.swap();

    assert!(scene.rows(&window).iter().all(|row| row.get("client_id").is_none()));
    assert_eq!(scene.client.identity().get(IdentityKey::ClientId), None);
}

#[test]
fn produce_requests_are_counted_by_acks_and_those_that_brokers_refuse_are_not() {
    let mut scene = Scene::new();
    for acks in [0, 1, 1, -1, -1, -1, 2, i16::MIN] {
        scene.produce(acks, acks == -1);
    }
    scene.request(METADATA, b"shop");

    let rows = scene.of_kind("api");

    let counts = rows.iter().map(|row| json!([row["api"], row["requests"], row["acks"], row["idempotent_requests"]]));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [json!(["Produce", 8, {"0": 1, "1": 2, "all": 3}, 3]), json!(["Metadata", 1, null, null])]
    );
}

#[test]
fn a_gap_lies_between_the_answer_to_a_fetch_and_the_next_fetch_of_the_connection() {
    let longest = |exchanges: &[(i16, u64, u64)], reads_again: bool| {
        let mut scene = Scene::new();
        for (key, sent_us, answered_us) in exchanges {
            scene.exchange(*key, *sent_us, *answered_us);
            if reads_again {
                scene.recorder.resume(&mut scene.client, true);
            }
        }
        let rows = scene.of_kind("api");
        rows.iter().find(|row| row["api"] == "Fetch").unwrap().get("longest_gap_us").and_then(Value::as_u64)
    };
    let exchanges = [(FETCH, 0, 1_000), (METADATA, 1_500, 1_600), (FETCH, 5_000, 6_000), (FETCH, 6_500, 7_000)];

    assert_eq!(longest(&exchanges, false), Some(4_000));
    assert_eq!(longest(&exchanges, true), None, "Fetches may have passed unread");
    assert_eq!(longest(&[(FETCH, 0, 1_000), (FETCH, 500, 2_000)], false), None, "asked before the answer came");
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
            let exchange = PartitionExchange {
                key: PRODUCE,
                version: 4,
                topic,
                partition,
                error: 0,
                confirmed: false,
                content,
                fetched: None,
            };
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
