//! Frames of Produce and Fetch, and what is told of their partitions.

use kwitness_protocol::{Content, Side, Unread};

use crate::kafka::VECTORS;
use crate::partition_frames::{Fetched, Produced, fetch, fetch_in_session, fetched, produced, producing, varint};
use crate::record_vectors::RECORDS;
use crate::transcript::{AnyTopic, Conversation, Exchanged, Told, frame, request, response};

const PRODUCE: i16 = 0;
const FETCH: i16 = 1;
const SHARE_FETCH: i16 = 78;
const MILLISECOND: u64 = 1_000_000;
/// Offset of the error of a Fetch response as a whole: behind length, correlation id and throttle time.
const ERROR: usize = 12;

/// Records that Kafka wrote.
fn vector(name: &str) -> &'static [u8] {
    &RECORDS.iter().find(|one| one.name == name).unwrap().bytes
}

/// A batch without compression of three records, from this offset on.
pub fn batch_at(offset: i64) -> Vec<u8> {
    let bytes = vector("format 2 none of 3");
    [&offset.to_be_bytes(), &bytes[8..]].concat()
}

/// The same, in a transaction of this producer, or its marker.
fn transactional(offset: i64, producer: i64, is_marker: bool) -> Vec<u8> {
    let mut batch = if is_marker { vector("marker ABORT").to_vec() } else { batch_at(0) };
    batch[..8].copy_from_slice(&offset.to_be_bytes());
    batch[22] |= 0x10;
    batch[43..51].copy_from_slice(&producer.to_be_bytes());
    batch
}

/// The same, as the batch of an idempotent producer that begins with this sequence number.
fn sequenced(first: i32) -> Vec<u8> {
    let mut batch = batch_at(0);
    batch[53..57].copy_from_slice(&first.to_be_bytes());
    batch
}

fn contents(conversation: &Conversation) -> Vec<(i32, Content)> {
    conversation.partitions().iter().map(|one| (one.partition, one.content)).collect()
}

#[test]
fn what_is_produced_is_told_when_the_broker_acknowledged_it() {
    let mut conversation = Conversation::new();
    let batch = batch_at(0);

    conversation.client(&producing(1, -1, &[(4, &batch)]));
    assert_eq!(conversation.partitions().len(), 0);
    conversation.broker(&produced(1, &[Produced { partition: 4, error: 0, base_offset: 70 }]));

    let expected = Exchanged {
        key: PRODUCE,
        version: 7,
        topic: AnyTopic::Name(b"t".to_vec()),
        partition: 4,
        error: 0,
        confirmed: true,
        content: Content {
            batches: 1,
            records: 3,
            bytes: batch.len() as u64,
            codecs: [1, 0, 0, 0, 0],
            first_offset: Some(70),
            last_offset: Some(72),
            min_timestamp_ms: Some(1_700_000_000_000),
            max_timestamp_ms: Some(1_700_000_000_020),
            ..Content::default()
        },
        fetched: None,
    };
    assert_eq!(conversation.partitions(), [&expected]);
}

#[test]
fn what_is_produced_without_acknowledgement_is_told_at_once_and_as_unconfirmed() {
    let mut conversation = Conversation::new();

    conversation.client(&producing(1, 0, &[(0, &batch_at(0)), (1, &batch_at(0))]));

    let told = conversation.partitions();
    assert_eq!(told.iter().map(|one| one.partition).collect::<Vec<_>>(), [0, 1]);
    assert!(told.iter().all(|one| !one.confirmed && one.content.records == 3 && one.content.first_offset.is_none()));
}

#[test]
fn a_produce_has_the_acks_that_the_client_sent() {
    for acks in [0, 1, -1, 7] {
        let mut conversation = Conversation::new();

        conversation.client(&producing(1, acks, &[(0, &batch_at(0))]));

        let mut requests = conversation.told.iter().filter(|event| matches!(event, Told::Request { .. }));
        assert!(matches!(requests.next(), Some(Told::Request { acks: Some(sent), .. }) if *sent == acks));
    }
}

#[test]
fn a_produce_is_idempotent_when_one_of_its_batches_has_a_producer_id() {
    for (producers, is_idempotent) in [([-1, -1], false), ([-1, 7], true), ([7, -1], true)] {
        let mut conversation = Conversation::new();
        let batches = producers.map(|producer: i64| {
            let mut batch = batch_at(0);
            batch[43..51].copy_from_slice(&producer.to_be_bytes());
            batch
        });

        conversation.client(&producing(1, -1, &[(0, &batches[0]), (1, &batches[1])]));

        let mut requests = conversation.told.iter().filter(|event| matches!(event, Told::Request { .. }));
        assert!(matches!(requests.next(), Some(Told::Request { is_idempotent: read, .. }) if *read == is_idempotent));
    }
}

#[test]
fn a_refused_partition_has_its_error() {
    let mut conversation = Conversation::new();

    conversation.client(&producing(1, 1, &[(0, &batch_at(0))]));
    conversation.broker(&produced(1, &[Produced { error: 6, base_offset: -1, ..Produced::default() }]));

    let told = conversation.partitions();
    assert_eq!((told[0].error, told[0].content.records, told[0].content.first_offset), (6, 3, None));
}

#[test]
fn answers_belong_to_partitions_in_whatever_order_they_come() {
    let mut conversation = Conversation::new();
    let (one, two) = (batch_at(0), vector("format 2 none of 300"));
    let answer = |partition| Produced { partition, ..Produced::default() };

    conversation.client(
        &[producing(1, 1, &[(0, &one), (1, two), (2, &one)]), producing(2, 1, &[(1, &sequenced(90))])].concat(),
    );
    conversation.broker(&produced(1, &[answer(2), answer(1), answer(9), answer(0), answer(2)]));
    conversation.broker(&produced(2, &[answer(1)]));

    let told: Vec<_> = contents(&conversation).iter().map(|(index, content)| (*index, content.records)).collect();
    assert_eq!(told, [(2, 3), (1, 300), (0, 3), (1, 3)]);
}

#[test]
fn a_batch_that_was_acknowledged_twice_counts_once() {
    let mut conversation = Conversation::new();

    for (correlation, first) in [(1, 40), (2, 43), (3, 40), (4, 46)] {
        conversation.client(&producing(correlation, -1, &[(0, &sequenced(first))]));
        conversation.broker(&produced(correlation, &[Produced::default()]));
    }
    conversation.client(&producing(5, -1, &[(0, &sequenced(46))]));
    conversation.broker(&produced(5, &[Produced { error: 46, ..Produced::default() }]));

    let told: Vec<_> =
        contents(&conversation).iter().map(|(_, content)| (content.records, content.duplicate_batches)).collect();
    assert_eq!(told, [(3, 0), (3, 0), (0, 1), (3, 0), (0, 1)]);
}

#[test]
fn ranges_of_offsets_begin_where_the_client_asked() {
    let mut conversation = Conversation::new();

    conversation.client(&fetch(1, &[(0, 101)]));
    let records = [batch_at(100), batch_at(103)].concat();
    conversation.broker(&fetched(1, &[Fetched { records, ..Fetched::default() }]));

    let [(0, content)] = contents(&conversation)[..] else { panic!("{:?}", conversation.told) };
    assert_eq!((content.first_offset, content.last_offset), (Some(101), Some(105)));
    assert_eq!((content.batches, content.records), (2, 5)); // the client leaves out what is before its offset
}

#[test]
fn records_of_aborted_transactions_are_counted_apart_until_their_marker() {
    let mut conversation = Conversation::new();
    let records = [
        transactional(0, 7, false),
        transactional(3, 8, false),
        transactional(6, 7, true),
        transactional(7, 7, false),
        transactional(10, 8, true),
    ];

    conversation.client(&fetch(1, &[(0, 0)]));
    let aborted = vec![(7, 0)];
    conversation.broker(&fetched(1, &[Fetched { aborted, records: records.concat(), ..Fetched::default() }]));

    let [(0, content)] = contents(&conversation)[..] else { panic!("{:?}", conversation.told) };
    assert_eq!((content.transactional_batches, content.transactional_records, content.aborted_records), (3, 9, 3));
    assert_eq!((content.batches, content.last_offset), (3, Some(9)));
}

#[test]
fn more_aborted_transactions_than_are_remembered_cost_the_count_of_their_records_in_that_partition_alone() {
    let mut conversation = Conversation::new();
    let records = || [transactional(0, 7, false), transactional(3, 7, true)].concat();
    let aborted = |count: i64| (0..count).map(|other| (other + 7, 0)).collect();
    let fetched_of =
        |partition, count| Fetched { partition, aborted: aborted(count), records: records(), ..Fetched::default() };

    conversation.client(&fetch(1, &[(0, 0), (1, 0), (2, 0)]));
    conversation.broker(&fetched(1, &[fetched_of(0, 1_000), fetched_of(1, 1_001), fetched_of(2, 1)]));

    let counts: Vec<_> =
        contents(&conversation).iter().map(|(_, content)| (content.records, content.aborted_records)).collect();
    assert_eq!(counts, [(3, 3), (3, 0), (3, 3)]);
    assert_eq!(conversation.unread(), [Unread::TooMany]);
}

#[test]
fn more_control_batches_of_a_share_fetch_than_are_remembered_leave_later_partitions_readable() {
    let mut conversation = Conversation::new();
    let marker = |offset: i64| transactional(offset, 7, true);
    let partition = |index: i32, markers: i64| {
        let records = [batch_at(0), (3..markers + 3).flat_map(marker).collect()].concat();
        let acquired = [&[2][..], &0_i64.to_be_bytes(), &(markers + 2).to_be_bytes(), &[0, 1, 0]].concat();
        let fields = [&index.to_be_bytes()[..], &[0; 2 + 1 + 2 + 1], &[0; 4 + 4 + 1], &varint(records.len() + 1)];
        [fields.concat(), records, acquired, vec![0]].concat()
    };
    let topic = [vec![2], vec![9; 16], vec![3], partition(0, 1_001), partition(1, 1), vec![0]].concat();

    conversation.client(&request(SHARE_FETCH, 1, 1, true, &[0; 2 + 4 + 4]));
    conversation.broker(&response(1, &[vec![0], vec![0; 4 + 2 + 1 + 4], topic, vec![1, 0]].concat()));

    let records: Vec<_> = contents(&conversation).iter().map(|(index, content)| (*index, content.records)).collect();
    assert_eq!(records, [(0, 3), (1, 3)]);
    assert_eq!(conversation.unread(), [Unread::TooMany]);
}

#[test]
fn a_fetch_session_remembers_what_later_requests_leave_out() {
    let mut conversation = Conversation::new();
    let topic = || AnyTopic::Name(b"t".to_vec());
    let answer = |partition, offset| Fetched { partition, records: batch_at(offset), ..Fetched::default() };

    conversation.client(&fetch_in_session(1, 0, &[(0, 11), (1, 21), (2, 31)], &[]));
    conversation.broker(&fetched(1, &[]));
    conversation.client(&fetch_in_session(2, 1, &[(1, 24)], &[2]));
    conversation.broker(&fetched(2, &[answer(0, 10), answer(1, 24), answer(2, 31)]));

    let first_offsets: Vec<_> = contents(&conversation).iter().map(|(_, content)| content.first_offset).collect();
    assert_eq!(first_offsets, [Some(11), Some(24), Some(31)]);
    assert_eq!(conversation.presences(), [(topic(), 3)]); // once a second

    conversation.client(&fetch_in_session(3, 2, &[], &[]));
    conversation.feed(Side::Broker, &fetched(3, &[]), 1_000 * MILLISECOND);
    assert_eq!(conversation.presences(), [(topic(), 3), (topic(), 2)]);

    conversation.client(&fetch_in_session(4, 0, &[(0, 13)], &[]));
    conversation.feed(Side::Broker, &fetched(4, &[]), 3_000 * MILLISECOND);
    assert_eq!(conversation.presences().last(), Some(&(topic(), 1)));
}

#[test]
fn fetches_of_replicas_count_for_no_client() {
    let mut conversation = Conversation::new();
    let mut asked = fetch(1, &[(0, 0)]);
    let replica_id = 4 + 8 + 4; // behind length and header
    asked[replica_id..replica_id + 4].copy_from_slice(&2_i32.to_be_bytes());

    conversation.client(&asked);
    conversation.broker(&fetched(1, &[Fetched { records: batch_at(0), ..Fetched::default() }]));

    let told = &conversation.told;
    assert!(matches!(told[..], [Told::Identity(..), Told::Request { .. }]), "{told:?}");
}

#[test]
fn a_fetch_waited_when_it_came_back_empty_or_late() {
    let waited_and_empty = |records: Vec<u8>, after_ms: u64, error: i16| {
        let mut conversation = Conversation::new();
        conversation.client(&fetch(1, &[(0, 0)]));
        let mut answer = fetched(1, &[Fetched { records, ..Fetched::default() }]);
        answer[ERROR..ERROR + 2].copy_from_slice(&error.to_be_bytes());
        conversation.feed(Side::Broker, &answer, after_ms * MILLISECOND);
        let Some(Told::Exchange(exchange)) = conversation.last() else { panic!("no exchange") };
        assert_eq!(exchange.error, error);
        (exchange.waited, exchange.is_empty)
    };

    assert_eq!(waited_and_empty(Vec::new(), 1, 0), (true, true));
    assert_eq!(waited_and_empty(Vec::new(), 1, 70), (true, false));
    assert_eq!(waited_and_empty(batch_at(0), 449, 0), (false, false));
    assert_eq!(waited_and_empty(batch_at(0), 450, 0), (true, false));
}

/// Kafka's classes wrote the messages of each API in each version.
#[test]
fn throttle_times_are_read_of_each_api_in_each_version() {
    let mut throttled = 0;
    for vectors in VECTORS.iter() {
        let requests = vectors.iter().filter(|vector| vector.is_request);
        for (request, response) in requests.flat_map(|request| vectors.iter().map(move |response| (request, response)))
        {
            if response.is_request || (response.key, response.version) != (request.key, request.version) {
                continue;
            }
            let mut body = response.frame.clone();
            body[..4].copy_from_slice(&request.frame[4..8]);
            let mut conversation = Conversation::new();
            conversation.client(&frame(&[&request.frame]));
            conversation.broker(&frame(&[&body]));
            let Some(Told::Exchange(exchange)) = conversation.last() else { continue };

            let expected = response.json()["throttleTimeMs"].as_i64().unwrap_or_default();
            throttled += usize::from(expected > 0);
            assert_eq!(i64::from(exchange.throttle_ms), expected.max(0), "{response}");
        }
    }
    assert!(throttled > 500, "{throttled}");
}

#[test]
fn a_response_that_cannot_be_read_is_counted_and_the_connection_followed_on() {
    let mut conversation = Conversation::new();

    conversation.client(&[producing(1, 1, &[(0, &batch_at(0))]), producing(2, 1, &[(0, &batch_at(0))])].concat());
    conversation.broker(&response(1, &[0, 0, 0, 1, 0xff, 0xf0]));
    conversation.broker(&produced(2, &[Produced::default()]));

    assert_eq!(conversation.unread(), [Unread::Malformed]);
    assert_eq!(conversation.exchanges(), [PRODUCE, PRODUCE]);
    assert_eq!(contents(&conversation).len(), 1);
}

#[test]
fn a_produce_of_more_partitions_than_are_remembered_is_told_of_none() {
    let mut conversation = Conversation::new();
    let partitions: Vec<(i32, &[u8])> = (0..10_001).map(|index| (index, &[][..])).collect();

    conversation.client(&producing(1, 1, &partitions));
    conversation.client(&producing(2, 1, &[(0, &batch_at(0))]));
    conversation.broker(&[response(1, &[]), produced(2, &[Produced::default()])].concat());

    assert_eq!(conversation.unread()[0], Unread::TooMany);
    assert_eq!(contents(&conversation).len(), 1);
}

#[test]
fn a_batch_in_a_large_frame_costs_its_head_alone() {
    let mut conversation = Conversation::new();
    let batch = vector("format 2 none of 300");
    let mut large = batch.to_vec();
    large.resize(8 << 20, 7);
    let length = i32::try_from(large.len() - 12).unwrap();
    large[8..12].copy_from_slice(&length.to_be_bytes());

    conversation.client(&producing(1, 1, &[(0, &large)]));
    conversation.broker(&produced(1, &[Produced::default()]));

    let [(0, content)] = contents(&conversation)[..] else { panic!("{:?}", conversation.unread()) };
    assert_eq!((content.records, content.bytes), (300, 8 << 20));
}

#[test]
fn a_frame_of_which_nothing_follows_the_header_is_malformed() {
    let mut conversation = Conversation::new();

    conversation.client(&request(FETCH, 11, 1, false, &[]));
    conversation.broker(&frame(&[&1_i32.to_be_bytes()]));

    assert_eq!(conversation.unread(), [Unread::Malformed, Unread::Malformed]);
    assert_eq!(conversation.exchanges(), [FETCH]);
}
