//! What a connection tells: of ordinary clients, of what is unknown, of what is not Kafka.

use kwitness_protocol::{Exchange, Limits, Nanos, Opaque, Side, Unread};

use crate::transcript::{Conversation, Told, api_versions, frame, produce, request, response};

const HEARTBEAT: i16 = 12;
const VENDORS: i16 = 10_001;

#[test]
fn a_client_says_who_it_is_and_is_answered() {
    let mut conversation = Conversation::new();
    let asked = api_versions(1, "apache-kafka-java", "4.3.1");

    conversation.feed(Side::Client, &asked, 5);
    conversation.feed(Side::Broker, &response(1, &[0, 0, 1, 0, 0, 0, 0, 0]), 9);

    assert_eq!(
        conversation.told,
        [
            Told::Request {
                key: 18,
                version: 3,
                client_id: Some(b"me".to_vec()),
                bytes: asked.len() - 4,
                acks: None,
                is_idempotent: false,
            },
            Told::Software("apache-kafka-java".into(), "4.3.1".into()),
            Told::Exchange(Exchange {
                key: 18,
                version: 3,
                asked: Nanos(5),
                answered: Nanos(9),
                request_bytes: asked.len() - 4,
                bytes: 12,
                error: 0,
                throttle_ms: 0,
                waited: false,
                is_empty: false,
            }),
        ]
    );
}

#[test]
fn software_that_a_broker_would_refuse_is_not_told() {
    for (name, version) in [("", "1"), ("a b", "1"), ("a", ""), ("a", "1-")] {
        let mut conversation = Conversation::new();

        conversation.client(&api_versions(1, name, version));

        assert_eq!(conversation.last(), Some(&Told::Unread(18, 3, Unread::InvalidSoftware)), "{name:?} {version:?}");
    }
}

#[test]
fn a_client_newer_than_the_tables_asks_again_and_is_known_then() {
    let mut conversation = Conversation::new();

    conversation.client(&request(18, 99, 1, true, &[1, 2, 3]));
    conversation.broker(&response(1, &[0, 35]));
    conversation.client(&api_versions(2, "a", "9"));

    assert_eq!(conversation.told[1], Told::Unread(18, 99, Unread::UnknownVersion));
    assert_eq!(conversation.exchanges(), [18]);
    assert_eq!(conversation.last(), Some(&Told::Software("a".into(), "9".into())));
}

#[test]
fn responses_belong_to_requests_in_their_order() {
    let mut conversation = Conversation::new();

    conversation.client(&[api_versions(1, "a", "1"), request(HEARTBEAT, 0, 2, false, &[]), produce(3, -1)].concat());
    conversation.broker(&[response(1, &[]), response(2, &[]), response(3, &[])].concat());

    assert_eq!(conversation.exchanges(), [18, HEARTBEAT, 0]);
}

#[test]
fn a_produce_that_wants_no_acknowledgement_waits_for_none() {
    let mut conversation = Conversation::with(Limits { in_flight: 2, ..Limits::default() });

    for correlation in 0..100 {
        conversation.client(&produce(correlation, 0));
    }
    conversation.client(&produce(100, 1));
    conversation.broker(&response(100, &[]));

    assert_eq!(conversation.exchanges(), [0]);
    assert!(!conversation.connection.is_opaque());
}

#[test]
fn a_produce_that_cannot_be_read_may_be_answered_or_not() {
    let mut conversation = Conversation::new();

    conversation.client(&[request(0, 99, 1, true, &[]), request(0, 99, 2, true, &[]), produce(3, 1)].concat());
    conversation.broker(&[response(2, &[]), response(3, &[])].concat());

    assert_eq!(conversation.exchanges(), [0, 0]);
}

#[test]
fn an_id_that_a_request_without_an_answer_may_have_as_well_answers_neither() {
    let silent = request(0, 99, 7, true, &[]);
    let mut conversation = Conversation::new();

    conversation.client(&[api_versions(1, "a", "1"), silent, request(HEARTBEAT, 0, 7, false, &[])].concat());
    conversation.broker(&[response(1, &[]), response(7, &[0, 0])].concat());

    assert_eq!(conversation.exchanges(), [18]);
    assert_eq!(conversation.last(), Some(&Told::Opaque(Opaque::Correlation)));
}

#[test]
fn ids_may_be_used_again_and_again() {
    let mut conversation = Conversation::new();

    conversation.client(&[api_versions(5, "a", "1"), request(HEARTBEAT, 0, 5, false, &[]), produce(5, -1)].concat());
    conversation.broker(&[response(5, &[]), response(5, &[]), response(5, &[])].concat());

    assert_eq!(conversation.exchanges(), [18, HEARTBEAT, 0]);
}

#[test]
fn software_may_be_told_again_at_any_time() {
    let mut conversation = Conversation::new();

    conversation.client(&[api_versions(1, "a", "1"), produce(2, -1), api_versions(3, "b", "2")].concat());
    conversation.broker(&[response(1, &[]), response(2, &[]), response(3, &[])].concat());

    let told = conversation.told.iter().filter(|told| matches!(told, Told::Software(..)));
    let software = |name: &str, version: &str| Told::Software(name.into(), version.into());
    assert_eq!(told.collect::<Vec<_>>(), [&software("a", "1"), &software("b", "2")]);
    assert_eq!(conversation.exchanges(), [18, 0, 18]);
}

#[test]
fn a_vendors_api_is_counted_and_the_connection_followed_on() {
    let mut conversation = Conversation::new();

    conversation.client(&[api_versions(1, "a", "1"), request(VENDORS, 4, 2, false, &[7])].concat());
    conversation.broker(&[response(1, &[]), response(2, &[])].concat());

    assert!(conversation.told.contains(&Told::Unread(VENDORS, 4, Unread::UnknownKey)));
    assert_eq!(conversation.exchanges(), [18, VENDORS]);
}

#[test]
fn what_is_malformed_within_a_frame_is_counted_and_the_connection_followed_on() {
    let mut conversation = Conversation::new();
    let mut garbled = api_versions(1, "a", "1");
    let end = garbled.len() - 1;
    garbled[end] = 0xff; // a million tagged fields in no bytes

    conversation.client(&[garbled, request(HEARTBEAT, 0, 2, false, &[])].concat());
    conversation.broker(&[response(1, &[]), response(2, &[])].concat());

    assert!(conversation.told.contains(&Told::Unread(18, 3, Unread::Malformed)));
    assert_eq!(conversation.exchanges(), [18, HEARTBEAT]);
}

#[test]
fn a_header_longer_than_what_is_kept_is_counted_and_the_connection_followed_on() {
    let mut conversation = Conversation::with(Limits { message: 64, ..Limits::default() });
    let start = request(HEARTBEAT, 4, 1, true, &[]);
    let tag = [&[1, 5, 0xc8, 0x01][..], &[0; 200]].concat(); // one of 200 bytes instead of none

    conversation.client(&frame(&[&start[4..start.len() - 1], &tag, &[0; 20]]));
    conversation.broker(&response(1, &[]));

    assert_eq!(conversation.told[1], Told::Unread(HEARTBEAT, 4, Unread::TooLong));
    assert_eq!(conversation.exchanges(), [HEARTBEAT]);
}

#[test]
fn what_is_not_kafka_is_opaque_by_its_first_bytes() {
    let cases: [(&[u8], Opaque); 6] = [
        (&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01], Opaque::Tls),
        (b"GET / HTTP/1.1\r\n\r\n", Opaque::NotKafka),
        (&[0xff; 16], Opaque::NotKafka),
        (&[0, 0, 0, 3, 1, 2, 3], Opaque::NotKafka),
        (&frame(&[&VENDORS.to_be_bytes(), &[0; 6]])[..12], Opaque::NotKafka),
        (&[0, 0, 1, 0, 0, 3, 0xff, 0xff, 0, 0, 0, 1], Opaque::NotKafka),
    ];
    for (bytes, reason) in cases {
        let mut conversation = Conversation::new();

        conversation.client(bytes);
        conversation.client(&api_versions(1, "a", "1"));
        conversation.broker(&response(1, &[]));

        assert_eq!(conversation.told, [Told::Opaque(reason)], "{bytes:?}");
    }
}

#[test]
fn a_connection_that_loses_its_thread_is_opaque_from_then_on() {
    let start = [api_versions(1, "a", "1"), request(HEARTBEAT, 0, 2, false, &[])].concat();
    let cases = [
        (Side::Client, vec![0xff; 4], Opaque::FrameLength),
        (Side::Client, frame(&[&[0; 7]]), Opaque::ShortRequest),
        (Side::Broker, vec![0x80, 0, 0, 0], Opaque::FrameLength),
        (Side::Broker, frame(&[&[0; 3]]), Opaque::ShortResponse),
        (Side::Broker, response(7, &[]), Opaque::Correlation),
        (Side::Broker, response(2, &[]), Opaque::Correlation), // before the first is answered
        (Side::Broker, [response(1, &[]), response(1, &[])].concat(), Opaque::Correlation),
    ];
    for (side, bytes, reason) in cases {
        let mut conversation = Conversation::new();

        conversation.client(&start);
        conversation.feed(side, &bytes, 0);
        conversation.client(&start);

        assert_eq!(conversation.last(), Some(&Told::Opaque(reason)));
        assert!(conversation.connection.is_opaque());
    }
}

#[test]
fn requests_that_nobody_answers_are_remembered_up_to_a_limit() {
    let mut conversation = Conversation::with(Limits { in_flight: 2, ..Limits::default() });

    for correlation in 0..3 {
        assert!(!conversation.connection.is_opaque());
        conversation.client(&request(HEARTBEAT, 0, correlation, false, &[]));
    }

    assert_eq!(conversation.last(), Some(&Told::Opaque(Opaque::InFlight)));
}
