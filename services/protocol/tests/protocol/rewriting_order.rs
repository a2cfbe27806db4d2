//! Which request a response answers, and what ends a connection.

use kwitness_protocol::schema::Api;
use kwitness_protocol::{Broken, Fault, Limits, Opaque, Rewriter};

use crate::rewriting_relay::{Even, HEARTBEAT, Relay};
use crate::transcript::{frame, request, response};

#[test]
fn a_response_with_endpoints_that_cannot_be_read_ends_the_connection() {
    let fetch = request(Api::FETCH, 16, 1, true, &[]);
    let malformed = |fault| Broken::Malformed { key: Api::FETCH, version: 16, fault };
    let cases: [(&[u8], Fault); 5] = [
        (&[], Fault::BeyondFrame),
        (&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0], Fault::BeyondFrame),
        (&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0], Fault::Trailing),
        (&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 9], Fault::BeyondFrame),
        (&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f], Fault::Varint),
    ];
    for (body, fault) in cases {
        let mut relay = Relay::asked(&fetch);

        assert_eq!(relay.answered(&response(1, body)), Err(malformed(fault)), "{body:?}");
    }
    let mut relay = Relay::asked(&request(Api::FETCH, 19, 1, true, &[]));
    let unknown = Broken::UnknownVersion { key: Api::FETCH, version: 19 };
    assert_eq!(relay.answered(&response(1, &[])), Err(unknown));
}

#[test]
fn a_response_that_may_have_addresses_and_cannot_be_read_ends_the_connection() {
    let metadata = request(Api::METADATA, 1, 1, false, &[]);
    let long =
        [&[0, 0, 0, 1, 0, 0, 0, 1, 0, 100][..], &[b'h'; 100], &[0; 4], &[0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    let malformed = |fault| Broken::Malformed { key: Api::METADATA, version: 1, fault };
    let cases = [
        (metadata.clone(), response(1, &[0, 0, 0, 9]), malformed(Fault::BeyondFrame)),
        (metadata.clone(), response(1, &[0; 16]), malformed(Fault::Trailing)),
        (metadata.clone(), response(1, &long), Broken::TooLong { key: Api::METADATA, version: 1, bytes: 128 }),
        (
            metadata.clone(),
            vec![0x7f, 0, 0, 0, 0, 0, 0, 1],
            Broken::TooLong { key: Api::METADATA, version: 1, bytes: 0x7f00_0000 },
        ),
        (metadata.clone(), response(2, &[]), Broken::Opaque(Opaque::Correlation)),
        (metadata.clone(), vec![0xff; 8], Broken::Opaque(Opaque::FrameLength)),
        (metadata, frame(&[&[0; 3]]), Broken::Opaque(Opaque::ShortResponse)),
        (
            request(Api::METADATA, 14, 1, true, &[]),
            response(1, &[]),
            Broken::UnknownVersion { key: Api::METADATA, version: 14 },
        ),
    ];
    for (asked, answer, expected) in cases {
        let mut relay = Relay::with(Limits { held: 120, ..Limits::default() }, Even::new());
        relay.rewriter.asked(&asked).unwrap();

        let broken = relay.answered(&[answer, response(1, &[0; 12])].concat());

        assert_eq!(broken, Err(expected));
        assert!(!expected.may_pass_untouched());
        assert_eq!(relay.answered(&response(1, &[0; 12])), Err(expected));
        assert_eq!(relay.rewriter.asked(&asked), Err(expected));
        assert!(relay.got.is_empty());
    }
}

#[test]
fn null_instead_of_brokers_ends_the_connection() {
    let metadata = request(Api::METADATA, 9, 1, true, &[]);
    let mut relay = Relay::asked(&metadata);

    let broken = relay.answered(&response(1, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]));

    assert_eq!(broken, Err(Broken::Malformed { key: Api::METADATA, version: 9, fault: Fault::Null }));
}

/// A Metadata response of version 0 with one broker, and none of topics.
fn one_broker(correlation: i32) -> Vec<u8> {
    let broker = [&2_i32.to_be_bytes()[..], &[0, 2], b"b2", &9092_i32.to_be_bytes()].concat();
    response(correlation, &[&[0, 0, 0, 1][..], &broker, &[0; 4]].concat())
}

#[test]
fn ids_that_are_used_again_belong_to_requests_in_their_order() {
    let metadata = request(Api::METADATA, 0, 5, false, &[0; 4]);
    let mut relay = Relay::asked(&[request(HEARTBEAT, 0, 5, false, &[]), metadata.clone()].concat());
    let heartbeat = response(5, &[7; 30]);

    relay.answered(&[heartbeat.clone(), one_broker(5)].concat()).unwrap();
    relay.rewriter.asked(&metadata).unwrap();
    relay.answered(&one_broker(5)).unwrap();

    assert!(relay.got.starts_with(&heartbeat));
    assert_eq!(relay.got.windows(15).filter(|part| part == b"gateway.example").count(), 2);
    assert!(!relay.got.windows(2).any(|part| part == b"b2"));
}

#[test]
fn a_response_does_not_pass_as_that_of_a_request_which_may_have_none() {
    // Whether it wants an answer stands behind more than is kept.
    let long = [&i16::MAX.to_be_bytes()[..], &vec![b't'; 0x7fff], &[0, 0], &[0; 8]].concat();
    let asked = [request(Api::PRODUCE, 7, 5, false, &long), request(Api::METADATA, 0, 5, false, &[0; 4])].concat();
    let mut relay = Relay::asked(&asked);

    let broken = relay.answered(&one_broker(5));

    assert_eq!((broken, relay.got), (Err(Broken::Opaque(Opaque::Correlation)), vec![]));
}

#[test]
fn responses_out_of_order_end_the_connection() {
    let mut relay =
        Relay::asked(&[request(HEARTBEAT, 0, 1, false, &[]), request(Api::METADATA, 0, 2, false, &[0; 4])].concat());

    assert_eq!(relay.answered(&one_broker(2)), Err(Broken::Opaque(Opaque::Correlation)));
}

#[test]
fn a_request_in_place_of_a_token_is_answered_as_one() {
    let handshake = request(Api::SASL_HANDSHAKE, 0, 1, false, b"\0\x05PLAIN");
    let mut relay = Relay::asked(&handshake);
    relay.answered(&response(1, &[0; 6])).unwrap();
    relay.got.clear();

    relay.rewriter.asked(&request(Api::METADATA, 0, 5, false, &[0; 4])).unwrap();
    relay.answered(&one_broker(5)).unwrap();

    assert!(relay.got.windows(15).any(|part| part == b"gateway.example"));
}

#[test]
fn what_is_not_kafka_may_pass_untouched() {
    for (bytes, reason) in [(&[0x16, 3, 1, 2, 0, 1][..], Opaque::Tls), (b"GET / HTTP/1.1", Opaque::NotKafka)] {
        let mut rewriter = Rewriter::new(Limits::default());

        let broken = rewriter.asked(bytes);

        assert_eq!(broken, Err(Broken::Opaque(reason)));
        assert!(broken.unwrap_err().may_pass_untouched());
    }
}

/// What one side sends, one after the other.
type Tokens<'a> = &'a [&'a [u8]];

#[test]
fn tokens_without_headers_pass_until_the_first_request_that_follows() {
    let handshake = request(Api::SASL_HANDSHAKE, 0, 1, false, &[0, 5, b'P', b'L', b'A', b'I', b'N']);
    let conversations: [(Tokens<'_>, Tokens<'_>); 4] = [
        (&[b"\0alice\0secret"], &[b""]),
        (&[b"n,,n=alice,r=abc", b"c=biws,r=abcdef,p=cHJvb2Y="], &[b"r=abcdef,s=c2FsdA==,i=4096", b"v=c2lnbmF0dXJl"]),
        (&[b"n,,\x01auth=Bearer a.b.c\x01\x01"], &[b"{}"]),
        (&[b"\x60\x82 ticket", b"", b"\x05\x04 layer"], &[b"\x60\x81 reply", b"\x05\x04"]), // nothing to the last
    ];
    for (tokens, answers) in conversations {
        let mut relay = Relay::asked(&handshake);
        let mut expected = response(1, &[0; 6]);
        relay.answered(&expected).unwrap();
        for (turn, token) in tokens.iter().enumerate() {
            relay.rewriter.asked(&frame(&[token])).unwrap();
            if let Some(answer) = answers.get(turn) {
                relay.answered(&frame(&[answer])).unwrap();
                expected.extend(frame(&[answer]));
            }
        }
        relay.rewriter.asked(&request(Api::FIND_COORDINATOR, 0, 2, false, &[])).unwrap();
        let coordinator = [&[0, 0, 0, 0, 0, 2, 0, 2][..], b"b1", &9092_i32.to_be_bytes()].concat();
        relay.answered(&response(2, &coordinator)).unwrap();

        assert!(relay.got.starts_with(&expected), "{tokens:?}");
        assert!(relay.got[expected.len()..].windows(15).any(|part| part == b"gateway.example"), "{tokens:?}");
        assert_eq!(relay.answered(&frame(&[b"v="])), Err(Broken::Opaque(Opaque::ShortResponse)));
    }
}
