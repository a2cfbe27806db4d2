//! What clients call themselves, what topic ids stand for, what responses say of themselves.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kwitness_protocol::IdentityField::{self, *};
use kwitness_protocol::schema::{Api, api};
use kwitness_protocol::{Exchange, Limits, Unread};
use serde_json::Value as Json;

use crate::kafka::{VECTORS, Vector};
use crate::transcript::{Conversation, Told, frame, request, response};

const OFFSET_COMMIT: i16 = 8;
const OFFSET_FETCH: i16 = 9;
const CREATE_TOPICS: i16 = 19;
const DESCRIBE_TOPIC_PARTITIONS: i16 = 75;

/// The APIs whose requests name what the client is.
const NAMING: [i16; 16] = [8, 9, 11, 12, 14, 22, 24, 25, 26, 28, 68, 71, 72, 76, 79, 88];
const FIELDS: [(&str, IdentityField); 8] = [
    ("groupId", GroupId),
    ("groupInstanceId", GroupInstanceId),
    ("instanceId", GroupInstanceId),
    ("memberId", GroupMemberId),
    ("transactionalId", TransactionalId),
    ("v3AndBelowTransactionalId", TransactionalId),
    ("rackId", ClientRack),
    ("clientInstanceId", ClientInstanceId),
];

type Identities = BTreeSet<(IdentityField, Vec<u8>)>;

fn identities(body: &Json) -> Identities {
    let bytes = |field, text: &str| match field {
        ClientInstanceId => URL_SAFE_NO_PAD.decode(text).unwrap(),
        _ => text.as_bytes().to_vec(),
    };
    let groups = body["groups"].as_array().into_iter().flatten().map(|group| (GroupId, &group["groupId"]));
    let found = FIELDS.iter().map(|(name, field)| (*field, &body[*name])).chain(groups);
    found
        .filter_map(|(field, value)| Some((field, bytes(field, value.as_str()?))))
        .filter(|(_, value)| !value.is_empty() && **value != [0; 16])
        .collect()
}

/// Returns true if a group in a request is the client's own: members alone commit with a member's id or generation, and
/// no member reads the offsets of several groups.
fn is_of_a_member(vector: &Vector) -> bool {
    let body = vector.json();
    let number = |name: &str| body[name].as_i64().unwrap_or(-1);
    match vector.key {
        OFFSET_COMMIT => {
            let generation = number("generationId").max(number("generationIdOrMemberEpoch"));
            generation >= 0 || body["memberId"].as_str().is_some_and(|member| !member.is_empty())
        }
        OFFSET_FETCH => body["groups"].as_array().is_none_or(|groups| groups.len() == 1),
        _ => true,
    }
}

fn told(conversation: &Conversation) -> Identities {
    let identity = |told: &Told| {
        if let Told::Identity(field, value) = told { Some((*field, value.clone())) } else { None }
    };
    conversation.told.iter().filter_map(identity).collect()
}

#[test]
fn every_version_of_a_request_tells_the_names_in_it() {
    let mut count = 0;
    for vector in VECTORS.iter().flatten().filter(|one| one.is_request && NAMING.contains(&one.key)) {
        let mut conversation = Conversation::new();

        conversation.client(&frame(&[&vector.frame]));

        let mut expected = identities(vector.json());
        expected.retain(|(field, _)| *field != GroupId || is_of_a_member(vector));
        count += expected.len();
        assert_eq!(told(&conversation), expected, "{vector}");
        assert_eq!(conversation.unread(), [], "{vector}");
    }
    assert!(count > 300);
}

#[test]
fn a_name_is_told_again_only_when_it_changed() {
    let heartbeat = |group: &str| {
        let group = [&i16::try_from(group.len()).unwrap().to_be_bytes(), group.as_bytes()].concat();
        request(12, 0, 1, false, &[&group[..], &[0; 4], &[0, 1, b'm']].concat())
    };
    let mut conversation = Conversation::new();

    conversation.client(&[heartbeat("a"), heartbeat("a"), heartbeat("b"), heartbeat("a")].concat());

    let told: Vec<&Told> = conversation.told.iter().filter(|one| matches!(one, Told::Identity(GroupId, _))).collect();
    let group = |name: &[u8]| Told::Identity(GroupId, name.to_vec());
    assert_eq!(told, [&group(b"a"), &group(b"b"), &group(b"a")]);
}

#[test]
fn a_group_is_named_by_requests_of_members_alone() {
    let text = |text: &str| [&i16::try_from(text.len()).unwrap().to_be_bytes(), text.as_bytes()].concat();
    let commit = |generation: i32, member: &str| {
        let retention = (-1_i64).to_be_bytes();
        request(
            OFFSET_COMMIT,
            2,
            1,
            false,
            &[&text("g")[..], &generation.to_be_bytes(), &text(member), &retention, &[0; 4]].concat(),
        )
    };
    let fetch = |groups: &[&str]| {
        let of_group = |group: &&str| [&[u8::try_from(group.len()).unwrap() + 1], group.as_bytes(), &[0, 0]].concat(); // all topics
        let groups: Vec<_> = groups.iter().map(of_group).collect();
        request(
            OFFSET_FETCH,
            8,
            1,
            true,
            &[&[u8::try_from(groups.len()).unwrap() + 1][..], &groups.concat(), &[0, 0]].concat(),
        )
    };
    for (request, is_named) in [
        (commit(-1, ""), false),
        (commit(-1, "m"), true),
        (commit(0, ""), true),
        (fetch(&["g"]), true),
        (fetch(&["g", "h"]), false),
    ] {
        let mut conversation = Conversation::new();
        conversation.client(&request);

        assert_eq!(told(&conversation).iter().any(|(field, _)| *field == GroupId), is_named, "{request:?}");
        assert_eq!(conversation.unread(), []);
    }
}

/// A request that this response answers; it has nothing but its header.
fn request_for(vector: &Vector) -> Vec<u8> {
    let correlation = i32::from_be_bytes(vector.frame[..4].try_into().unwrap());
    let is_flexible = api(vector.key).unwrap().request_header(vector.version) == Some(2);
    request(vector.key, vector.version, correlation, is_flexible, &[])
}

/// The conversation from this response on, whose request could not be read beyond its header.
fn answered(vector: &Vector) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.client(&request_for(vector));
    conversation.told.clear();
    conversation.broker(&frame(&[&vector.frame]));
    conversation
}

fn responses() -> impl Iterator<Item = &'static Vector> {
    let tokens_follow = |one: &&Vector| (one.key, one.version) == (Api::SASL_HANDSHAKE, 0);
    VECTORS.iter().flatten().filter(move |one| !one.is_request && !tokens_follow(one))
}

#[test]
fn every_response_tells_its_own_error_code() {
    for vector in responses() {
        let conversation = answered(vector);

        let Some(Told::Exchange(Exchange { error, .. })) = conversation.last() else { panic!("{vector}") };
        let expected = vector.json()["errorCode"].as_i64().unwrap_or(0);
        assert_eq!(i64::from(*error), expected, "{vector}");
        assert_eq!(conversation.unread(), [], "{vector}");
    }
}

#[test]
fn names_of_topic_ids_are_told() {
    let mut count = 0;
    let naming = [Api::METADATA, CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS];
    for vector in responses().filter(|one| naming.contains(&one.key)) {
        let conversation = answered(vector);

        let name = |topic: &Json| {
            let id = URL_SAFE_NO_PAD.decode(topic["topicId"].as_str()?).unwrap().try_into().unwrap();
            let name = topic["name"].as_str()?;
            (!name.is_empty()).then(|| Told::TopicName(id, name.into()))
        };
        let expected: Vec<Told> = vector.json()["topics"].as_array().into_iter().flatten().filter_map(name).collect();
        let names: Vec<Told> =
            conversation.told.iter().filter(|one| matches!(one, Told::TopicName(..))).cloned().collect();
        count += names.len();
        assert_eq!(names, expected, "{vector}");
    }
    assert!(count > 20);
}

#[test]
fn a_broker_without_the_version_that_was_asked_answers_as_version_0() {
    let mut conversation = Conversation::new();

    conversation.client(&request(18, 4, 1, true, &[2, b'a', 2, b'1', 0]));
    conversation.broker(&response(1, &[0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 3]));

    let Some(Told::Exchange(exchange)) = conversation.last() else { panic!("no exchange") };
    assert_eq!((exchange.error, conversation.unread()), (35, vec![]));
}

#[test]
fn names_of_topic_ids_are_told_however_long_the_response_is_and_however_it_is_divided() {
    for key in [Api::METADATA, CREATE_TOPICS, DESCRIBE_TOPIC_PARTITIONS] {
        let names = |conversation: &Conversation| {
            let is_name = |one: &&Told| matches!(one, Told::TopicName(..) | Told::Unread(..));
            conversation.told.iter().filter(is_name).cloned().collect::<Vec<_>>()
        };
        for vector in responses().filter(|one| one.key == key) {
            let expected = names(&answered(vector));
            for size in [1, 7, 64, 100] {
                let mut conversation = Conversation::with(Limits { message: 300, ..Limits::default() });
                conversation.client(&request_for(vector));

                frame(&[&vector.frame]).chunks(size).for_each(|chunk| conversation.broker(chunk));

                assert_eq!(names(&conversation), expected, "{vector} in pieces of {size}");
            }
        }
    }
}

/// A topic of a Metadata response of version 12: no error, a name, an id, not internal, no partitions.
fn listed(name: &[u8], id: u8) -> Vec<u8> {
    let length = u16::try_from(name.len() + 1).unwrap();
    let length = [u8::try_from(length & 0x7f).unwrap() | 0x80, u8::try_from(length >> 7).unwrap()];
    [&[0; 2][..], &length, name, &[id; 16], &[0, 1], &[0; 4], &[0]].concat()
}

/// A Metadata response of version 12 that lists these, and has this at its end.
fn metadata(topics: &[Vec<u8>], end: &[u8]) -> Vec<u8> {
    let count = u8::try_from(topics.len() + 1).unwrap();
    response(1, &[&[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, count][..], &topics.concat(), end].concat())
}

#[test]
fn a_name_that_no_topic_can_have_is_not_told_and_those_after_it_are() {
    let long = vec![b'a'; 2_000];
    let mut conversation = Conversation::new();

    conversation.client(&request(Api::METADATA, 12, 1, true, &[]));
    conversation.told.clear();
    conversation
        .broker(&metadata(&[listed(&long, 1), listed(b"", 2), listed(b"orders", 0), listed(b"bills", 4)], &[0]));

    assert_eq!(conversation.told[0], Told::TopicName([4; 16], b"bills".to_vec()));
    assert!(matches!(conversation.told[1..], [Told::Exchange(_)]), "{:?}", conversation.told);
}

#[test]
fn a_list_of_topics_that_does_not_end_with_its_frame_is_malformed() {
    let topics = [listed(b"orders", 1)];
    for (answer, names) in [
        (metadata(&topics, &[]), 1),
        (metadata(&topics, &[0, 0]), 1),
        (metadata(&topics, &[1, 0, 9]), 1), // a tagged field beyond the frame
        (metadata(&[vec![0, 0, 0]], &[0]), 0),
        (response(1, &[0, 0, 0, 0, 0, 0]), 0), // no array of brokers
        (response(1, &[0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]), 0),
        (response(1, &[0, 0]), 0),
        (response(1, &[]), 0),
    ] {
        let mut conversation = Conversation::new();
        conversation.client(&request(Api::METADATA, 12, 1, true, &[]));
        conversation.told.clear();

        conversation.broker(&answer);
        conversation.client(&request(Api::METADATA, 12, 2, true, &[]));
        conversation.broker(&response(2, &[0; 6]));

        assert_eq!(conversation.told.iter().filter(|one| matches!(one, Told::TopicName(..))).count(), names);
        assert_eq!(conversation.unread(), [Unread::Malformed; 2], "{answer:?}");
    }
}
