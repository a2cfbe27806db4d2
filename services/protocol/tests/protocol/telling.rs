//! Requests and responses one by one: what they name and what they say.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kwitness_protocol::schema::api;
use kwitness_protocol::{Contents, Hidden, IdentityField, Limits, Side, Wishes};
use serde_json::{Map, Value as Json, json};

use crate::fuzzing::everything;
use crate::kafka::{VECTORS, Vector};
use crate::record_vectors::RECORDS;
use crate::transcript::{Conversation, Said, frame, request, response};

const LOOKED_INTO: [i16; 10] = [0, 1, 3, 8, 11, 19, 20, 33, 68, 78];
const ALTER_CONFIGS: i16 = 33;

/// What brokers fetch from one another is not told.
fn is_looked_into(vector: &Vector) -> bool {
    let replica = vector.json().get("replicaId").or(vector.json()["replicaState"].get("replicaId"));
    let is_clients = vector.key != 1 || replica.is_none_or(|id| id.as_i64().unwrap() < 0);
    LOOKED_INTO.contains(&vector.key) && is_clients
}

/// What is told of the vector's message when it comes in pieces of this size.
fn told(vector: &Vector, piece: usize) -> Contents {
    let mut conversation = Conversation::telling(Limits::default(), everything());
    let side = if vector.is_request {
        Side::Client
    } else {
        let correlation = i32::from_be_bytes(vector.frame[..4].try_into().unwrap());
        let is_flexible = api(vector.key).unwrap().request_header(vector.version) == Some(2);
        conversation.client(&request(vector.key, vector.version, correlation, is_flexible, &[]));
        Side::Broker
    };
    frame(&[&vector.frame]).chunks(piece).for_each(|bytes| conversation.feed(side, bytes, 0));
    let said = conversation.messages().into_iter().find(|said| said.side == side);
    said.unwrap_or_else(|| panic!("{vector}")).contents.clone().unwrap_or_else(|| panic!("{vector}"))
}

pub fn fields(contents: &Contents, name: Option<&str>) -> Json {
    let name = |_| name.map(|name| name.as_bytes().into());
    serde_json::from_str(&contents.fields.as_ref().unwrap().json(name)).unwrap()
}

/// As Kafka's converters write it: names begin with a small letter, and of records there is the length.
pub fn as_kafka_writes(fields: &Json) -> Json {
    match fields {
        Json::Object(fields) => {
            let converted = fields.iter().map(|(name, value)| {
                let small = name[..1].to_lowercase() + &name[1..];
                match value.get("records").and(value.get("bytes")) {
                    Some(bytes) => (format!("{small}SizeInBytes"), bytes.clone()),
                    None => (small, as_kafka_writes(value)),
                }
            });
            Json::Object(converted.collect())
        }
        Json::Array(elements) => elements.iter().map(as_kafka_writes).collect(),
        other => other.clone(),
    }
}

pub fn without(body: &Json, is_left_out: &impl Fn(&Map<String, Json>, &str) -> bool) -> Json {
    match body {
        Json::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !is_left_out(fields, name));
            kept.map(|(name, value)| (name.clone(), without(value, is_left_out))).collect()
        }
        Json::Array(elements) => elements.iter().map(|element| without(element, is_left_out)).collect(),
        other => other.clone(),
    }
}

#[test]
fn fields_are_what_kafka_says_is_in_a_message_but_for_records() {
    let mut compared = 0;
    for vector in VECTORS.iter().flatten().filter(|vector| is_looked_into(vector)) {
        let whole = told(vector, usize::MAX);
        for piece in [1, 7, 100] {
            assert_eq!(told(vector, piece), whole, "{vector} in pieces of {piece}");
        }
        // What a broker's configuration is is not told.
        let is_left_out =
            |_: &Map<String, Json>, name: &str| name == "unknownTags" || vector.key == ALTER_CONFIGS && name == "value";

        let fields = as_kafka_writes(&fields(&whole, None));

        assert_eq!(without(&fields, &is_left_out), without(vector.json(), &is_left_out), "{vector}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

/// Partition, bytes, records, error.
fn partitions(contents: &Contents) -> Vec<(i32, u64, Option<u64>, i16)> {
    contents.partitions.iter().map(|one| (one.partition, one.bytes, one.records, one.error)).collect()
}

#[test]
fn partitions_are_told_with_the_bytes_and_records_that_kafka_wrote_for_them() {
    let one = RECORDS.iter().find(|one| one.name == "format 2 none of 1").unwrap().bytes.len() as u64;
    let mut with_records = 0;
    for vector in VECTORS.iter().flatten().filter(|one| (one.key, one.is_request) == (0, true)) {
        let expected = vector.json()["topicData"].as_array().into_iter().flatten();
        // Kafka has no topic without a name, and none without an id.
        let is_possible = |topic: &&Json| topic["name"] != "" && topic["topicId"] != URL_SAFE_NO_PAD.encode([0; 16]);
        let expected = expected.filter(is_possible);
        let expected: Vec<_> = expected
            .flat_map(|topic| topic["partitionData"].as_array().into_iter().flatten())
            .map(|part| {
                let bytes = part["recordsSizeInBytes"].as_u64().unwrap_or(0);
                (i32::try_from(part["index"].as_i64().unwrap()).unwrap(), bytes, Some(bytes / one), 0)
            })
            .filter(|part| part.0 >= 0)
            .collect();
        with_records += expected.iter().filter(|part| part.1 > 0).count();

        assert_eq!(partitions(&told(vector, usize::MAX)), expected, "{vector}");
    }
    assert!(with_records > 20);
}

fn text(text: &str) -> Vec<u8> {
    [&i16::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
}

/// `AlterConfigs` version 0: one resource of this type with one entry.
fn alter_configs(kind: u8, resource: &str, name: &str, value: &str) -> Vec<u8> {
    let body = [&[0, 0, 0, 1, kind][..], &text(resource), &[0, 0, 0, 1], &text(name), &text(value), &[0]].concat();
    request(ALTER_CONFIGS, 0, 1, false, &body)
}

#[test]
fn the_configuration_of_anything_but_a_topic_is_not_told() {
    let configured = |kind, resource, value| {
        let mut conversation = Conversation::telling(Limits::default(), everything());
        conversation.client(&alter_configs(kind, resource, "some.name", value));
        let contents = conversation.messages()[0].contents.clone().unwrap();
        fields(&contents, None)["Resources"][0]["Configs"][0]["Value"].clone()
    };

    assert_eq!(configured(2, "orders", "compact"), json!("compact"));
    assert_eq!(configured(4, "1", "a password"), json!({"bytes": 10}));
}

/// `JoinGroup` version 0 of a member without protocols.
fn join_group(group: &str, member: &str) -> Vec<u8> {
    let body = [&text(group)[..], &[0, 0, 0x27, 0x10], &text(member), &text("consumer"), &[0; 4]].concat();
    request(11, 0, 1, false, &body)
}

#[test]
fn what_is_dropped_of_a_client_is_not_in_fields() {
    let dropped = [IdentityField::GroupId, IdentityField::GroupMemberId].into_iter().collect();
    let wishes = Arc::new(Wishes::new(dropped, Hidden::default()).with_fields_of("JoinGroup").unwrap());
    let mut conversation = Conversation::telling(Limits::default(), wishes);

    conversation.client(&join_group("readers", "me"));
    let answer =
        [&[0, 0, 0, 0, 0, 1][..], &text("range"), &text("me"), &text("me"), &[0, 0, 0, 1], &text("me"), &[0; 4]];
    conversation.broker(&response(1, &answer.concat()));

    let told: Vec<String> = conversation
        .messages()
        .iter()
        .map(|said| said.contents.as_ref().unwrap())
        .map(|contents| contents.fields.as_ref().unwrap().json(|_| None))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|json| !json.contains("readers") && !json.contains("\"me\"")), "{told:?}");
    assert!(told[1].contains("\"ProtocolName\":\"range\"") && told[1].contains("\"Leader\":null"), "{told:?}");
}

#[test]
fn a_topic_that_a_message_names_by_its_id_has_its_name_beside_once_it_is_known() {
    let id = [7; 16];
    let body = [&[0][..], &[0xff, 0xff], &[0, 0, 0x75, 0x30], &[2], &id, &[1], &[0], &[0]].concat();
    let mut conversation = Conversation::telling(Limits::default(), everything());
    conversation.client(&request(0, 13, 1, true, &body));
    let contents = conversation.messages()[0].contents.clone().unwrap();

    let before = fields(&contents, None)["TopicData"].clone();
    let after = fields(&contents, Some("orders"))["TopicData"].clone();

    assert_eq!(before, json!([{"TopicId": "BwcHBwcHBwcHBwcHBwcHBw", "PartitionData": []}]));
    assert_eq!(after, json!([{"TopicId": "BwcHBwcHBwcHBwcHBwcHBw", "Name": "orders", "PartitionData": []}]));
}

#[test]
fn what_is_too_long_is_left_out_and_the_row_says_so() {
    let topics: Vec<u8> = (0..2_000).flat_map(|number| text(&format!("{number:0>100}"))).collect();
    let body = [&2_000_i32.to_be_bytes()[..], &topics].concat();
    let mut conversation = Conversation::telling(Limits::default(), everything());

    conversation.client(&request(3, 0, 1, false, &body));

    let contents = conversation.messages()[0].contents.clone().unwrap();
    assert!(contents.is_truncated);
    assert_eq!(contents.fields, None);
}

#[test]
fn every_request_and_response_is_told_in_order_and_what_nobody_answers_says_so() {
    let mut conversation = Conversation::telling(Limits::default(), Arc::default());
    conversation.client(&crate::transcript::produce(1, 0));
    conversation.client(&request(16, 0, 2, false, &[]));
    conversation.feed(Side::Broker, &response(2, &[0, 29, 0, 0, 0, 0]), 5_000);

    let told: Vec<_> = conversation
        .messages()
        .into_iter()
        .map(|Said { side, exchange, opening, is_answered, error, took, contents, .. }| {
            let took = took.map(|took| took.0);
            (*side, *exchange, opening.key, *is_answered, *error, took, contents.is_some())
        })
        .collect();

    assert_eq!(
        told,
        [
            (Side::Client, 1, 0, false, 0, None, true),
            (Side::Client, 2, 16, true, 0, None, false),
            (Side::Broker, 2, 16, false, 29, Some(5_000), false),
        ]
    );
}

#[test]
fn fields_of_what_carries_secrets_cannot_be_wished_for() {
    for name in
        ["SaslAuthenticate", "SaslHandshake", "AlterUserScramCredentials", "CreateAcls", "CreateDelegationToken"]
    {
        assert_eq!(Wishes::default().with_fields_of(name), None, "{name}");
    }
}
