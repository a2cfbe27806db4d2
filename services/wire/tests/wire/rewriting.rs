//! What a client is answered has other addresses, and is else what the broker answered.

use std::sync::LazyLock;

use kwitness_wire::schema::{Api, api};
use kwitness_wire::{
    Address, AddressMap, Addresses, Broken, Fault, Limits, Opaque, Reader, Rewriter, response_correlation,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

use crate::json;
use crate::kafka::{VECTORS, Vector};
use crate::streams::cut;
use crate::transcript::{frame, request, response};
use crate::versions::{LOWERED, MANY, offers};

const HEARTBEAT: i16 = 12;
const HELD: [i16; 4] = [Api::METADATA, Api::FIND_COORDINATOR, Api::DESCRIBE_CLUSTER, Api::DESCRIBE_QUORUM];
const EMPTIED: [i16; 4] = [Api::PRODUCE, Api::FETCH, Api::SHARE_FETCH, Api::SHARE_ACKNOWLEDGE];

/// Knows the nodes with even numbers, and writes down which brokers it was told of.
pub(crate) struct Even {
    address: Address,
    seen: Vec<(i32, Vec<u8>, i32)>,
}

impl Even {
    fn new() -> Self {
        Self { address: Address::new("gateway.example", 9093).unwrap(), seen: Vec::new() }
    }
}

impl Addresses for Even {
    fn of(&mut self, node: i32) -> Option<&Address> {
        (node % 2 == 0).then_some(&self.address)
    }

    fn seen(&mut self, node: i32, host: &[u8], port: i32) {
        self.seen.push((node, host.to_vec(), port));
    }
}

/// A rewriter, and what a client behind it would get.
pub(crate) struct Relay<A> {
    rewriter: Rewriter,
    addresses: A,
    pub(crate) got: Vec<u8>,
}

impl Relay<Even> {
    fn new() -> Self {
        Self::with(Limits::default(), Even::new())
    }

    /// One that has passed these requests on.
    pub(crate) fn asked(requests: &[u8]) -> Self {
        let mut relay = Self::new();
        relay.rewriter.asked(requests).unwrap();
        relay
    }
}

impl<A: Addresses> Relay<A> {
    fn with(limits: Limits, addresses: A) -> Self {
        Self { rewriter: Rewriter::new(limits), addresses, got: Vec::new() }
    }

    pub(crate) fn answered(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut bytes = bytes.to_vec();
        let got = self.rewriter.answered(&mut bytes, &mut self.addresses, &mut Vec::new())?.to_vec();
        self.got.extend(got);
        Ok(())
    }
}

fn responses() -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().flatten().filter(|vector| !vector.is_request)
}

pub(crate) fn of_keys(keys: &[i16]) -> impl Iterator<Item = &'static Vector> {
    responses().filter(|vector| keys.contains(&vector.key))
}

fn correlation(vector: &Vector) -> i32 {
    i32::from_be_bytes(vector.frame[..4].try_into().unwrap())
}

/// The request that a response answers; nothing of its body matters.
pub(crate) fn request_for(vector: &Vector) -> Vec<u8> {
    request(vector.key, vector.version, correlation(vector), false, &[])
}

/// What the only frame in these bytes says.
pub(crate) fn read(vector: &Vector, bytes: &[u8]) -> Json {
    let (length, frame) = bytes.split_first_chunk().unwrap();
    assert_eq!(usize::try_from(i32::from_be_bytes(*length)).unwrap(), frame.len(), "{vector}");
    let mut reader = Reader::new(frame);
    let header = api(vector.key).unwrap().response_header(vector.version).unwrap();
    assert_eq!(response_correlation(header, &mut reader), Ok(correlation(vector)), "{vector}");
    json::message(vector.layout(), vector.version, &mut reader).unwrap()
}

/// The message with the addresses that [`Even`] knows; `None` where it is left out of its array.
fn with_addresses(message: &Json, node: Option<i64>) -> Option<Json> {
    match message {
        Json::Array(elements) => Some(elements.iter().filter_map(|one| with_addresses(one, node)).collect()),
        Json::Object(fields) => {
            let node = ["nodeId", "brokerId"].iter().find_map(|name| fields.get(*name)?.as_i64()).or(node);
            let within = |(name, value): (&String, &Json)| Some((name.clone(), with_addresses(value, node)?));
            let mut fields: serde_json::Map<_, _> = fields.iter().filter_map(within).collect();
            if fields.get("host").is_some_and(|host| host != "") {
                if node.unwrap() % 2 == 0 {
                    fields["host"] = json!("gateway.example");
                    fields["port"] = json!(9093);
                } else if fields.contains_key("errorCode") {
                    let instead = json!({"errorCode": 15, "nodeId": -1, "host": "", "port": -1});
                    fields.extend(instead.as_object().unwrap().clone());
                } else {
                    return None;
                }
            }
            Some(Json::Object(fields))
        }
        _ => Some(message.clone()),
    }
}

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
