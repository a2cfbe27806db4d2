//! Batches are copied as they pass, and the headers of their records are those that Kafka's own classes see.

use std::io::Write;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use kwitness_protocol::samples::{Gate, LONGEST_BATCH, LeftOut, Sample, Sampling};
use kwitness_protocol::{Connection, Limits, Nanos, Side, Topic};
use kwitness_recording::samples::{LONGEST_RECORDS, Seen, look};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::division::cut;
use crate::partition_frames::{Fetched, Produced, fetch, fetched, produced, producing};
use crate::vector_files::lines;

type Header = (Vec<u8>, Option<Vec<u8>>);

/// Batches of Kafka's, and the headers of their records.
struct Vector {
    name: String,
    bytes: Vec<u8>,
    records: u64,
    headers: Vec<Header>,
}

static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| {
    let lines = lines("records-3.9.2");
    lines
        .iter()
        .filter(|line| line["name"].as_str().unwrap().starts_with("format 2") && line["batches"] == 1)
        .map(vector)
        .collect()
});

fn vector(line: &Value) -> Vector {
    let header = |header: &Value| {
        let value = header[1].as_str().map(|value| STANDARD.decode(value).unwrap());
        (header[0].as_str().unwrap().as_bytes().to_vec(), value)
    };
    Vector {
        name: line["name"].as_str().unwrap().into(),
        bytes: STANDARD.decode(line["records"].as_str().unwrap()).unwrap(),
        records: line["counted"].as_u64().unwrap(),
        headers: line["headers"].as_array().into_iter().flatten().map(header).collect(),
    }
}

pub fn gate() -> Arc<Gate> {
    Arc::new(Gate::new(16 << 20))
}

/// A connection of which every batch is copied.
pub fn connection(gate: &Arc<Gate>) -> Connection {
    let mut connection = Connection::new(Limits::default());
    connection.sample(Some(Sampling { every: NonZeroU32::MIN, gate: Arc::clone(gate) }), 1);
    connection
}

/// What was copied of pieces that one side sent after the other.
fn copied(gate: &Arc<Gate>, requests: &[&[u8]], responses: &[&[u8]]) -> Vec<Sample> {
    let mut connection = connection(gate);
    for (side, pieces) in [(Side::Client, requests), (Side::Broker, responses)] {
        for piece in pieces {
            connection.feed(side, piece, Nanos(0), &mut |_| {});
        }
    }
    connection.samples()
}

/// What is copied of a Produce with these records.
pub fn of_produced(gate: &Arc<Gate>, records: &[u8]) -> Vec<Sample> {
    copied(gate, &[&producing(1, 1, &[(0, records)])], &[])
}

pub fn headers(sample: &Sample) -> Result<(Vec<Header>, u64), LeftOut> {
    let (mut headers, mut records) = (Vec::new(), 0);
    look(sample, &mut Vec::new(), &mut |seen| match seen {
        Seen::Header { key, value } => headers.push((key.to_vec(), value.map(<[u8]>::to_vec))),
        Seen::End => records += 1,
    })?;
    Ok((headers, records))
}

fn fetch_of(records: &[u8]) -> [Vec<u8>; 2] {
    [fetch(1, &[(0, 1_000)]), fetched(1, &[Fetched { records: records.to_vec(), ..Fetched::default() }])]
}

#[test]
fn the_headers_of_what_was_written_and_of_what_was_read_are_those_that_kafka_sees() {
    let with_headers = VECTORS.iter().filter(|vector| !vector.headers.is_empty());
    assert_eq!(with_headers.count(), 10, "five codecs, with few records and with many");
    for vector in VECTORS.iter().filter(|vector| !vector.name.contains("nothing but")) {
        let [asked, answered] = fetch_of(&vector.bytes);
        let produced = of_produced(&gate(), &vector.bytes);
        let fetched = copied(&gate(), &[&asked], &[&answered]);
        let of_produced = if vector.name.contains("cut off") { None } else { Some((&produced, true)) };

        for (samples, is_produced) in of_produced.into_iter().chain([(&fetched, false)]) {
            let [sample] = &samples[..] else { panic!("{}: {samples:?}", vector.name) };
            assert_eq!(headers(sample), Ok((vector.headers.clone(), vector.records)), "{}", vector.name);
            assert_eq!((sample.is_produced(), sample.records()), (is_produced, vector.records), "{}", vector.name);
            assert!(matches!(sample.topic(), Topic::Name(_)));
        }
    }
}

#[test]
fn control_batches_older_formats_and_what_replicas_read_are_not_copied() {
    for line in lines("records-3.9.2").iter().filter(|line| !line["name"].as_str().unwrap().starts_with("format 2")) {
        let records = STANDARD.decode(line["records"].as_str().unwrap()).unwrap();
        let [asked, answered] = fetch_of(&records);

        assert!(copied(&gate(), &[&asked], &[&answered]).is_empty(), "{}", line["name"]);
    }
}

/// A batch of format 2: its head alone is judged, so these bytes may be anything.
pub fn batch(codec: u8, records: i32, bytes: &[u8]) -> Vec<u8> {
    let length = i32::try_from(bytes.len() + 49).unwrap();
    let mut batch = [&[0; 8][..], &length.to_be_bytes(), &[0; 4], &[2], &[0; 4], &[0, codec]].concat();
    batch.extend((records - 1).max(0).to_be_bytes());
    batch.extend([0; 16]);
    batch.extend([0xff; 14]);
    batch.extend(records.to_be_bytes());
    batch.extend(bytes);
    batch
}

fn looked(codec: u8, records: i32, bytes: &[u8]) -> Result<(Vec<Header>, u64), LeftOut> {
    let samples = of_produced(&gate(), &batch(codec, records, bytes));
    headers(&samples[0])
}

/// A record of one header, as [`batch`] holds it.
pub fn record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let number = |number: usize| {
        let mut bytes = Vec::new();
        let mut left = number * 2;
        while left > 0x7f {
            bytes.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
            left >>= 7;
        }
        bytes.push(u8::try_from(left).unwrap());
        bytes
    };
    let body = [&[0, 0, 0, 1, 1, 2][..], &number(key.len()), key, &number(value.len()), value].concat();
    [number(body.len()), body].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn snappy(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(bytes).unwrap()
}

/// As Java's library writes it: several blocks, each after its length.
fn xerial(blocks: &[&[u8]]) -> Vec<u8> {
    let mut all = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01".to_vec();
    for block in blocks {
        let block = snappy(block);
        all.extend(u32::try_from(block.len()).unwrap().to_be_bytes());
        all.extend(block);
    }
    all
}

#[test]
fn other_writers_of_the_codecs_are_read_too() {
    let record = record(b"tenant", b"acme");
    let (first, rest) = record.split_at(5);
    let two_members = [gzip(first), gzip(rest)].concat();
    for (codec, bytes) in [
        (0, record.clone()),
        (1, gzip(&record)),
        (1, two_members),
        (2, snappy(&record)),
        (2, xerial(&[first, rest])),
        (3, lz4(&record)),
        (4, zstd(&record)),
    ] {
        let expected = (vec![(b"tenant".to_vec(), Some(b"acme".to_vec()))], 1);
        assert_eq!(looked(codec, 1, &bytes), Ok(expected), "codec {codec}");
    }
}

#[test]
fn what_becomes_too_large_is_given_up_within_bounds() {
    let bomb = vec![0; LONGEST_RECORDS + 1];
    for (codec, bytes) in
        [(1, gzip(&bomb)), (2, xerial(&[&bomb[..LONGEST_RECORDS], &bomb])), (3, lz4(&bomb)), (4, zstd(&bomb))]
    {
        assert!(bytes.len() < LONGEST_BATCH, "codec {codec}: {}", bytes.len());
        let mut memory = Vec::new();
        let samples = of_produced(&gate(), &batch(codec, 1, &bytes));

        assert_eq!(look(&samples[0], &mut memory, &mut |_| {}), Err(LeftOut::TooLarge), "codec {codec}");
        assert!(memory.capacity() <= 1 << 20, "codec {codec} leaves {}", memory.capacity());
    }
}

#[test]
fn what_is_not_what_it_says_is_unreadable_and_nothing_of_it_is_seen() {
    let good = record(b"tenant", b"acme");
    let window_of_a_gigabyte = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 0x01, 0x00, 0x00];
    let of_no_dictionary = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 0x07, 0x01, 0x01, 0x00, 0x00];
    for (codec, records, bytes) in [
        (0, 2, good.clone()),
        (0, i32::MAX, good.clone()),
        (0, 1, [&good[..], &good[..good.len() - 1]].concat()),
        (1, 1, good.clone()),
        (1, 1, gzip(&good)[..20].to_vec()),
        (2, 1, good.clone()),
        // Eight MiB out of nothing.
        (2, 1, vec![0x80, 0x80, 0x80, 0x04, 0x00]),
        (2, 1, b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01\x7f\xff\xff\xff".to_vec()),
        (2, 1, b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01\xff\xff\xff\xff".to_vec()),
        (2, 1, b"\x82SNAPPY\0\0".to_vec()),
        (3, 1, good.clone()),
        (3, 1, lz4(&good)[..12].to_vec()),
        (4, 1, good.clone()),
        (4, 1, zstd(&good)[..9].to_vec()),
        (4, 1, window_of_a_gigabyte.to_vec()),
        (4, 1, of_no_dictionary.to_vec()),
        (5, 1, good.clone()),
        (7, 1, good),
    ] {
        let samples = of_produced(&gate(), &batch(codec, records, &bytes));
        let mut seen = 0;

        let looked = look(&samples[0], &mut Vec::new(), &mut |_| seen += 1);

        assert_eq!((looked, seen), (Err(LeftOut::Unreadable), 0), "codec {codec}, {records} records of {bytes:?}");
    }
}

#[test]
fn copies_take_no_more_room_than_there_is_and_give_it_back() {
    let bytes = vec![7; 1_000];
    let one = batch(0, 1, &bytes);
    let gate = Arc::new(Gate::new(2_500));
    let mut connection = connection(&gate);
    let mut feed = |correlation| {
        connection.feed(Side::Client, &producing(correlation, 1, &[(0, &one)]), Nanos(0), &mut |_| {});
        connection.samples()
    };

    let [first, second, third] = [feed(1), feed(2), feed(3)];
    assert_eq!([first.len(), second.len(), third.len()], [1, 1, 0]);
    assert_eq!(gate.left_out()[1], (LeftOut::QueueFull, 1));
    drop(first);

    assert_eq!(feed(4).len(), 1);
}

#[test]
fn what_is_being_copied_gives_its_room_back_when_the_connection_ends_or_goes_on_without() {
    let gate = Arc::new(Gate::new(2_000));
    let request = producing(1, 1, &[(0, &batch(0, 1, &[7; 1_500]))]);
    for _ in 0..3 {
        let mut connection = connection(&gate);
        connection.feed(Side::Client, &request[..request.len() - 100], Nanos(0), &mut |_| {});
        connection.sample(None, 0);
        connection.feed(Side::Client, &request[request.len() - 100..], Nanos(0), &mut |_| {});
        assert!(connection.samples().is_empty());
        drop(connection);
        let mut other = self::connection(&gate);
        other.feed(Side::Client, &request[..request.len() - 1], Nanos(0), &mut |_| {});
        drop(other);
    }

    assert_eq!(of_produced(&gate, &batch(0, 1, &[7; 1_500])).len(), 1);
    assert_eq!(gate.left_out().map(|(_, count)| count), [0; 5]);
}

#[test]
fn a_batch_of_more_than_a_mebibyte_is_counted_and_not_copied() {
    let gate = gate();

    assert!(of_produced(&gate, &batch(0, 1, &vec![0; LONGEST_BATCH])).is_empty());

    assert_eq!(gate.left_out()[2], (LeftOut::TooLarge, 1));
}

proptest! {
    #[test]
    fn what_is_copied_does_not_depend_on_how_the_bytes_are_divided(
        which in any::<Index>(),
        asked_in in vec(any::<Index>(), 0..12),
        answered_in in vec(any::<Index>(), 0..12),
    ) {
        let vector = &VECTORS[which.index(VECTORS.len())];
        prop_assume!(!vector.name.contains("nothing but") && !vector.name.contains("cut off"));
        let request = producing(1, 1, &[(0, &vector.bytes), (1, &vector.bytes)]);
        let answers = [produced(1, &[Produced::default(), Produced { partition: 1, ..Produced::default() }])];
        let [asked, answered] = fetch_of(&vector.bytes);

        let gate = gate();
        let of_request = copied(&gate, &cut(&request, &asked_in), &[&answers[0]]);
        let of_answer = copied(&gate, &[&asked], &cut(&answered, &answered_in));

        prop_assert_eq!((of_request.len(), of_answer.len()), (2, 1));
        for sample in of_request.iter().chain(&of_answer) {
            prop_assert_eq!(headers(sample), Ok((vector.headers.clone(), vector.records)));
        }
    }

    #[test]
    fn one_changed_byte_is_read_or_is_not(which in any::<Index>(), place in any::<Index>(), byte in any::<u8>()) {
        let vector = &VECTORS[which.index(VECTORS.len())];
        prop_assume!(vector.bytes.len() > 61);
        let mut bytes = vector.bytes.clone();
        let place = 61 + place.index(bytes.len() - 61);
        bytes[place] = byte;

        for sample in of_produced(&gate(), &bytes) {
            let looked = headers(&sample);
            prop_assert!(looked.is_ok() || looked == Err(LeftOut::Unreadable) || looked == Err(LeftOut::TooLarge));
        }
    }
}
