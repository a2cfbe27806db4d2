//! Clients' telemetry (KIP-714) is answered in the order of requests, and never reaches the broker.

use std::sync::Arc;

use kwitness_protocol::schema::Api;
use kwitness_protocol::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY};
use kwitness_protocol::{Broken, Limits, Opaque, Reader, Rewriter, Room, Telemetry, response_correlation};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::division::cut;
use crate::json;
use crate::kafka::VECTORS;
use crate::telemetry_relay::Relay;
use crate::telemetry_requests::asked;
use crate::transcript::{frame, response};

const LIST_GROUPS: i16 = 16;

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
