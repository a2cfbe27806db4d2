//! What `make test-wire` counts the instructions of: `instructions <produce|fetch> <number of exchanges>`.
//!
//! Follows and counts one connection that writes or reads a batch of 4 KiB over and over, as observers do.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "nobody else runs it, and whoever calls it wrongly gets the message"
)]

use std::sync::Arc;

use kwitness_wire::aggregate::{Identity, Recorder, Settings, TopicNames};
use kwitness_wire::{Connection, Event, Limits, Nanos, Side};

const BATCH_BYTES: usize = 4 << 10;
const RECORDS: i32 = 40;
const TOPIC_ID: [u8; 16] = [7; 16];
/// Where a frame's correlation id is, in what a client sends and in what a broker does.
const ASKED: usize = 8;
const ANSWERED: usize = 4;

/// A request and its response, and where offsets are in them that each exchange moves on.
struct Exchange {
    request: Vec<u8>,
    response: Vec<u8>,
    offset_in_request: Option<usize>,
    offset_in_response: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, count] = &arguments[..] else { panic!("usage: instructions <produce|fetch> <number>") };
    let mut exchange = match name.as_str() {
        "produce" => produce(),
        "fetch" => fetch(),
        other => panic!("there is produce and fetch, and no {other}"),
    };
    let told = pass(&mut exchange, count.parse().expect("the number of exchanges"));
    println!("{told}");
}

/// Passes the exchange so many times; how many records were told.
fn pass(exchange: &mut Exchange, count: i32) -> u64 {
    let mut recorder = Recorder::new(Settings::of_at_most(1_000), Arc::new(TopicNames::new(1_000)), 0);
    let mut client = recorder.open(1, Identity::default(), false, 0);
    let mut connection = Connection::new(Limits::default());
    let mut told = 0;
    for number in 0..count {
        let offset = (i64::from(number) * i64::from(RECORDS)).to_be_bytes();
        exchange.request[ASKED..ASKED + 4].copy_from_slice(&number.to_be_bytes());
        exchange.response[ANSWERED..ANSWERED + 4].copy_from_slice(&number.to_be_bytes());
        if let Some(place) = exchange.offset_in_request {
            exchange.request[place..place + 8].copy_from_slice(&offset);
        }
        let place = exchange.offset_in_response;
        exchange.response[place..place + 8].copy_from_slice(&offset);
        for (side, bytes) in [(Side::Client, &exchange.request), (Side::Broker, &exchange.response)] {
            connection.feed(side, bytes, Nanos(0), &mut |event| {
                if let Event::Partition(partition) = &event {
                    told += partition.content.records;
                }
                recorder.record(&mut client, &event, 0);
            });
        }
    }
    let expected = i64::from(count) * i64::from(RECORDS);
    assert_eq!(i64::try_from(told).ok(), Some(expected), "not what was sent");
    told
}

fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&i32::try_from(body.len()).unwrap().to_be_bytes()[..], &body].concat()
}

fn request_header(key: i16, version: i16) -> Vec<u8> {
    [&key.to_be_bytes()[..], &version.to_be_bytes(), &[0; 4], &[0, 6], b"orders", &[0]].concat()
}

/// A batch of format 2, after its length as messages since Kafka 2.4 write it.
fn records() -> Vec<u8> {
    let length = i32::try_from(BATCH_BYTES - 12).unwrap();
    let mut batch = [&[0; 8][..], &length.to_be_bytes(), &[0; 4], &[2], &[0; 4], &[0; 2]].concat();
    batch.extend((RECORDS - 1).to_be_bytes());
    batch.extend([0; 16]);
    batch.extend([0xff; 14]);
    batch.extend(RECORDS.to_be_bytes());
    batch.resize(BATCH_BYTES, 0);
    let written = BATCH_BYTES + 1;
    let low = u8::try_from(written & 0x7f).unwrap() | 0x80;
    [&[low, u8::try_from(written >> 7).unwrap()][..], &batch].concat()
}

/// Produce version 13, and what it is answered.
fn produce() -> Exchange {
    let beginning = [&[0][..], &(-1_i16).to_be_bytes(), &30_000_i32.to_be_bytes(), &[2], &TOPIC_ID, &[2], &[0; 4]];
    let request = frame(&[&request_header(0, 13), &beginning.concat(), &records(), &[0; 3]]);
    let before = [&[0; 4][..], &[0], &[2], &TOPIC_ID, &[2], &[0; 4], &[0; 2]].concat();
    let after = [&[0xff; 8][..], &[0; 8], &[1], &[0], &[0], &[0], &[0; 4], &[0]].concat();
    let response = frame(&[&before, &[0; 8], &after]);
    Exchange { request, response, offset_in_request: None, offset_in_response: 4 + before.len() }
}

/// Fetch version 17 outside of a session, and what it is answered.
fn fetch() -> Exchange {
    let header = request_header(1, 17);
    let limits = [500, 1, 50 << 20].map(i32::to_be_bytes).concat();
    let session = [&[0][..], &[0; 4], &(-1_i32).to_be_bytes()].concat();
    let partition = [&[2][..], &TOPIC_ID, &[2], &[0; 4], &[0xff; 4]].concat();
    let before = [header, limits, session, partition].concat();
    let after = [&[0xff; 4][..], &[0xff; 8], &(1_i32 << 20).to_be_bytes(), &[0], &[0], &[1], &[1], &[0]].concat();
    let request = frame(&[&before, &[0; 8], &after]);
    let answered = [&[0; 4][..], &[0], &[0; 4], &[0; 2], &[0; 4], &[2], &TOPIC_ID, &[2], &[0; 4], &[0; 2]].concat();
    let partition = [&[0; 8][..], &[0; 8], &[0; 8], &[0], &[0xff; 4]].concat();
    let records = records();
    let response = frame(&[&answered, &partition, &records, &[0; 3]]);
    let offset_in_response = 4 + answered.len() + partition.len() + 2;
    Exchange { request, response, offset_in_request: Some(4 + before.len()), offset_in_response }
}
