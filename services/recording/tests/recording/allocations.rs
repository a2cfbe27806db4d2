//! What is done for each event allocates nothing, once a window knows its clients, topics and partitions.

use std::sync::Arc;

use allocation_counter::measure;
use kwitness_observation::Identity;
use kwitness_protocol::{Connection, Content, Event, Exchange, Limits, Nanos, PartitionExchange, Request, Side, Topic};
use kwitness_recording::{Client, Recorder, Settings, TopicNames};

use crate::partition_frames::{Produced, produced, producing};
use crate::record_vectors::RECORDS;

fn recorder() -> (Recorder, Client) {
    let mut recorder = Recorder::new(Settings::of_at_most(1_000), Arc::new(TopicNames::new(1_000)), 0);
    let client = recorder.open(1, Identity::default(), false, 0);
    (recorder, client)
}

fn exchanges(recorder: &mut Recorder, client: &mut Client) {
    for key in [0, 1] {
        recorder.record(
            client,
            &Event::Request(Request {
                key,
                version: 9,
                client_id: Some(b"shop"),
                bytes: 100,
                acks: None,
                is_idempotent: false,
            }),
            0,
        );
        for topic in [Topic::Name(b"orders"), Topic::Name(b"bills"), Topic::Id([7; 16])] {
            for partition in 0..3 {
                let offsets = Content { first_offset: Some(0), last_offset: Some(9), ..Content::default() };
                let content = Content { records: 10, batches: 1, ..offsets };
                let told = PartitionExchange {
                    key,
                    version: 9,
                    topic,
                    partition,
                    error: 0,
                    confirmed: true,
                    content,
                    fetched: None,
                };
                recorder.record(client, &Event::Partition(told), 0);
            }
            recorder.record(client, &Event::Presence { topic, partitions: 3 }, 0);
            recorder.record(client, &Event::TopicName { id: [7; 16], name: b"orders" }, 0);
        }
        let (asked, answered) = (Nanos(0), Nanos(5_000));
        let (request_bytes, bytes, error, throttle_ms, waited) = (100, 100, 3, 9, key == 1);
        recorder.record(
            client,
            &Event::Exchange(Exchange {
                key,
                version: 9,
                asked,
                answered,
                request_bytes,
                bytes,
                error,
                throttle_ms,
                waited,
                is_empty: waited,
            }),
            0,
        );
    }
}

#[test]
fn counting_what_is_known_allocates_nothing() {
    let (mut recorder, mut client) = recorder();
    exchanges(&mut recorder, &mut client);

    let allocated = measure(|| (0..100).for_each(|_| exchanges(&mut recorder, &mut client)));

    assert_eq!(allocated.count_total, 0);
}

#[test]
fn following_and_counting_a_produce_that_is_like_the_last_allocates_nothing() {
    let (mut recorder, mut client) = recorder();
    let mut connection = Connection::new(Limits::default());
    let batch = &RECORDS.iter().find(|one| one.name == "format 2 none of 3").unwrap().bytes;
    let bytes = [
        (Side::Client, producing(1, -1, &[(0, batch), (1, batch)])),
        (Side::Broker, produced(1, &[0, 1].map(|partition| Produced { partition, error: 0, base_offset: 0 }))),
    ];
    let mut once = || {
        for (side, bytes) in &bytes {
            connection.feed(*side, bytes, Nanos(0), &mut |event| recorder.record(&mut client, &event, 0));
        }
    };
    once();

    let allocated = measure(|| (0..100).for_each(|_| once()));

    assert_eq!(allocated.count_total, 0);
}

#[test]
fn ending_a_window_costs_no_more_when_there_is_more_in_it() {
    let cost = |clients: u32| {
        let (mut recorder, _) = recorder();
        for number in 0..clients {
            let mut client = recorder.open(number.into(), Identity::default(), false, 0);
            let client_id = number.to_string();
            let client_id = Some(client_id.as_bytes());
            recorder.record(
                &mut client,
                &Event::Request(Request { key: 3, version: 0, client_id, bytes: 1, acks: None, is_idempotent: false }),
                0,
            );
        }
        let mut window = None;
        let allocated = measure(|| window = Some(recorder.swap(10_000)));
        (window.map(|window| window.apis().count()), allocated.count_total)
    };
    let ((empty, cheapest), (full, dearest)) = (cost(0), cost(900));

    assert_eq!((empty, full), (Some(0), Some(900)));
    assert_eq!(cheapest, dearest);
}
