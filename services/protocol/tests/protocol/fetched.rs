//! How far a Fetch reads into the log: offsets, high watermarks and last stable offsets of its answers.

use std::collections::BTreeSet;

use kwitness_protocol::Fetched as Read;
use kwitness_protocol::schema::apis;
use serde_json::Value as Json;

use crate::exchanges::batch_at;
use crate::kafka::{VECTORS, Vector};
use crate::partition_frames::{Fetched, fetch, fetch_in_session, fetched};
use crate::transcript::{Conversation, frame};

const FETCH: i16 = 1;
/// From this version on answers have a last stable offset.
const STABLE_SINCE: i16 = 4;
/// Up to this version the replica's id is a field of its own.
const REPLICA_ID_UNTIL: i16 = 14;

fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let place = bytes.windows(old.len()).position(|window| window == old).expect("the bytes are there");
    bytes[place..place + new.len()].copy_from_slice(new);
}

fn partitions(body: &Json) -> Vec<Json> {
    let topics = body["responses"].as_array().unwrap().iter();
    topics.flat_map(|topic| topic["partitions"].as_array().unwrap().clone()).collect()
}

/// A request of a client, not of a replica.
fn of_client(request: &Vector) -> Option<Vec<u8>> {
    let body = request.json();
    let mut bytes = request.frame.clone();
    if request.version <= REPLICA_ID_UNTIL {
        let id = i32::try_from(body["replicaId"].as_i64().unwrap()).unwrap();
        replace(&mut bytes, &id.to_be_bytes(), &(-1_i32).to_be_bytes());
    }
    body["replicaState"].is_null().then_some(bytes)
}

/// The answer without errors, with these offsets for each partition by its place.
fn without_errors(response: &Vector, offsets: impl Fn(usize) -> (i64, i64)) -> Vec<u8> {
    let mut bytes = response.frame.clone();
    for (place, partition) in partitions(response.json()).iter().enumerate() {
        let number = |name: &str| partition[name].as_i64().unwrap();
        let index = i32::try_from(number("partitionIndex")).unwrap().to_be_bytes();
        let error = i16::try_from(number("errorCode")).unwrap().to_be_bytes();
        let (high, stable) = offsets(place);
        let old = [&index[..], &error, &number("highWatermark").to_be_bytes()].concat();
        let mut new = [&index[..], &[0; 2], &high.to_be_bytes()].concat();
        if response.version >= STABLE_SINCE {
            new.extend(stable.to_be_bytes());
        }
        replace(&mut bytes, &old, &new);
    }
    bytes
}

/// Kafka's classes wrote the messages of each version.
#[test]
fn watermarks_are_read_in_each_version() {
    let mut versions = BTreeSet::new();
    let offsets = |place: usize| (1_000 + i64::try_from(place).unwrap(), 900 + i64::try_from(place).unwrap());
    for vectors in VECTORS.iter() {
        let fetches = || vectors.iter().filter(|vector| vector.key == FETCH);
        for response in fetches().filter(|vector| !vector.is_request) {
            let is_request = |vector: &&Vector| vector.is_request && vector.version == response.version;
            let Some(request) = fetches().filter(is_request).find_map(of_client) else { continue };
            let mut answer = without_errors(response, offsets);
            answer[..4].copy_from_slice(&request[4..8]);
            let mut conversation = Conversation::new();

            conversation.client(&frame(&[&request]));
            conversation.broker(&frame(&[&answer]));

            for (place, exchange) in conversation.partitions().iter().enumerate() {
                let Some(read) = exchange.fetched else { continue };
                let (high, stable) = offsets(place);
                let stable = (response.version >= STABLE_SINCE).then_some(stable);
                assert_eq!((read.high_watermark, read.last_stable_offset), (high, stable), "{response}");
                versions.insert(response.version);
            }
        }
    }
    let fetch = apis().iter().find(|api| api.key == FETCH).unwrap();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), fetch.versions().collect::<Vec<_>>());
}

fn read_of(requests: &[Vec<u8>], answer: Fetched) -> Option<Read> {
    let mut conversation = Conversation::new();
    let (last, first) = requests.split_last().unwrap();
    for (number, request) in (1..).zip(first) {
        conversation.client(request);
        conversation.broker(&fetched(number, &[]));
    }
    conversation.client(last);
    conversation.broker(&fetched(i32::try_from(requests.len()).unwrap(), &[answer]));
    conversation.partitions()[0].fetched
}

fn at(high_watermark: i64, last_stable_offset: i64, records: Vec<u8>) -> Fetched {
    Fetched { high_watermark, last_stable_offset, records, ..Fetched::default() }
}

#[test]
fn the_next_offset_is_after_the_batches_or_that_of_the_request() {
    let read = |next_offset| {
        Some(Read { next_offset, high_watermark: 90, last_stable_offset: Some(80), leader_epoch: Some(0) })
    };

    assert_eq!(read_of(&[fetch(1, &[(0, 70)])], at(90, 80, batch_at(70))), read(73));
    assert_eq!(read_of(&[fetch(1, &[(0, 70)])], at(90, 80, Vec::new())), read(70));
}

#[test]
fn an_offset_of_the_session_holds_until_a_request_changes_it() {
    let begin = fetch_in_session(1, 0, &[(0, 70)], &[]);
    let read = |next_offset| {
        Some(Read { next_offset, high_watermark: 90, last_stable_offset: Some(80), leader_epoch: Some(0) })
    };

    let unchanged = [begin.clone(), fetch_in_session(2, 1, &[], &[])];
    assert_eq!(read_of(&unchanged, at(90, 80, Vec::new())), read(70));
    let changed = [begin.clone(), fetch_in_session(2, 1, &[(0, 75)], &[])];
    assert_eq!(read_of(&changed, at(90, 80, Vec::new())), read(75));
    let forgotten = [begin, fetch_in_session(2, 1, &[], &[0])];
    assert_eq!(read_of(&forgotten, at(90, 80, Vec::new())), None);
}

#[test]
fn the_leader_epoch_is_that_of_the_request() {
    let place = |epoch: i32| [&0_i32.to_be_bytes()[..], &epoch.to_be_bytes(), &70_i64.to_be_bytes()].concat();
    for (epoch, known) in [(7, Some(7)), (-1, None)] {
        let mut request = fetch(1, &[(0, 70)]);
        replace(&mut request, &place(0), &place(epoch));

        assert_eq!(read_of(&[request], at(90, 80, Vec::new())).unwrap().leader_epoch, known);
    }
}

#[test]
fn what_a_broker_leaves_out_is_not_known() {
    let asked = [fetch(1, &[(0, 70)])];
    let unstable = Some(Read { next_offset: 70, high_watermark: 90, last_stable_offset: None, leader_epoch: Some(0) });

    assert_eq!(read_of(&asked, at(90, -1, Vec::new())), unstable);
    assert_eq!(read_of(&asked, at(-1, -1, Vec::new())), None);
    assert_eq!(read_of(&asked, Fetched { error: 3, ..at(90, 80, Vec::new()) }), None);
    assert_eq!(read_of(&[fetch(1, &[(0, -1)])], at(90, 80, Vec::new())), None);
    assert_eq!(read_of(&[fetch_in_session(1, 5, &[], &[])], at(90, 80, Vec::new())), None);
}
