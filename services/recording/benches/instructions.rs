//! What `make test-wire` counts the instructions of: `instructions <produce|fetch> <count|rewrite> <number of exchanges>`.
//!
//! One connection writes or reads a batch of 4 KiB over and over. It is followed and counted, or its answers are looked
//! through for addresses, as observers do both.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "nobody else runs it, and whoever calls it wrongly gets the message"
)]

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{Address, AddressMap, Connection, Event, Limits, Nanos, Rewriter, Side};
use kwitness_recording::{Recorder, Settings, TopicNames};

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
    let [_, name, what, count] = &arguments[..] else {
        panic!("usage: instructions <produce|fetch> <count|rewrite> <number>")
    };
    let mut exchange = match name.as_str() {
        "produce" => produce(),
        "fetch" => fetch(),
        other => panic!("there is produce and fetch, and no {other}"),
    };
    let count: i32 = count.parse().expect("the number of exchanges");
    match what.as_str() {
        "count" => record(&mut exchange, count),
        "rewrite" => rewrite(&mut exchange, count),
        other => panic!("there is count and rewrite, and no {other}"),
    }
}

impl Exchange {
    /// Becomes the exchange with this number.
    fn turn_to(&mut self, number: i32) {
        let offset = (i64::from(number) * i64::from(RECORDS)).to_be_bytes();
        self.request[ASKED..ASKED + 4].copy_from_slice(&number.to_be_bytes());
        self.response[ANSWERED..ANSWERED + 4].copy_from_slice(&number.to_be_bytes());
        if let Some(place) = self.offset_in_request {
            self.request[place..place + 8].copy_from_slice(&offset);
        }
        let place = self.offset_in_response;
        self.response[place..place + 8].copy_from_slice(&offset);
    }
}

fn record(exchange: &mut Exchange, count: i32) {
    let mut recorder = Recorder::new(Settings::of_at_most(1_000), Arc::new(TopicNames::new(1_000)), 0);
    let mut client = recorder.open(1, Identity::default(), false, 0);
    let mut connection = Connection::new(Limits::default());
    let mut told = 0;
    for number in 0..count {
        exchange.turn_to(number);
        for (side, bytes) in [(Side::Client, &exchange.request), (Side::Broker, &exchange.response)] {
            connection.feed(side, bytes, Nanos(0), &mut |event| {
                if let Event::Partition(partition) = &event {
                    told += partition.content.records;
                }
                recorder.record(&mut client, &event, 0);
            });
        }
    }
    let sent = i64::from(count) * i64::from(RECORDS);
    assert_eq!(i64::try_from(told).ok(), Some(sent), "the records that were told are not those that were sent");
}

fn rewrite(exchange: &mut Exchange, count: i32) {
    let mut rewriter = Rewriter::new(Limits::default());
    let mut addresses = AddressMap::new(Address::new("gateway", 9092).unwrap());
    let mut spare = Vec::new();
    let mut passed = 0;
    for number in 0..count {
        exchange.turn_to(number);
        rewriter.asked(&exchange.request).expect("a request");
        passed += rewriter.answered(&mut exchange.response, &mut addresses, &mut spare).expect("a response").len();
    }
    let sent = exchange.response.len() * usize::try_from(count).unwrap();
    assert_eq!(passed, sent, "not all was passed on");
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
