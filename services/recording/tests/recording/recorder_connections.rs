//! What a recorder tells of connections themselves.

use kwitness_protocol::{Authenticated, Event, Exchange, Mechanism, Nanos, Opaque, PartitionExchange, PrincipalSource};
use kwitness_recording::{End, Unfollowed};
use serde_json::{Value, json};

use crate::scene::{API_VERSIONS, METADATA, ORDERS, PRODUCE, SASL_HANDSHAKE, Scene, records, written};

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
        throttle_ms: 0,
        waited: false,
        is_empty: false,
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
fn a_connection_that_is_given_up_says_so_at_its_end() {
    let Scene { mut recorder, names, mut client } = Scene::new();
    recorder.give_up(&mut client, Unfollowed::Panic);
    recorder.close(client, End::Client, 22_000);

    let rows = written(&recorder.swap(30_000), &names);

    let closed: Value = serde_json::from_slice(&rows[1].line).unwrap();
    assert_eq!((&closed["kind"], &closed["opaque"]), (&json!("closed"), &json!("panic")));
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
        fetched: None,
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
