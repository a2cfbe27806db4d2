//! What a client is answered has other addresses, and is else what the broker answered.

use std::sync::LazyLock;

use kwitness_protocol::schema::{Api, api};
use kwitness_protocol::{Address, AddressMap, Broken, Limits, Opaque, Reader, Rewriter};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

use crate::division::cut;
use crate::json;
use crate::kafka::Vector;
use crate::rewriting_relay::{
    EMPTIED, Even, HEARTBEAT, HELD, Relay, correlation, of_keys, read, request_for, responses, with_addresses,
};
use crate::transcript::{frame, request, response};
use crate::versions::{LOWERED, MANY, offers};

#[test]
fn brokers_have_the_addresses_of_the_observer_and_all_else_is_as_kafka_wrote_it() {
    let mut left_out = 0;
    for vector in of_keys(&HELD) {
        let mut relay = Relay::asked(&request_for(vector));

        relay.answered(&frame(&[&vector.frame])).unwrap();

        let expected = with_addresses(vector.json(), None).unwrap();
        assert_eq!(read(vector, &relay.got), expected, "{vector}");
        left_out += usize::from(relay.got.len() < vector.frame.len());
    }
    assert!(left_out > 20);
}

#[test]
fn a_response_without_any_host_stays_as_it_is_byte_for_byte() {
    for vector in of_keys(&HELD).filter(|vector| with_addresses(vector.json(), None).as_ref() == Some(vector.json())) {
        let mut relay = Relay::asked(&request_for(vector));

        relay.answered(&frame(&[&vector.frame])).unwrap();

        assert_eq!(relay.got, frame(&[&vector.frame]), "{vector}");
    }
}

#[test]
fn what_passes_as_it_is_answers_its_request_however_it_is_divided() {
    let fetches = of_keys(&[Api::FETCH]).take(50);
    for vector in of_keys(&HELD).chain(fetches) {
        let bytes = frame(&[&vector.frame]);
        for size in [1, 7, bytes.len()] {
            let mut rewriter = Relay::asked(&request_for(vector)).rewriter;
            let (last, rest) = bytes.split_last().unwrap();
            rest.chunks(size).for_each(|piece| rewriter.passed(piece).unwrap());
            rewriter.passed(&[*last]).unwrap();

            assert!(!rewriter.awaits_answer(), "{vector} in pieces of {size}");
            let unasked = response(correlation(vector), &[0; 4]);
            assert_eq!(rewriter.passed(&unasked), Err(Broken::Opaque(Opaque::Correlation)), "it was at the end");
        }
    }
}

/// Tagged fields of the message itself that no definition has: what is left of endpoints, and others.
fn unknown_tags(message: &Json) -> (Vec<&Json>, Vec<&Json>) {
    let tags = message["unknownTags"].as_array().map_or(&[][..], Vec::as_slice);
    tags.iter().partition(|tag| tag[0] == 127 || tag[0] == 16_383)
}

#[test]
fn endpoints_are_emptied_at_equal_length_and_all_else_is_as_kafka_wrote_it() {
    let mut emptied = 0;
    for vector in of_keys(&EMPTIED) {
        let mut relay = Relay::asked(&request_for(vector));
        let answer = frame(&[&vector.frame]);

        relay.answered(&answer).unwrap();

        let (mut expected, mut message) = (vector.json().clone(), read(vector, &relay.got));
        assert_eq!(relay.got.len(), answer.len(), "{vector}");
        let endpoints = expected.as_object_mut().unwrap().remove("nodeEndpoints");
        let is_array = [Api::SHARE_FETCH, Api::SHARE_ACKNOWLEDGE].contains(&vector.key);
        let left = message.as_object_mut().unwrap().remove("nodeEndpoints");
        assert_eq!(left, is_array.then(|| json!([])), "{vector}");
        let had_some = endpoints.is_some_and(|endpoints| !is_array || endpoints != json!([]));
        let (left, others) = unknown_tags(&message);
        let are_zeros = left.iter().all(|tag| tag[1].as_str().unwrap().bytes().all(|byte| b"A=".contains(&byte)));
        assert!(left.len() == usize::from(had_some) && are_zeros, "{vector}");
        // A field from the array of endpoints to the end of the frame takes the others with it.
        let expected_others = if had_some && is_array { Vec::new() } else { unknown_tags(&expected).1 };
        assert_eq!(others, expected_others, "{vector}");
        for one in [&mut message, &mut expected] {
            one.as_object_mut().unwrap().remove("unknownTags");
        }
        assert_eq!(message, expected, "{vector}");
        let same = answer.iter().zip(&relay.got).take_while(|(came, went)| came == went).count();
        assert_eq!(same < answer.len(), had_some, "{vector}");
        emptied += usize::from(had_some);
    }
    assert!(emptied > 20);
}

/// A Fetch response of version 16 without topics that has these tagged fields in its header and its body.
fn fetched(header: &[u8], body: &[u8]) -> Vec<u8> {
    response(1, &[header, &[0; 10], &[1], body].concat())
}

#[test]
fn endpoints_are_emptied_wherever_they_stand_and_however_their_number_is_written() {
    let cases: [(&[u8], &[u8]); 4] = [
        (&[2, 0, 2, 7, 7, 0, 1, 8], &[2, 127, 2, 0, 0, 127, 1, 0]), // twice
        (&[2, 9, 1, 5, 0, 1, 8], &[2, 9, 1, 5, 127, 1, 0]),         // not the first
        (&[1, 0x80, 0, 1, 8], &[1, 0x80, 1, 1, 0]),                 // in two bytes
        (&[1, 0x80, 0x80, 0x80, 0x80, 0, 1, 8], &[1, 0x80, 0x80, 0x80, 0x80, 1, 1, 0]),
    ];
    let header: &[u8] = &[1, 0, 1, 8]; // it has none, whatever its tagged fields are
    for (body, expected) in cases {
        let mut relay = Relay::asked(&request(Api::FETCH, 16, 1, true, &[]));

        relay.answered(&fetched(header, body)).unwrap();

        assert_eq!(relay.got, fetched(header, expected), "{body:?}");
    }
}

#[test]
fn metadata_tells_where_its_brokers_are() {
    for vector in of_keys(&[Api::METADATA]) {
        let mut relay = Relay::asked(&request_for(vector));

        relay.answered(&frame(&[&vector.frame])).unwrap();

        let told = |(node, host, port): &(i32, Vec<u8>, i32)| json!([node, String::from_utf8_lossy(host), port]);
        let seen: Vec<Json> = relay.addresses.seen.iter().map(told).collect();
        let brokers = vector.json()["brokers"].as_array().unwrap().iter().filter(|broker| broker["host"] != "");
        let expected: Vec<Json> = brokers.map(|one| json!([one["nodeId"], one["host"], one["port"]])).collect();
        assert_eq!(seen, expected, "{vector}");
    }
}

#[test]
fn a_coordinator_that_clients_cannot_reach_is_not_available() {
    let mut addresses = AddressMap::new(Address::new("gateway", 9092).unwrap());
    addresses.insert(1, Address::new("gateway", 9094).unwrap());
    let coordinator = |node: i32| [&[0; 2][..], &node.to_be_bytes(), &[0, 2], b"b1", &9092_i32.to_be_bytes()].concat();
    let cases = [(1, 0, 1, "gateway", 9094), (2, 15, -1, "", -1), (AddressMap::BOOTSTRAP, 0, -1, "gateway", 9092)];
    for (node, error, expected, host, port) in cases {
        let mut relay = Relay::with(Limits::default(), addresses.clone());
        relay.rewriter.asked(&request(Api::FIND_COORDINATOR, 0, 7, false, &[])).unwrap();

        relay.answered(&response(7, &coordinator(node))).unwrap();

        let layout = api(Api::FIND_COORDINATOR).unwrap().response(0).unwrap();
        let body = json::message(layout, 0, &mut Reader::new(&relay.got[8..]));
        assert_eq!(body, Ok(json!({"errorCode": error, "nodeId": expected, "host": host, "port": port})));
    }
}

#[test]
fn versions_are_lowered_whenever_they_are_asked_for() {
    let asked = |correlation| request(Api::API_VERSIONS, 0, correlation, false, &[]);
    let mut relay = Relay::asked(&[asked(1), request(HEARTBEAT, 0, 2, false, &[]), asked(3)].concat());

    for answer in [response(1, &offers(0, &MANY, None)), response(2, &[0; 6]), response(3, &offers(0, &MANY, None))] {
        relay.answered(&answer).unwrap();
    }

    let lowered = |correlation| response(correlation, &offers(0, &LOWERED, None));
    assert_eq!(relay.got, [lowered(1), response(2, &[0; 6]), lowered(3)].concat());
}

#[test]
fn what_is_not_changed_is_not_copied() {
    let mut relay =
        Relay::asked(&[request(HEARTBEAT, 0, 1, false, &[]), request(HEARTBEAT, 0, 2, false, &[])].concat());
    let mut bytes = [response(1, &[7; 100]), response(2, &[8; 100])].concat();
    let at = bytes.as_ptr();

    let got = relay.rewriter.answered(&mut bytes, &mut relay.addresses, &mut relay.got).unwrap();

    assert_eq!((got.as_ptr(), got.len()), (at, 216));
}

static CHANGED: LazyLock<Vec<&'static Vector>> =
    LazyLock::new(|| of_keys(&[&HELD[..], &EMPTIED, &[Api::API_VERSIONS]].concat()).collect());

static ALL: LazyLock<Vec<&'static Vector>> = LazyLock::new(|| responses().collect());

/// Responses of a whole connection; about half of them are changed.
fn chosen() -> impl Strategy<Value = Vec<&'static Vector>> {
    let one = |(is_changed, index): (bool, Index)| *index.get(if is_changed { &CHANGED } else { &ALL });
    vec(any::<(bool, Index)>().prop_map(one), 1..6)
}

fn conversation(chosen: &[&Vector]) -> (Vec<u8>, Vec<u8>) {
    let asked = chosen.iter().flat_map(|vector| request_for(vector)).collect();
    (asked, chosen.iter().flat_map(|vector| frame(&[&vector.frame])).collect())
}

fn got(asked: Vec<&[u8]>, answered: Vec<&[u8]>) -> Result<Vec<u8>, Broken> {
    let mut relay = Relay::new();
    for chunk in asked {
        relay.rewriter.asked(chunk)?;
    }
    for chunk in answered {
        relay.answered(chunk)?;
    }
    Ok(relay.got)
}

proptest! {
    #[test]
    fn a_client_gets_the_same_however_the_bytes_are_divided(
        chosen in chosen(),
        asked_in in vec(any::<Index>(), 0..20),
        answered_in in vec(any::<Index>(), 0..40),
    ) {
        let (asked, answered) = conversation(&chosen);
        let whole = got(vec![&asked], vec![&answered]);

        prop_assert_eq!(&got(cut(&asked, &asked_in), cut(&answered, &answered_in)), &whole);
        prop_assert_eq!(&got(asked.chunks(1).collect(), answered.chunks(1).collect()), &whole);
    }

    #[test]
    fn whatever_a_broker_sends_costs_no_more_than_may_be_held(
        chosen in chosen(),
        changes in vec((any::<Index>(), any::<u8>()), 1..8),
        places in vec(any::<Index>(), 0..20),
    ) {
        const HELD_AT_MOST: usize = 4 << 10;
        let (asked, mut answered) = conversation(&chosen);
        for (place, byte) in changes {
            let place = place.index(answered.len());
            answered[place] = byte;
        }
        let mut rewriter = Rewriter::new(Limits { held: HELD_AT_MOST, ..Limits::default() });
        let mut spare = Vec::new();
        prop_assert!(rewriter.asked(&asked).is_ok());
        for chunk in cut(&answered, &places) {
            let mut bytes = chunk.to_vec();
            let Ok(got) = rewriter.answered(&mut bytes, &mut Even::new(), &mut spare) else { break };
            prop_assert!(got.len() <= chunk.len() + 2 * HELD_AT_MOST);
        }
    }
}
