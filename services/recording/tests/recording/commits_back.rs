//! Commits that go back, as totals have them by group, topic and who committed.

use std::sync::Arc;

use kwitness_observation::{HashKey, Identity, IdentityKey, IdentityKeys, IdentityPolicy, LONGEST_VALUE};
use kwitness_protocol::{Commit, Event, IdentityField, Topic, TransactionEnd};
use kwitness_recording::{Client, Recorder, Settings, TopicNames, Writer};
use serde_json::{Value, json};

use crate::scene::{ORDERS, Scene};
use crate::written_rows::source;

const EXAMPLE: &str = include_str!("../../../../contracts/vectors/events_request.ndjson");
const GROUP: &[u8] = b"readers";
const BY_ID: Topic<'static> = Topic::Id([7; 16]);

fn commit(topic: Topic<'static>, partition: i32, offset: i64) -> Event<'static> {
    Event::Commit(Commit { group: GROUP, is_transactional: false, topic, partition, offset })
}

fn member() -> Event<'static> {
    Event::Identity { field: IdentityField::GroupId, value: GROUP }
}

fn back(scene: &mut Scene) -> Value {
    let window = scene.swap();
    let parts = Writer::new(source(), 1).totals(&window, &scene.names);
    let totals = parts.first().map(|part| serde_json::from_str::<Value>(&part.json).unwrap());
    totals.and_then(|mut totals| Some(totals.get_mut("commits_back")?.take())).unwrap_or_default()
}

fn other_client(scene: &mut Scene, principal: &[u8]) -> Client {
    let identity = Identity::default().with(IdentityKey::Principal, principal).with(IdentityKey::ClientId, b"admin");
    scene.recorder.open(2, identity, false, 22_000)
}

fn entry_of(commits: u64, most_records: u64) -> Value {
    json!({"group_id": "readers", "topic": "orders", "commits": commits, "most_records": most_records})
}

#[test]
fn a_commit_below_the_one_before_goes_back_by_the_records_between_them() {
    let mut scene = Scene::new();
    scene.record(member());
    for offset in [100, 120, 120, 90, 95, 91, 130] {
        scene.record(commit(ORDERS, 3, offset));
    }

    assert_eq!(back(&mut scene), json!([entry_of(2, 30)]));
}

#[test]
fn a_commit_goes_back_by_the_highest_count_at_most() {
    let mut scene = Scene::new();
    scene.record(commit(ORDERS, 3, i64::MAX));
    scene.record(commit(ORDERS, 3, 0));

    assert_eq!(back(&mut scene), json!([entry_of(1, 1 << 62)]));
}

#[test]
fn partitions_topics_and_groups_are_compared_each_with_itself() {
    let mut scene = Scene::new();
    scene.record(commit(ORDERS, 3, 100));
    scene.record(commit(ORDERS, 4, 90));
    scene.record(commit(Topic::Name(b"paid"), 3, 80));
    let of_another = Commit { group: b"writers", is_transactional: false, topic: ORDERS, partition: 3, offset: 70 };
    scene.record(Event::Commit(of_another));

    assert_eq!(back(&mut scene), Value::Null);
}

#[test]
fn the_commit_of_an_earlier_window_and_of_another_connection_is_the_one_before() {
    let mut scene = Scene::new();
    scene.record(member());
    scene.record(commit(ORDERS, 3, 100));
    scene.swap();
    let mut tool = other_client(&mut scene, b"User:admin");
    scene.recorder.record(&mut tool, &commit(ORDERS, 3, 0), 31_000);

    let example: Value = serde_json::from_str(EXAMPLE.lines().next().unwrap()).unwrap();
    assert_eq!(back(&mut scene), example["totals"][0]["commits_back"]);
}

#[test]
fn a_topic_by_its_name_and_by_its_id_is_one_and_a_topic_that_is_recreated_is_another() {
    let mut scene = Scene::new();
    scene.record(Event::TopicName { id: [7; 16], name: b"orders" });
    scene.record(commit(ORDERS, 3, 100));
    scene.record(commit(BY_ID, 3, 90));
    scene.record(commit(ORDERS, 3, 50));
    scene.record(Event::TopicName { id: [8; 16], name: b"orders" });
    scene.record(commit(ORDERS, 3, 5));
    scene.record(commit(Topic::Id([8; 16]), 3, 6));

    assert_eq!(back(&mut scene), json!([entry_of(2, 40)]));
}

#[test]
fn a_topic_without_a_name_counts_without_one() {
    let mut scene = Scene::new();
    scene.record(commit(BY_ID, 3, 100));
    scene.record(commit(BY_ID, 3, 90));

    assert_eq!(back(&mut scene), json!([{"group_id": "readers", "commits": 1, "most_records": 10}]));
}

/// Commit these offsets in a transaction of which another connection sends the end.
fn in_transaction(scene: &mut Scene, offsets: &[i64], committed: bool) {
    let mover = Event::Identity { field: IdentityField::TransactionalId, value: b"mover" };
    for event in [member(), mover] {
        scene.record(event);
    }
    for offset in offsets {
        let of_mover = Commit { group: GROUP, is_transactional: true, topic: ORDERS, partition: 3, offset: *offset };
        scene.record(Event::Commit(of_mover));
    }
    let mut ending = scene.recorder.open(2, Identity::default(), false, 22_000);
    for event in [mover, Event::TransactionEnd(TransactionEnd { version: 4, committed })] {
        scene.recorder.record(&mut ending, &event, 22_000);
    }
}

#[test]
fn offsets_of_a_transaction_count_once_it_is_committed_and_the_last_of_each_partition_alone() {
    let mut scene = Scene::new();
    in_transaction(&mut scene, &[100], true);
    in_transaction(&mut scene, &[40], false);
    in_transaction(&mut scene, &[30, 110], true);
    assert_eq!(back(&mut scene), Value::Null);

    in_transaction(&mut scene, &[120, 90], true);
    assert_eq!(back(&mut scene), json!([entry_of(1, 20)]));
}

#[test]
fn where_groups_are_dropped_or_traffic_is_not_counted_no_commit_is_compared() {
    let group = [IdentityKey::GroupId].into_iter().collect();
    let identity = IdentityPolicy::new(group, IdentityKeys::default(), None);
    let most = Settings::of_at_most(10);
    for settings in [Settings { identity, ..most.clone() }, Settings { traffic: false, ..most }] {
        let mut scene = Scene::with(settings);
        scene.record(member());
        scene.record(commit(ORDERS, 3, 100));
        scene.record(commit(ORDERS, 3, 90));

        assert_eq!(back(&mut scene), Value::Null);
    }
}

#[test]
fn a_group_that_is_hashed_has_its_hash_alone() {
    let key = HashKey::from_bytes(b"a key of sixteen");
    let group = [IdentityKey::GroupId].into_iter().collect();
    let identity = IdentityPolicy::new(IdentityKeys::default(), group, key);
    let mut scene = Scene::with(Settings { identity, ..Settings::of_at_most(10) });
    scene.record(member());
    scene.record(commit(ORDERS, 3, 100));
    scene.record(commit(ORDERS, 3, 90));

    let found = back(&mut scene);
    assert!(found[0]["group_id"].as_str().is_some_and(|group| group.starts_with("hash-")), "{found}");
}

#[test]
fn groups_beyond_those_of_a_window_are_others_and_a_long_name_is_cut() {
    let names = Arc::new(TopicNames::new(1_000));
    let mut recorder = Recorder::new(Settings::of_at_most(3), Arc::clone(&names), 21_234);
    let mut client = recorder.open(1, Identity::default(), false, 21_234);
    let long = (1..100).map(|number| (format!("{}{number}", "g".repeat(20_000)), number));
    for (group, records) in long.chain((1..5).map(|number| (format!("group-{number}"), number))) {
        for offset in [500, 500 - records] {
            let group = group.as_bytes();
            let of_group = Commit { group, is_transactional: false, topic: ORDERS, partition: 3, offset };
            recorder.record(&mut client, &Event::Commit(of_group), 22_000);
        }
    }

    let window = recorder.swap(30_000);
    let [part] = &Writer::new(source(), 1).totals(&window, &names)[..] else { panic!("one part") };
    let totals: Value = serde_json::from_str(&part.json).unwrap();
    let entry = |group: &str, commits: u64, most_records: u64| {
        let mut entry = entry_of(commits, most_records);
        entry["group_id"] = group.into();
        entry
    };
    let long = "g".repeat(LONGEST_VALUE);
    let others = json!({"group_id": "other", "topic": "other", "principal": "other", "client_id": "other",
        "commits": 2, "most_records": 4});
    let expected = [entry(&long, 99, 99), entry("group-1", 1, 1), entry("group-2", 1, 2), others];
    let shown = totals["commits_back"].as_array().unwrap();
    assert_eq!((shown.len(), window.overflowed.series), (4, 2));
    assert!(expected.iter().all(|entry| shown.contains(entry)), "{shown:?}");
}
