//! Requests and responses as records: which are told, who the client is, and what is said of those that are not.

use std::sync::Arc;

use kwitness_observation::{Identity, IdentityKey, IdentityKeys, IdentityPolicy};
use kwitness_protocol::{Connection, Limits, Nanos, Side};
use kwitness_recording::{
    Client, Recorder, RequestBudget, RequestSettings, Settings, Source, TopicNames, Writer, event_filter_without,
};
use serde_json::{Value, json};

use crate::contract_vectors::vectors;
use crate::record_vectors::RECORDS;
use crate::transcript::{request, response};

const PRODUCE: i16 = 0;
const METADATA: i16 = 3;
const LIST_GROUPS: i16 = 16;
const DELETE_GROUPS: i16 = 42;

/// One connection before a recorder that tells its requests.
struct Scene {
    recorder: Recorder,
    client: Client,
    connection: Connection,
    now_ms: u64,
}

impl Scene {
    fn new(most_per_second: u32, most_bytes: usize, identity: IdentityPolicy) -> Self {
        let filter = Arc::new(event_filter_without(&identity).with_fields_of("Produce").unwrap());
        let budget = RequestBudget { budget: Arc::default(), most_per_second, most_bytes };
        let requests = RequestSettings {
            wishes: filter,
            budget,
            administrative: RequestBudget::administrative(Arc::default(), 1),
        };
        let settings = Settings { identity, requests: Some(requests), ..Settings::of_at_most(100) };
        let mut recorder = Recorder::new(settings, Arc::new(TopicNames::new(100)), 21_234);
        let identity = Identity::default().with(IdentityKey::ClientAddress, b"10.0.0.7");
        let client = recorder.open(1, identity, false, 21_234);
        let mut connection = Connection::new(Limits::default());
        connection.tell_messages(recorder.wishes().cloned());
        Self { recorder, client, connection, now_ms: 22_000 }
    }

    fn feed(&mut self, side: Side, bytes: &[u8]) {
        let Self { recorder, client, connection, now_ms } = self;
        connection.feed(side, bytes, Nanos(*now_ms * 1_000_000), &mut |event| recorder.record(client, &event, *now_ms));
        self.now_ms += 1;
    }

    fn exchange(&mut self, key: i16, version: i16, correlation: i32, asked: &[u8], answered: &[u8]) {
        self.feed(Side::Client, &request(key, version, correlation, false, asked));
        self.feed(Side::Broker, &response(correlation, answered));
    }

    /// The records about requests, and the seal of these.
    fn records(mut self) -> Vec<Value> {
        let window = self.recorder.swap(30_000);
        let source = Source {
            name: "shop/gateway-0".into(),
            epoch_ms: 1_760_000_000_000,
            cluster_id: "cluster".into(),
            reported_by: "gateway".into(),
            observer_mode: "gateway".into(),
        };
        let mut records = Vec::new();
        Writer::new(source, 1).write(&window, &TopicNames::new(1), &mut |row| {
            let record: Value = serde_json::from_slice(&row.line).unwrap();
            records.push(json!({"topic": row.topic, "key": row.key, "record": record}));
            Ok(())
        });
        let is_about_requests = |one: &Value| one["topic"] == "requests" || one["record"]["topic"] == "requests";
        records.into_iter().filter(is_about_requests).collect()
    }
}

/// Version 7, to one partition of the topic `orders`.
fn produce(acks: i16) -> Vec<u8> {
    let records = &RECORDS.iter().find(|one| one.name == "format 2 none of 1").unwrap().bytes;
    let length = i32::try_from(records.len()).unwrap().to_be_bytes();
    let before = [&[0xff, 0xff][..], &acks.to_be_bytes(), &[0, 0, 0x75, 0x30], &[0, 0, 0, 1, 0, 6], b"orders"].concat();
    [&before[..], &[0, 0, 0, 1, 0, 0, 0, 2], &length, records].concat()
}

/// Not the leader.
fn refused() -> Vec<u8> {
    [&[0, 0, 0, 1, 0, 6][..], b"orders", &[0, 0, 0, 1, 0, 0, 0, 2, 0, 6], &[0xff; 24], &[0; 4]].concat()
}

#[test]
fn records_of_requests_are_those_of_the_contracts() {
    let mut scene = Scene::new(5, 1 << 20, IdentityPolicy::default());
    scene.exchange(PRODUCE, 7, 1, &produce(-1), &refused());
    scene.exchange(LIST_GROUPS, 0, 2, &[], &[0; 6]);
    scene.feed(Side::Client, &request(PRODUCE, 7, 3, false, &produce(0)));
    scene.exchange(METADATA, 0, 4, &[0; 4], &[0; 8]); // one too many for the second

    assert_eq!(Value::from(scene.records()), vectors("request_records.json")["records"]);
}

#[test]
fn what_has_no_room_in_a_window_is_left_out_and_counted() {
    let mut scene = Scene::new(1_000, 3_000, IdentityPolicy::default());
    (0..10).for_each(|number| scene.exchange(LIST_GROUPS, 0, number, &[], &[0; 6]));

    let mut records = scene.records();

    let seal = records.pop().unwrap();
    assert_eq!((records.len(), &seal["record"]["count"]), (5, &json!(5)));
    assert_eq!(seal["record"]["dropped"], json!({"window_full": 15}));
}

#[test]
fn what_is_dropped_of_a_client_is_in_no_request() {
    let dropped = [IdentityKey::ClientId, IdentityKey::ClientAddress].into_iter().collect();
    let mut scene = Scene::new(1_000, 1 << 20, IdentityPolicy::new(dropped, IdentityKeys::default(), None));
    scene.exchange(LIST_GROUPS, 0, 1, &[], &[0; 6]);

    let records = scene.records();

    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|one| one["record"].get("client_id").or(one["record"].get("client_address")).is_none()));
}

#[test]
fn a_response_whose_request_came_before_it_was_wanted_is_not_told() {
    let mut scene = Scene::new(1_000, 1 << 20, IdentityPolicy::default());
    scene.connection.tell_messages(None);
    scene.feed(Side::Client, &request(LIST_GROUPS, 0, 1, false, &[]));
    scene.connection.tell_messages(scene.recorder.wishes().cloned());
    scene.feed(Side::Broker, &response(1, &[0; 6]));
    scene.exchange(LIST_GROUPS, 0, 2, &[], &[0; 6]);

    let correlations: Vec<_> = scene
        .records()
        .iter()
        .map(|one| one["record"]["correlation_id"].clone())
        .filter(|one| !one.is_null())
        .collect();

    assert_eq!(correlations, [json!(2), json!(2)]);
}

/// The only group, which is not empty.
fn delete_group(scene: &mut Scene, correlation: i32) {
    let answer = [&[0; 4][..], &[0, 0, 0, 1, 0, 7], b"readers", &[0, 68]].concat();
    scene.exchange(DELETE_GROUPS, 0, correlation, b"\0\0\0\x01\0\x07readers", &answer);
}

/// How many records there are of an API, and what was left out.
fn written(scene: Scene, api: &str) -> (usize, Value) {
    let mut records = scene.records();
    let dropped = records.pop().unwrap()["record"]["dropped"].clone();
    (records.iter().filter(|row| row["record"]["api"] == api).count(), dropped)
}

#[test]
fn an_administrative_request_is_recorded_with_fields_and_errors_after_others_have_used_up_their_budget() {
    let mut scene = Scene::new(2, 1_000, IdentityPolicy::default());
    (0..10).for_each(|number| scene.exchange(LIST_GROUPS, 0, number, &[], &[0; 6]));
    delete_group(&mut scene, 10);

    let records = scene.records();

    let rows: Vec<_> = records.iter().filter(|row| row["record"]["api"] == "DeleteGroups").collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["record"]["fields"], json!({"GroupsNames": ["readers"]}));
    assert_eq!(rows[1]["record"]["fields"], json!({"Results": [{"GroupId": "readers", "ErrorCode": 68}]}));
    assert_eq!(rows[1]["record"]["errors"], json!({"68": 1}));
    let dropped = &records.last().unwrap()["record"]["dropped"];
    assert!(dropped["administrative_limit"].is_null() && dropped["events_limit"].as_u64() > Some(0), "{dropped}");
}

#[test]
fn administrative_requests_beyond_their_budget_of_a_second_are_counted_and_leave_others_theirs() {
    let mut scene = Scene::new(1_000, 1 << 20, IdentityPolicy::default());
    for number in 0..600 {
        delete_group(&mut scene, number);
        scene.now_ms = 22_000;
    }
    scene.exchange(LIST_GROUPS, 0, 600, &[], &[0; 6]);

    assert_eq!(written(scene, "DeleteGroups"), (1_000, json!({"administrative_limit": 200})));
}

#[test]
fn administrative_requests_beyond_their_budget_of_a_window_are_counted() {
    let groups: Vec<u8> = (0..1_000).flat_map(|number| format!("\0\x20{number:0>32}").into_bytes()).collect();
    let body = [&1_000_i32.to_be_bytes()[..], &groups].concat();
    let mut scene = Scene::new(1_000, 1 << 20, IdentityPolicy::default());
    for number in 0..200 {
        scene.exchange(DELETE_GROUPS, 0, number, &body, &[0; 8]);
    }
    scene.exchange(LIST_GROUPS, 0, 200, &[], &[0; 6]);

    let (written, dropped) = written(scene, "DeleteGroups");

    assert!((100..300).contains(&written), "{written}");
    assert_eq!(dropped, json!({"administrative_limit": 400 - written}));
}
