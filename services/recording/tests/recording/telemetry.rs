//! Clients' telemetry (KIP-714) is answered as Kafka answers it, in the order of requests, and never reaches the broker.

use kwitness_observation::{Identity, IdentityKey};
use kwitness_protocol::schema::api;
use kwitness_protocol::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, Kept, PUSH_TELEMETRY};
use kwitness_protocol::{Reader, response_correlation};
use kwitness_recording::telemetry::answer;
use kwitness_reporting::telemetry::{Error, Manager, Settings, Subscriptions};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::contract_vectors::vectors;
use crate::json;
use crate::telemetry_requests::asked;

fn push(id: [u8; 16], subscription: i32, is_terminating: bool, compression: i8, metrics: &[u8]) -> Vec<u8> {
    assert!(metrics.len() < 0x3fff);
    let size = metrics.len() + 1;
    let low = u8::try_from(size & 0x7f).unwrap() | 0x80;
    let high = u8::try_from(size >> 7).unwrap();
    let flags = [u8::from(is_terminating), compression.cast_unsigned(), low, high];
    [&id[..], &subscription.to_be_bytes(), &flags, metrics].concat()
}

fn kept(bytes: &[u8]) -> Kept<'_> {
    Kept { bytes, length: bytes.len(), is_cut: false }
}

/// What a response says, which is whole.
fn read(key: i16, correlation: i32, bytes: &[u8]) -> Json {
    let (length, frame) = bytes.split_first_chunk().unwrap();
    assert_eq!(usize::try_from(i32::from_be_bytes(*length)).unwrap(), frame.len());
    let mut reader = Reader::new(frame);
    let header = api(key).unwrap().response_header(0).unwrap();
    assert_eq!(response_correlation(header, &mut reader), Ok(correlation));
    let message = json::message(api(key).unwrap().response(0).unwrap(), 0, &mut reader).unwrap();
    reader.end().unwrap();
    message
}

fn uuid(text: &str) -> [u8; 16] {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap().try_into().unwrap()
}

fn client(of: &Json) -> Identity {
    let text = |key: &str| of[key].as_str().map_or_else(|| of[key].to_string(), str::to_owned);
    [
        (IdentityKey::ClientSoftwareName, "software_name"),
        (IdentityKey::ClientSoftwareVersion, "software_version"),
        (IdentityKey::ClientAddress, "address"),
        (IdentityKey::ClientSourcePort, "port"),
    ]
    .into_iter()
    .fold(Identity::default(), |identity, (key, name)| identity.with(key, text(name).as_bytes()))
}

fn code(name: &str) -> i64 {
    Error::ALL.iter().find(|error| error.name() == name).unwrap().code().into()
}

/// Goes through a conversation as Kafka did.
fn converse(conversation: &Json, max_bytes: u32) {
    let settings = Settings { max_instances: 10, max_bytes };
    let mut manager = Manager::new(settings, Subscriptions::default());
    let (identity, client_id) =
        (client(&conversation["client"]), conversation["client"]["client_id"].as_str().unwrap());
    let mut ids = std::collections::HashMap::new();
    for step in conversation["steps"].as_array().unwrap() {
        let place = format!("{}: {step}", conversation["name"]);
        if let Some(subscriptions) = step.get("subscribe") {
            manager.subscribe(Subscriptions::parse(&subscriptions.to_string()).unwrap());
            continue;
        }
        let (at_ms, expected) = (step["at_ms"].as_u64().unwrap(), &step["answer"]);
        let error = code(expected["error"].as_str().unwrap());
        if let Some(id) = step["get"].as_str() {
            let request = asked(GET_TELEMETRY_SUBSCRIPTIONS, 7, client_id, &uuid(id));
            let got = answer(&mut manager, kept(&request), &identity, at_ms, || [9; 16]).unwrap();
            let got = read(GET_TELEMETRY_SUBSCRIPTIONS, 7, &got.response);
            assert_eq!(got["errorCode"], error, "{place}");
            assert_eq!(got["clientInstanceId"] == id, expected["is_of_same_instance"], "{place}");
            assert!(error != 0 || got["clientInstanceId"] != "AAAAAAAAAAAAAAAAAAAAAA", "{place}");
            for (name, kafkas) in [
                ("pushIntervalMs", "push_interval_ms"),
                ("telemetryMaxBytes", "telemetry_max_bytes"),
                ("deltaTemporality", "delta_temporality"),
                ("acceptedCompressionTypes", "accepted_compression_types"),
                ("requestedMetrics", "requested_metrics"),
            ] {
                assert_eq!(got[name], expected[kafkas], "{place}");
            }
            if let Some(id) = expected.get("subscription_id") {
                assert_eq!(got["subscriptionId"], *id, "{place}");
            }
            ids.insert(got["clientInstanceId"].as_str().unwrap().to_owned(), got["subscriptionId"].as_i64().unwrap());
        } else {
            let id = step["push"].as_str().unwrap();
            let other = i64::from(step["is_of_other_subscription"].as_bool().unwrap_or_default());
            let subscription = i32::try_from(ids.get(id).copied().unwrap_or_default() + other).unwrap();
            let metrics = vec![1; usize::try_from(step["bytes"].as_u64().unwrap()).unwrap()];
            let compression = i8::try_from(step["compression"].as_i64().unwrap()).unwrap();
            let is_terminating = step["is_terminating"].as_bool().unwrap_or_default();
            let body = push(uuid(id), subscription, is_terminating, compression, &metrics);
            let request = asked(PUSH_TELEMETRY, 7, client_id, &body);
            let got = answer(&mut manager, kept(&request), &identity, at_ms, || [9; 16]).unwrap();
            assert_eq!(read(PUSH_TELEMETRY, 7, &got.response)["errorCode"], error, "{place}");
            let taken = (error == 0 && !metrics.is_empty()).then_some(metrics.into_boxed_slice());
            assert_eq!(got.push.map(|push| push.metrics), taken, "{place}");
        }
    }
}

#[test]
fn requests_are_answered_as_kafka_answers_them() {
    let answers = vectors("telemetry_answers.json");
    let max_bytes = u32::try_from(answers["max_bytes"].as_u64().unwrap()).unwrap();
    let conversations = answers["conversations"].as_array().unwrap();

    for conversation in conversations {
        converse(conversation, max_bytes);
    }

    assert!(conversations.len() > 20);
}

/// A manager that knows no subscriptions, and what it answers to the client `c`.
fn answered(manager: &mut Manager, kept: Kept<'_>, at_ms: u64) -> (&'static str, bool, Vec<u8>) {
    let answer = answer(manager, kept, &Identity::default(), at_ms, || [0; 16]).unwrap();
    (answer.error.name(), answer.push.is_some(), answer.response)
}

#[test]
fn a_push_that_there_was_no_room_for_is_to_be_made_later_and_null_is_nothing() {
    let settings = Settings { max_instances: 10, max_bytes: 10_000 };
    let mut manager = Manager::new(settings, Subscriptions::default());
    let get = asked(GET_TELEMETRY_SUBSCRIPTIONS, 1, "c", &[5; 16]);
    let (_, _, response) = answered(&mut manager, kept(&get), 1_000_000);
    let id = read(GET_TELEMETRY_SUBSCRIPTIONS, 1, &response)["subscriptionId"].as_i64().unwrap();
    let id = i32::try_from(id).unwrap();
    let null = asked(PUSH_TELEMETRY, 1, "c", &[&[5; 16][..], &id.to_be_bytes(), &[0; 3]].concat());
    let long = asked(PUSH_TELEMETRY, 1, "c", &push([5; 16], id, false, 0, &[0; 5_000]));

    let (nothing, has_push, _) = answered(&mut manager, kept(&null), 2_000_000);
    assert_eq!((nothing, has_push), ("NONE", false));
    let cut = Kept { bytes: &long[..1_000], length: long.len(), is_cut: true };
    let (later, has_push, _) = answered(&mut manager, cut, 3_000_000);
    assert_eq!((later, has_push), ("THROTTLING_QUOTA_EXCEEDED", false));
    let (taken, has_push, _) = answered(&mut manager, kept(&long), 4_000_000);
    assert_eq!((taken, has_push), ("NONE", true));
}

proptest! {
    #[test]
    fn whatever_a_client_sends_is_read_or_refused(bytes in vec(any::<u8>(), 0..200), length in 0_usize..400) {
        let mut manager = Manager::new(Settings { max_instances: 2, max_bytes: 10 }, Subscriptions::default());
        for key in [GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY] {
            let request = [&key.to_be_bytes()[..], &[0, 0], &bytes].concat();
            let kept = Kept { bytes: &request, length: request.len().max(length), is_cut: false };
            let _ = answer(&mut manager, kept, &Identity::default(), 0, || [1; 16]);
        }
        prop_assert!(manager.instances() <= 2);
    }
}
