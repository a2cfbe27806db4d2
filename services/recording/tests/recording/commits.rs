//! Offsets that clients commit for their groups, and how far these are behind the ends of partitions.

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{
    Commit, Content, Event, Fetched, IdentityField, PartitionExchange, Request, Topic, TransactionEnd,
};
use kwitness_recording::{Client, Recorder, Settings, TopicNames};
use serde_json::{Value, json};

use crate::scene::{FETCH, ORDERS, PRODUCE, Scene, records, written};

const GROUP: &[u8] = b"readers";

fn of_group(topic: Topic<'static>, offset: i64, is_transactional: bool) -> Event<'static> {
    Event::Commit(Commit { group: GROUP, is_transactional, topic, partition: 3, offset })
}

fn commit(offset: i64) -> Event<'static> {
    of_group(ORDERS, offset, false)
}

fn member() -> Event<'static> {
    Event::Identity { field: IdentityField::GroupId, value: GROUP }
}

fn mover() -> Event<'static> {
    Event::Identity { field: IdentityField::TransactionalId, value: b"mover" }
}

/// A Fetch of partition 3 whose response has this high watermark.
fn watermark(topic: Topic<'static>, high_watermark: i64) -> [Event<'static>; 2] {
    let fetched = Some(Fetched { next_offset: 0, high_watermark, last_stable_offset: None, leader_epoch: None });
    let (version, partition, error, confirmed, content) = (4, 3, 0, true, Content::default());
    let exchange = PartitionExchange { key: FETCH, version, topic, partition, error, confirmed, content, fetched };
    [Event::Partition(exchange), Event::Presence { topic, partitions: 1 }]
}

/// The rows of commits of the window that ends now.
fn rows(scene: &mut Scene) -> Vec<Value> {
    scene.of_kind("partition").into_iter().filter(|row| row["api"] == "OffsetCommit").collect()
}

fn commits(scene: &mut Scene) -> Vec<Value> {
    let rows = rows(scene).into_iter();
    let keys = ["group_id", "topic", "partition", "requests", "committed_offset", "committed_lag", "pending_offset"];
    rows.map(|row| keys.iter().filter_map(|key| row.get(*key).cloned()).collect()).collect()
}

#[test]
fn the_committed_lag_lies_between_the_last_offset_and_the_watermark() {
    let mut scene = Scene::new();
    for event in [member(), commit(100), commit(120)].into_iter().chain(watermark(ORDERS, 150)) {
        scene.record(event);
    }

    assert_eq!(commits(&mut scene), [json!(["readers", "orders", 3, 2, 120, 30])]);
}

#[test]
fn the_age_of_the_record_at_the_committed_offset_is_as_of_the_end_of_the_window() {
    for (offset, ms, basis) in [(150, 0, "observed"), (140, 6_900, "interpolated"), (119, 8_000, "at_least")] {
        let mut scene = Scene::new();
        for (at_ms, high_watermark) in [(22_000, 130), (24_000, 150)] {
            for event in watermark(Topic::Id([7; 16]), high_watermark) {
                scene.recorder.record(&mut scene.client, &event, at_ms);
            }
        }
        scene.record(Event::TopicName { id: [7; 16], name: b"orders" });
        scene.record(member());
        scene.record(commit(offset));

        let row = &rows(&mut scene)[0];
        assert_eq!((&row["committed_lag_ms"], &row["committed_lag_basis"]), (&json!(ms), &json!(basis)), "{offset}");
    }
}

#[test]
fn a_watermark_is_found_by_the_topics_name_or_its_id() {
    for (fetched, committed) in [(ORDERS, Topic::Id([7; 16])), (Topic::Id([7; 16]), ORDERS)] {
        let mut scene = Scene::new();
        scene.record(Event::TopicName { id: [7; 16], name: b"orders" });
        for event in watermark(fetched, 150) {
            scene.record(event);
        }
        scene.record(member());
        scene.record(of_group(committed, 120, false));

        assert_eq!(commits(&mut scene), [json!(["readers", "orders", 3, 1, 120, 30])]);
    }
}

#[test]
fn the_end_that_another_client_had_listed_is_a_watermark() {
    let mut scene = Scene::new();
    let mut other = scene.recorder.open(2, Identity::default(), false, 22_000);
    scene.recorder.record(&mut other, &Event::End { topic: ORDERS, partition: 3, offset: 140 }, 22_000);
    scene.record(member());
    scene.record(commit(120));

    assert_eq!(commits(&mut scene), [json!(["readers", "orders", 3, 1, 120, 20])]);
}

/// The committed lag at 120 where another client wrote records up to 149, by the acks of its requests.
fn lag_of_written(acks: &[i16], error: i16) -> Option<Value> {
    let mut scene = Scene::new();
    let mut producer = scene.recorder.open(2, Identity::default(), false, 22_000);
    for acks in acks {
        let (key, version, client_id, bytes, is_idempotent) = (PRODUCE, 4, Some(&b"shop"[..]), 100, false);
        let request = Request { key, version, client_id, bytes, acks: Some(*acks), is_idempotent };
        scene.recorder.record(&mut producer, &Event::Request(request), 22_000);
    }
    let content = Content { first_offset: Some(140), last_offset: Some(149), ..records(10) };
    let (key, version, partition, confirmed, fetched) = (PRODUCE, 4, 3, true, None);
    let written = PartitionExchange { key, version, topic: ORDERS, partition, error, confirmed, content, fetched };
    scene.recorder.record(&mut producer, &Event::Partition(written), 22_000);
    scene.record(member());
    scene.record(commit(120));
    rows(&mut scene)[0].get("committed_lag").cloned()
}

#[test]
fn the_end_of_what_all_replicas_have_is_a_watermark() {
    assert_eq!(lag_of_written(&[-1, -1], 0), Some(json!(30)));
    assert_eq!(lag_of_written(&[-1, 1], 0), None, "the last record may be of the leader alone");
    assert_eq!(lag_of_written(&[0], 0), None);
    assert_eq!(lag_of_written(&[-1], 20), None, "not enough replicas");
    assert_eq!(lag_of_written(&[], 0), None, "the request is not read");
}

#[test]
fn without_a_watermark_or_with_one_below_the_offset_no_lag_is_known() {
    for high_watermark in [None, Some(119)] {
        let mut scene = Scene::new();
        scene.record(member());
        high_watermark.into_iter().flat_map(|mark| watermark(ORDERS, mark)).for_each(|event| scene.record(event));
        scene.record(commit(120));

        assert_eq!(commits(&mut scene), [json!(["readers", "orders", 3, 1, 120])]);
    }
}

#[test]
fn what_an_administrator_commits_for_a_group_is_not_counted() {
    let mut scene = Scene::new();
    scene.record(commit(120));
    scene.record(Event::Identity { field: IdentityField::GroupId, value: b"another" });
    scene.record(commit(130));

    assert_eq!(commits(&mut scene), Vec::<Value>::new());
}

/// A connection that commits within a transaction.
fn in_open_transaction() -> Scene {
    let mut scene = Scene::new();
    scene.record(member());
    scene.record(mover());
    scene.record(of_group(ORDERS, 120, true));
    scene
}

/// The same, and another connection that ends it.
fn in_transaction(committed: bool) -> (Scene, Client) {
    let mut scene = in_open_transaction();
    let mut ending = scene.recorder.open(2, Identity::default(), false, 22_000);
    for event in [mover(), Event::TransactionEnd(TransactionEnd { version: 4, committed })] {
        scene.recorder.record(&mut ending, &event, 22_000);
    }
    (scene, ending)
}

#[test]
fn an_offset_of_a_transaction_is_pending_until_another_connection_has_committed_it() {
    let key = ("pending_offset", "committed_offset");
    let offsets = |row: &Value| (row.get(key.0).cloned(), row.get(key.1).cloned());

    assert_eq!(offsets(&rows(&mut in_open_transaction())[0]), (Some(json!(120)), None));
    assert_eq!(offsets(&rows(&mut in_transaction(true).0)[0]), (None, Some(json!(120))));
    assert_eq!(offsets(&rows(&mut in_transaction(false).0)[0]), (Some(json!(120)), None));
}

#[test]
fn a_transaction_that_has_ended_confirms_nothing_again() {
    let (mut scene, mut ending) = in_transaction(false);
    scene.swap();
    let end = Event::TransactionEnd(TransactionEnd { version: 4, committed: true });
    scene.recorder.record(&mut ending, &end, 32_000);

    assert_eq!(rows(&mut scene), Vec::<Value>::new());
}

#[test]
fn groups_and_open_transactions_are_bounded() {
    let names = Arc::new(TopicNames::new(10));
    let mut recorder = Recorder::new(Settings::of_at_most(10), Arc::clone(&names), 21_234);
    let mut client = recorder.open(1, Identity::default(), false, 21_234);
    recorder.record(&mut client, &member(), 22_000);
    recorder.record(&mut client, &mover(), 22_000);
    for partition in 0..1_000 {
        let of_partition = Commit { group: GROUP, is_transactional: true, topic: ORDERS, partition, offset: 1 };
        recorder.record(&mut client, &Event::Commit(of_partition), 22_000);
    }
    let before = recorder.swap(30_000);
    for event in [mover(), Event::TransactionEnd(TransactionEnd { version: 4, committed: true })] {
        recorder.record(&mut client, &event, 32_000);
    }
    let after = recorder.swap(40_000);

    let count = |rows: Vec<kwitness_observation::Row>| {
        rows.iter().filter(|row| String::from_utf8_lossy(&row.line).contains("\"api\":\"OffsetCommit\"")).count()
    };
    assert_eq!(count(written(&before, &names)), 10);
    assert_eq!(before.overflowed.series, 990);
    assert_eq!(count(written(&after, &names)), 10, "those of the last ten partitions");
}

#[test]
fn totals_have_the_largest_lag_of_a_group_and_topic() {
    let mut scene = Scene::new();
    for event in [member(), commit(120)].into_iter().chain(watermark(ORDERS, 150)) {
        scene.record(event);
    }

    let of_group = json!({"group_id": "readers", "topic": "orders", "committed_lag": 30, "committed_lag_ms": 8_000});
    assert_eq!(scene.totals()["groups"], json!([of_group]));
}
