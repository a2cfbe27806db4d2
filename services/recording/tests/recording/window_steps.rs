//! Makes up conversations of several connections.

use kwitness_protocol::{Content, Topic};
use proptest::collection::vec;
use proptest::prelude::*;

/// Something told of a connection, or the end of a window.
#[derive(Clone, Debug)]
pub enum Step {
    Request {
        key: i16,
        version: i16,
        client_id: Option<u8>,
        bytes: usize,
        acks: Option<i16>,
        is_idempotent: bool,
    },
    Software(u8),
    Group(u8),
    Partition {
        key: i16,
        topic: u8,
        partition: i32,
        error: i16,
        confirmed: bool,
        content: Content,
    },
    Presence {
        topic: u8,
        partitions: u32,
    },
    Exchange {
        key: i16,
        version: i16,
        microseconds: u64,
        bytes: usize,
        error: i16,
        throttle_ms: u32,
        waited: bool,
        is_empty: bool,
    },
    Unread {
        key: i16,
        version: i16,
    },
    Reopened,
    Swapped,
}

pub const CONNECTIONS: usize = 5;
pub const JOIN_GROUP: i16 = 11;

/// Half of the topics have names, half have ids.
pub fn topic(number: u8, name: &str) -> Topic<'_> {
    if number.is_multiple_of(2) { Topic::Name(name.as_bytes()) } else { Topic::Id([number; 16]) }
}

fn contents() -> impl Strategy<Value = Content> {
    let counts = (0..4_u64, 0..50_u64, 0..3_u64, 0..9_000_u64, 0..4_u64, 0..9_u64);
    let rest = (0..3_u64, 0..3_u64, proptest::array::uniform5(0..3_u64));
    let offsets = proptest::option::of((-3..300_i64, -2..20_i64));
    let times = proptest::option::of((-5..1_000_i64, 0..100_i64));
    (counts, rest, offsets, times).prop_map(|(counts, (aborted, duplicates, codecs), offsets, times)| Content {
        batches: counts.0,
        records: counts.1,
        unknown_batches: counts.2,
        bytes: counts.3,
        transactional_batches: counts.4,
        transactional_records: counts.5,
        aborted_records: aborted,
        duplicate_batches: duplicates,
        codecs,
        first_offset: offsets.map(|(first, _)| first),
        last_offset: offsets.map(|(first, length)| first + length),
        min_timestamp_ms: times.map(|(first, _)| first),
        max_timestamp_ms: times.map(|(first, length)| first + length),
    })
}

pub fn errors() -> impl Strategy<Value = i16> {
    prop_oneof![3 => Just(0), 1 => prop::sample::select(vec![-1, 3, 6, 87])]
}

pub fn steps() -> impl Strategy<Value = Step> {
    let keys = || prop::sample::select(vec![0_i16, 1, 3, JOIN_GROUP, 78, 10_001]);
    let counted = prop::sample::select(vec![0_i16, 1, 78]);
    prop_oneof![
        4 => (keys(), 0..3_i16, proptest::option::of(0..3_u8), 0..500_usize, proptest::option::of(-2..3_i16), any::<bool>()).prop_map(
            |(key, version, client_id, bytes, acks, is_idempotent)| {
                Step::Request { key, version, client_id, bytes, acks, is_idempotent }
            }
        ),
        1 => (0..3_u8).prop_map(Step::Software),
        1 => (0..3_u8).prop_map(Step::Group),
        8 => (counted, 0..6_u8, 0..3_i32, errors(), any::<bool>(), contents()).prop_map(
            |(key, topic, partition, error, confirmed, content)| {
                Step::Partition { key, topic, partition, error, confirmed, content }
            }
        ),
        1 => (0..6_u8, 1..9_u32).prop_map(|(topic, partitions)| Step::Presence { topic, partitions }),
        4 => (keys(), 0..3_i16, 0..100_000_u64, 0..900_usize, errors(), prop_oneof![Just(0), 1..2_000_u32], any::<[bool; 2]>()).prop_map(
            |(key, version, microseconds, bytes, error, throttle_ms, [waited, is_empty])| {
                Step::Exchange { key, version, microseconds, bytes, error, throttle_ms, waited, is_empty }
            }
        ),
        1 => (keys(), 0..3_i16).prop_map(|(key, version)| Step::Unread { key, version }),
        1 => Just(Step::Reopened),
        1 => Just(Step::Swapped),
    ]
}

/// Told of a connection, by its number.
pub fn conversations() -> impl Strategy<Value = Vec<(usize, Step)>> {
    vec((0..CONNECTIONS, steps()), 0..100)
}
