//! Hashes in place of values, in every row that says who a client is.

use kwitness_observation::{HashKey, Identity, IdentityKey, IdentityKeys, IdentityPolicy, LONGEST_VALUE, uuid};
use kwitness_protocol::{Authenticated, Commit, Event, IdentityField, Mechanism, PrincipalSource};
use kwitness_recording::{End, Settings, Writer};
use serde_json::Value;

use crate::scene::{METADATA, ORDERS, Scene};
use crate::written_rows::source;

const KEYS: [IdentityKey; 7] = [
    IdentityKey::Principal,
    IdentityKey::ClientId,
    IdentityKey::ClientInstanceId,
    IdentityKey::ClientAddress,
    IdentityKey::GroupId,
    IdentityKey::GroupMemberId,
    IdentityKey::TransactionalId,
];

fn key() -> HashKey {
    HashKey::from_bytes(b"kept in the Secret of this test alone").unwrap()
}

fn hashing(key: Option<HashKey>) -> Settings {
    let identity = IdentityPolicy::new(IdentityKeys::default(), KEYS.into_iter().collect(), key);
    Settings { identity, ..Settings::of_at_most(100) }
}

/// Everything that a connection says of its client, with a commit of its group.
fn introduce(scene: &mut Scene) {
    let group = b"canary-group";
    scene.request(METADATA, b"canary-client");
    scene.record(Event::Authenticated(Authenticated {
        mechanism: Mechanism::Plain,
        principal: Some("User:canary"),
        source: PrincipalSource::Sasl,
        succeeded: true,
    }));
    for (field, value) in [
        (IdentityField::ClientInstanceId, &b"canary-16-bytes!"[..]),
        (IdentityField::GroupId, group),
        (IdentityField::GroupMemberId, b"canary-member"),
        (IdentityField::TransactionalId, b"canary-transaction"),
    ] {
        scene.record(Event::Identity { field, value });
    }
    scene.record(Event::Commit(Commit { group, is_transactional: false, topic: ORDERS, partition: 3, offset: 100 }));
    scene.answer(METADATA, 1);
}

/// All rows of the window, with those of the connection's end, and its totals.
fn rows(mut scene: Scene) -> Vec<Value> {
    let another = scene.recorder.open(2, Identity::default(), false, 21_234);
    let client = std::mem::replace(&mut scene.client, another);
    scene.recorder.close(client, End::Client, 29_000);
    let window = scene.swap();
    let totals = Writer::new(source(), 1).totals(&window, &scene.names);
    let totals = totals.iter().map(|part| serde_json::from_str(&part.json).unwrap());
    scene.rows(&window).into_iter().chain(totals).collect()
}

#[test]
fn rows_have_hashes_in_place_of_values() {
    let mut scene = Scene::with(hashing(Some(key())));
    introduce(&mut scene);

    let rows = rows(scene);

    let text = Value::from(rows.clone()).to_string();
    assert!(!text.contains("canary") && !text.contains("10.0.0.7") && !text.contains(&uuid(*b"canary-16-bytes!")));
    let last = rows.iter().find(|row| row["kind"] == "closed").unwrap();
    for (field, value) in [
        ("principal", "User:canary"),
        ("client_id", "canary-client"),
        ("client_instance_id", &uuid(*b"canary-16-bytes!")),
        ("client_address", "10.0.0.7"),
        ("group_id", "canary-group"),
        ("group_member_id", "canary-member"),
        ("transactional_id", "canary-transaction"),
    ] {
        assert_eq!(last[field], *key().hash(field, value), "{field}");
    }
    let commit = rows.iter().find(|row| row["api"] == "OffsetCommit").unwrap();
    assert_eq!((&commit["group_id"], &commit["committed_offset"]), (&last["group_id"], &Value::from(100)));
}

#[test]
fn without_a_key_rows_have_neither_values_nor_hashes() {
    let mut scene = Scene::with(hashing(None));
    introduce(&mut scene);

    let rows = rows(scene);

    let text = Value::from(rows.clone()).to_string();
    assert!(rows.len() > 3 && !text.contains("canary") && !text.contains("hash-") && !text.contains("10.0.0.7"));
}

#[test]
fn a_value_that_is_longer_than_what_is_kept_has_the_hash_of_all_of_it() {
    let long = "x".repeat(2 * LONGEST_VALUE);
    let mut scene = Scene::with(hashing(Some(key())));
    scene.request(METADATA, long.as_bytes());

    assert_eq!(scene.of_kind("api")[0]["client_id"], *key().hash("client_id", &long));
}

#[test]
fn what_is_to_be_hashed_from_now_on_is_in_the_next_window() {
    let mut scene = Scene::new();
    scene.request(METADATA, b"canary-client");
    scene.recorder.set(hashing(Some(key())));
    scene.swap();
    scene.answer(METADATA, 1);

    assert_eq!(scene.of_kind("api")[0]["client_id"], *key().hash("client_id", "canary-client"));
}
