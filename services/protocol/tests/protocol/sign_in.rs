//! Leaves telemetry to the broker until it has let the client in, where clients authenticate by SASL.

use std::sync::Arc;

use kwitness_protocol::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY};
use kwitness_protocol::{Room, Telemetry};

use crate::telemetry_relay::Relay;
use crate::telemetry_requests::asked;
use crate::transcript::{frame, response};

const VERSIONS: i16 = 18;
const HANDSHAKE: i16 = 17;
const AUTHENTICATE: i16 = 36;
const METADATA: i16 = 3;
/// Offers of version 0: `ApiVersions` alone.
const OFFERED: &[u8] = &[0, 0, 0, 0, 0, 1, 0, 18, 0, 0, 0, 3];
const NOT_NOW: &[u8] = &[0, 34, 0, 0, 0, 0];

/// A connection with a listener of SASL whose client has asked for versions.
fn listener() -> Relay {
    let mut relay =
        Relay::from_telemetry(Telemetry { max_bytes: 10_000, room: Arc::new(Room::new(0)), needs_sign_in: true });
    exchange(&mut relay, VERSIONS, 0, OFFERED);
    relay
}

fn exchange(relay: &mut Relay, key: i16, version: i16, answer: &[u8]) {
    let header: &[u8] = if key == AUTHENTICATE && version == 2 { &[0xff, 0xff, 0] } else { &[0xff, 0xff] };
    relay.ask(&frame(&[&key.to_be_bytes(), &version.to_be_bytes(), &1_i32.to_be_bytes(), header])).unwrap();
    relay.answer(&response(1, answer)).unwrap();
}

/// Sends both requests of telemetry, which are answered here or go to the broker.
fn is_answered(mut relay: Relay) -> bool {
    relay.broker.clear();
    for key in [GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY] {
        relay.ask(&frame(&[&asked(key, 2, "c", &[])])).unwrap();
    }
    assert!(matches!((relay.asked, relay.broker.is_empty()), (2, true) | (0, false)));
    relay.asked == 2
}

/// A response to `SaslAuthenticate` without an error.
fn token(version: i16, message: bool, token: &[u8]) -> Vec<u8> {
    let length = u32::try_from(token.len()).unwrap();
    let start: &[&[u8]] = match (version, message) {
        (2, false) => &[&[0, 0, 0, 0], &[u8::try_from(length + 1).unwrap()]],
        (2, true) => &[&[0, 0, 0, 1], &[u8::try_from(length + 1).unwrap()]],
        (_, false) => &[&[0, 0, 0xff, 0xff], &length.to_be_bytes()],
        (_, true) => &[&[0, 0, 0, 0], &length.to_be_bytes()],
    };
    [&start.concat()[..], token, &[0; 9]].concat()
}

#[test]
fn telemetry_before_authentication_goes_to_the_broker() {
    assert!(!is_answered(listener()));
    let mut begun = listener();
    exchange(&mut begun, HANDSHAKE, 1, &[0, 0, 0, 0, 0, 0]);
    assert!(!is_answered(begun));
}

#[test]
fn the_last_token_of_a_mechanism_lets_the_client_in_and_no_other_does() {
    let last: [&[u8]; 2] = [b"", b"v=rmF9pqV8S7suAoZWja4dJRkFsKQ="];
    let others: [&[u8]; 3] =
        [b"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR", b"{\"status\":\"invalid_token\"}", b"v"];
    for version in [0, 1, 2] {
        for message in [false, true] {
            for (tokens, expected) in [(&last[..], true), (&others[..], false)] {
                for bytes in tokens {
                    let mut relay = listener();
                    exchange(&mut relay, HANDSHAKE, 1, &[0, 0, 0, 0, 0, 0]);
                    exchange(&mut relay, AUTHENTICATE, version, &token(version, message, bytes));
                    assert_eq!(is_answered(relay), expected, "{version} {message} {bytes:?}");
                }
            }
        }
    }
}

#[test]
fn a_refused_authentication_lets_nobody_in() {
    let refused: [(i16, &[u8]); 2] = [(1, &[0, 58, 0xff, 0xff, 0, 0, 0, 0, 0, 0]), (2, &[0, 0, 58, 0, 1, 0])];
    for (version, answer) in refused {
        let mut relay = listener();
        exchange(&mut relay, HANDSHAKE, 1, &[0, 0, 0, 0, 0, 0]);
        exchange(&mut relay, AUTHENTICATE, version, answer);
        assert!(!is_answered(relay));
    }
}

#[test]
fn an_answer_that_comes_only_after_authentication_lets_the_client_in() {
    let mut other = listener();
    exchange(&mut other, METADATA, 0, &[0; 8]);
    assert!(is_answered(other));

    for (answer, expected) in [(OFFERED, true), (NOT_NOW, false)] {
        let mut relay = listener();
        exchange(&mut relay, HANDSHAKE, 1, &[0, 0, 0, 0, 0, 0]);
        exchange(&mut relay, VERSIONS, 0, answer);
        assert_eq!(is_answered(relay), expected);
    }
}
