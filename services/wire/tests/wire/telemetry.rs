//! Clients' telemetry (KIP-714) is answered as Kafka answers it, in the order of requests, and never reaches the broker.

use std::sync::Arc;

use kwitness_wire::aggregate::{Identity, IdentityKey};
use kwitness_wire::schema::{Api, api};
use kwitness_wire::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, Kept, Manager, PUSH_TELEMETRY, Settings, Subscriptions};
use kwitness_wire::{Broken, Limits, Opaque, Reader, Rewriter, Room, Telemetry, response_correlation};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::contracts::vectors;
use crate::json;
use crate::kafka::VECTORS;
use crate::streams::cut;
use crate::telemetry_relay::Relay;
use crate::transcript::{frame, response};

const LIST_GROUPS: i16 = 16;

/// A request of telemetry, without its length.
pub(crate) fn asked(key: i16, correlation: i32, client_id: &str, body: &[u8]) -> Vec<u8> {
    let length = i16::try_from(client_id.len()).unwrap().to_be_bytes();
    let header = [&key.to_be_bytes()[..], &[0, 0], &correlation.to_be_bytes(), &length, client_id.as_bytes(), &[0]];
    [&header.concat()[..], body, &[0]].concat()
}

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
    kwitness_wire::telemetry::Error::ALL.iter().find(|error| error.name() == name).unwrap().code().into()
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
        let (at_ms, answer) = (step["at_ms"].as_u64().unwrap(), &step["answer"]);
        let error = code(answer["error"].as_str().unwrap());
        if let Some(id) = step["get"].as_str() {
            let request = asked(GET_TELEMETRY_SUBSCRIPTIONS, 7, client_id, &uuid(id));
            let got = manager.answer(kept(&request), &identity, at_ms, || [9; 16]).unwrap();
            let got = read(GET_TELEMETRY_SUBSCRIPTIONS, 7, &got.response);
            assert_eq!(got["errorCode"], error, "{place}");
            assert_eq!(got["clientInstanceId"] == id, answer["is_of_same_instance"], "{place}");
            assert!(error != 0 || got["clientInstanceId"] != "AAAAAAAAAAAAAAAAAAAAAA", "{place}");
            for (name, kafkas) in [
                ("pushIntervalMs", "push_interval_ms"),
                ("telemetryMaxBytes", "telemetry_max_bytes"),
                ("deltaTemporality", "delta_temporality"),
                ("acceptedCompressionTypes", "accepted_compression_types"),
                ("requestedMetrics", "requested_metrics"),
            ] {
                assert_eq!(got[name], answer[kafkas], "{place}");
            }
            if let Some(id) = answer.get("subscription_id") {
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
            let got = manager.answer(kept(&request), &identity, at_ms, || [9; 16]).unwrap();
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
    let answer = manager.answer(kept, &Identity::default(), at_ms, || [0; 16]).unwrap();
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

fn list_groups(correlation: i32) -> Vec<u8> {
    frame(&[&LIST_GROUPS.to_be_bytes(), &[0, 0], &correlation.to_be_bytes(), &[0xff, 0xff]])
}

fn correlations(mut bytes: &[u8]) -> Vec<i32> {
    let mut found = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let (one, rest) = rest.split_at(usize::try_from(i32::from_be_bytes(*length)).unwrap());
        found.push(i32::from_be_bytes(*one.first_chunk().unwrap()));
        bytes = rest;
    }
    found
}

#[test]
fn clients_are_offered_both_apis_in_version_0_and_everything_else_as_the_broker_does() {
    let offers = VECTORS.iter().flatten().filter(|vector| !vector.is_request && vector.key == Api::API_VERSIONS);
    let mut offered = 0;
    for vector in offers {
        let correlation = i32::from_be_bytes(vector.frame[..4].try_into().unwrap());
        let mut relay = Relay::new(0);
        let version = vector.version.to_be_bytes();
        relay.ask(&frame(&[&[0, 18], &version, &correlation.to_be_bytes(), &[0xff, 0xff]])).unwrap();

        // Those of the vectors are made up, and offer nothing where there is an error.
        let mut answer = vector.frame.clone();
        answer[4..6].fill(0);
        relay.answer(&frame(&[&answer])).unwrap();

        let mut expected = vector.json().clone();
        expected["errorCode"] = 0.into();
        let mut reader = Reader::new(&relay.client[4..]);
        response_correlation(0, &mut reader).unwrap();
        let mut got = json::message(vector.layout(), vector.version, &mut reader).unwrap();
        reader.end().unwrap();
        let is_ours = |one: &Json| one["apiKey"] == 71 || one["apiKey"] == 72;
        let all = got["apiKeys"].as_array_mut().unwrap();
        let ours: Vec<_> = all.extract_if(.., |one| is_ours(one)).collect();
        let versions =
            ours.iter().map(|one| (one["apiKey"].as_i64(), one["minVersion"].as_i64(), one["maxVersion"].as_i64()));
        assert_eq!(
            versions.collect::<Vec<_>>(),
            [(Some(71), Some(0), Some(0)), (Some(72), Some(0), Some(0))],
            "{vector}"
        );
        expected["apiKeys"].as_array_mut().unwrap().retain(|one| !is_ours(one));
        assert_eq!(got, expected, "{vector}");
        offered += 1;
    }
    assert!(offered > 10, "{offered}");
}

#[test]
fn who_has_to_ask_in_another_version_is_offered_nothing_yet() {
    let mut relay = Relay::new(0);
    relay.ask(&frame(&[&[0, 18, 0, 9], &1_i32.to_be_bytes(), &[0xff, 0xff]])).unwrap();
    let other_version = response(1, &[0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 4]);

    relay.answer(&other_version).unwrap();

    assert_eq!(relay.client, other_version);
}

#[test]
fn an_offer_that_cannot_be_read_passes_as_it_is_and_is_counted() {
    let mut relay = Relay::new(0);
    relay.ask(&frame(&[&[0, 18, 0, 0], &1_i32.to_be_bytes(), &[0xff, 0xff]])).unwrap();
    let unreadable = response(1, &[0, 0, 0, 0, 0, 9, 1]);

    relay.answer(&unreadable).unwrap();
    relay.ask(&frame(&[&asked(PUSH_TELEMETRY, 2, "c", &[])])).unwrap();

    assert_eq!((relay.client, relay.rewriter.unread(), relay.asked), (unreadable, 1, 0));
}

#[test]
fn what_is_not_kafkas_passes_as_it_is() {
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x16\x03\x01\x02\x00\x01\x00\x01", b"hi\n"] {
        let mut relay = Relay::new(0);
        for byte in bytes {
            relay.ask(&[*byte]).unwrap();
        }
        relay.answer(b"hello, who is there?").unwrap();

        assert_eq!((relay.broker, relay.client), (bytes.to_vec(), b"hello, who is there?".to_vec()));
    }
}

#[test]
fn more_answers_than_a_client_can_wait_for_end_its_connection() {
    let mut relay = Relay::announced(0);
    relay.ask(&list_groups(2)).unwrap();
    let get = frame(&[&asked(GET_TELEMETRY_SUBSCRIPTIONS, 3, "c", &[0; 16])]);

    let taken = (0..1_000).take_while(|_| relay.ask(&get).is_ok()).count();

    assert_eq!(taken, 64);
    assert_eq!(relay.ask(&get), Err(Broken::Opaque(Opaque::InFlight)));
}

#[test]
fn of_a_push_without_room_or_beyond_the_limit_little_is_kept() {
    let large = |bytes| frame(&[&asked(PUSH_TELEMETRY, 2, "c", &vec![0; bytes])]);
    for (room, bytes, is_cut) in [(0, 5_000, 1), (4_000, 5_000, 1), (1 << 20, 5_000, 0), (1 << 20, 1 << 20, 1)] {
        let mut relay = Relay::announced(room);
        large(bytes).chunks(700).for_each(|piece| relay.ask(piece).unwrap());

        let (kept, last) = (&relay.client[8..12], relay.client[12]);
        assert_eq!(last, is_cut, "{room} {bytes}");
        let kept = u32::from_be_bytes(kept.try_into().unwrap());
        assert!(if is_cut == 1 { kept <= 1_024 } else { kept > 5_000 }, "{kept}");
        assert!(relay.broker.is_empty());
    }
}

#[test]
fn room_is_given_back_when_a_push_is_whole_or_its_client_is_gone() {
    let request = frame(&[&asked(PUSH_TELEMETRY, 2, "c", &vec![0; 5_000])]);
    let room = Arc::new(Room::new(6_000));
    for _ in 0..3 {
        let telemetry = Telemetry { max_bytes: 10_000, room: Arc::clone(&room), needs_sign_in: false };
        let mut relay = Relay::announced(0);
        relay.rewriter = Rewriter::new(Limits::default()).keeping_addresses().taking(telemetry);
        relay.ask(&frame(&[&[0, 18, 0, 0], &1_i32.to_be_bytes(), &[0xff, 0xff]])).unwrap();
        relay.answer(&response(1, &[0, 0, 0, 0, 0, 0])).unwrap();
        relay.client.clear();
        relay.ask(&request).unwrap();
        assert_eq!(relay.client[12], 0, "there was room for it");
        relay.ask(&request[..4_000]).unwrap();
    }
}

/// Which requests a client sends, each as whether it is of telemetry.
fn requests() -> impl Strategy<Value = Vec<bool>> {
    vec(any::<bool>(), 1..20)
}

proptest! {
    #[test]
    fn answers_come_in_the_order_of_requests_and_the_broker_sees_its_own(
        kinds in requests(),
        of_client in vec(any::<prop::sample::Index>(), 0..30),
        of_broker in vec(any::<prop::sample::Index>(), 0..30),
        mut turns in vec(any::<bool>(), 0..60),
    ) {
        let numbered = || (2..).zip(&kinds);
        let request = |(correlation, is_ours): (i32, &bool)| match is_ours {
            true => frame(&[&asked(GET_TELEMETRY_SUBSCRIPTIONS, correlation, "client", &[0; 16])]),
            false => list_groups(correlation),
        };
        let sent: Vec<u8> = numbered().flat_map(request).collect();
        let own: Vec<u8> = numbered().filter(|(_, is_ours)| !**is_ours).flat_map(request).collect();
        let answers: Vec<u8> =
            numbered().filter(|(_, is_ours)| !**is_ours).flat_map(|(number, _)| response(number, &[7; 9])).collect();
        let mut relay = Relay::announced(1 << 20);
        let mut client = cut(&sent, &of_client).into_iter();
        let mut broker = cut(&answers, &of_broker).into_iter().peekable();
        let mut answered = 0;
        // A broker answers what it has, so not before it came.
        loop {
            let is_client = turns.pop().unwrap_or(true);
            let may_answer = |next: &&[u8], relay: &Relay| {
                let whole = correlations_of_whole(&relay.broker);
                answered + next.len() <= whole * 17
            };
            if !is_client && broker.peek().is_some_and(|next| may_answer(next, &relay)) {
                let piece = broker.next().unwrap();
                answered += piece.len();
                relay.answer(piece).unwrap();
            } else if let Some(piece) = client.next() {
                relay.ask(piece).unwrap();
            } else {
                break;
            }
        }
        broker.for_each(|piece| relay.answer(piece).unwrap());

        prop_assert_eq!(&relay.broker, &own);
        prop_assert_eq!(correlations(&relay.client), numbered().map(|(number, _)| number).collect::<Vec<_>>());
        prop_assert!(!relay.rewriter.awaits_answer());
    }

    #[test]
    fn whatever_a_client_sends_is_read_or_refused(bytes in vec(any::<u8>(), 0..200), length in 0_usize..400) {
        let mut manager = Manager::new(Settings { max_instances: 2, max_bytes: 10 }, Subscriptions::default());
        for key in [GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY] {
            let request = [&key.to_be_bytes()[..], &[0, 0], &bytes].concat();
            let kept = Kept { bytes: &request, length: request.len().max(length), is_cut: false };
            let _ = manager.answer(kept, &Identity::default(), 0, || [1; 16]);
        }
        prop_assert!(manager.instances() <= 2);
    }
}

/// How many requests are whole; each is answered by 17 bytes.
fn correlations_of_whole(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let Some((_, rest)) = rest.split_at_checked(usize::try_from(i32::from_be_bytes(*length)).unwrap()) else {
            break;
        };
        (count, bytes) = (count + 1, rest);
    }
    count
}
