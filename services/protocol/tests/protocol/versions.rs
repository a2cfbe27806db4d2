//! Limits what a client is offered to versions that the tables know, and passes a refusal on.

use kwitness_protocol::schema::{Api, api};
use serde_json::json;

use crate::rewriting_relay::{Relay, of_keys, read, request_for};
use crate::transcript::{frame, request, response};

#[test]
fn versions_are_lowered_to_what_the_tables_know() {
    let newest = |key: i64| api(key.try_into().unwrap()).and_then(|api| api.versions().last()).map(i64::from);
    for vector in of_keys(&[Api::API_VERSIONS]) {
        let mut relay = Relay::asked(&request_for(vector));
        let mut expected = vector.json().clone();
        for offered in expected["apiKeys"].as_array_mut().unwrap() {
            let number = |name: &str| offered[name].as_i64().unwrap();
            let known = newest(number("apiKey")).unwrap_or(i64::MAX);
            if number("minVersion") <= known && known < number("maxVersion") {
                offered["maxVersion"] = json!(known);
            }
        }

        relay.answered(&frame(&[&vector.frame])).unwrap();

        assert_eq!(read(vector, &relay.got), expected, "{vector}");
    }
}

/// An `ApiVersions` response of version 0, or of a flexible one with this at its end.
pub(crate) fn offers(error: i16, versions: &[(i16, i16, i16)], end: Option<&[u8]>) -> Vec<u8> {
    let count = u8::try_from(versions.len()).unwrap();
    let count = if end.is_some() { vec![count + 1] } else { vec![0, 0, 0, count] };
    let tags: &[u8] = if end.is_some() { &[0] } else { &[] };
    let offered = versions.iter().flat_map(|(key, oldest, newest)| {
        [&key.to_be_bytes()[..], &oldest.to_be_bytes(), &newest.to_be_bytes(), tags].concat()
    });
    [&error.to_be_bytes()[..], &count, &offered.collect::<Vec<u8>>(), end.unwrap_or_default()].concat()
}

pub(crate) const MANY: [(i16, i16, i16); 5] = [(0, 0, 99), (3, 13, 14), (12, 99, 99), (10_001, 0, 99), (18, 0, 6)];
pub(crate) const LOWERED: [(i16, i16, i16); 5] = [(0, 0, 13), (3, 13, 13), (12, 99, 99), (10_001, 0, 99), (18, 0, 5)];

#[test]
fn versions_are_lowered_also_where_the_broker_does_not_know_the_clients_version() {
    let mut relay = Relay::asked(&request(Api::API_VERSIONS, 99, 1, true, &[]));

    relay.answered(&response(1, &offers(35, &MANY, None))).unwrap();

    assert_eq!(relay.got, response(1, &offers(35, &LOWERED, None)));
}

#[test]
fn a_refusal_of_the_clients_version_passes_in_any_form() {
    let version_3 = offers(35, &[(18, 0, 4)], Some(&[0, 0, 0, 0, 0]));
    let bodies: [&[u8]; 5] = [&[0, 35], &offers(35, &[], None), &version_3, &[0, 35, 0], &[0, 42, 1, 0, 0, 0, 0, 0]];
    for body in bodies {
        let mut relay = Relay::asked(&request(Api::API_VERSIONS, 99, 1, true, &[]));

        relay.answered(&response(1, body)).unwrap();

        assert_eq!(relay.got, response(1, body));
    }
}

#[test]
fn versions_are_lowered_where_broker_and_client_are_newer_than_the_tables() {
    let feature = [&[0, 0, 0, 0, 1, 2, 26, 2, 20][..], b"transaction.version", &[0, 2, 0, 2, 0]].concat();
    let mut relay = Relay::asked(&request(Api::API_VERSIONS, 6, 1, true, &[]));

    relay.answered(&response(1, &offers(0, &MANY, Some(&feature)))).unwrap();

    assert_eq!(relay.got, response(1, &offers(0, &LOWERED, Some(&feature))));
}
