//! What a recorder keeps is bounded, and what is beyond is counted.

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{Event, Exchange, IdentityField, Nanos, PartitionExchange, Request, Topic};
use kwitness_recording::{End, Recorder, Settings, TopicNames, Writer};
use serde_json::{Value, json};

use crate::scene::{FETCH, METADATA, ORDERS, PRODUCE, Scene, records, written};
use crate::written_rows::source;

#[test]
fn a_hundred_thousand_client_ids_topics_and_versions_take_few_rows_and_lose_nothing() {
    let mut scene = Scene::with(Settings::of_at_most(100));
    for number in 0..100_000_u32 {
        let version = i16::try_from(number % 30_000).unwrap();
        let name = number.to_string();
        scene.record(Event::Request(Request {
            key: 3,
            version,
            client_id: Some(name.as_bytes()),
            bytes: 2,
            acks: None,
            is_idempotent: true,
        }));
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
        assert_eq!(scene.swap().overflowed, kwitness_recording::Overflowed::default());
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
        let exchange = PartitionExchange {
            key: FETCH,
            version: 4,
            topic,
            partition: 0,
            error,
            confirmed: true,
            content,
            fetched: None,
        };
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
                throttle_ms: u32::MAX,
                waited,
                is_empty: waited,
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
