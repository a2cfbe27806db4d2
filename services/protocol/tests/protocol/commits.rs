//! Offsets of groups and ends of partitions, reported once the broker has answered them without an error.

use kwitness_protocol::Limits;

use crate::transcript::{AnyTopic, Conversation, Told, request, response};

const LIST_OFFSETS: i16 = 2;
const OFFSET_COMMIT: i16 = 8;
const TXN_OFFSET_COMMIT: i16 = 28;
const ID: [u8; 16] = [7; 16];
/// Partitions with the offsets that are committed.
type Offsets<'a> = &'a [(i32, i64)];

fn string(text: &str) -> Vec<u8> {
    [&i16::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
}

fn array(items: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let items: Vec<_> = items.into_iter().collect();
    [&i32::try_from(items.len()).unwrap().to_be_bytes()[..], &items.concat()].concat()
}

fn named(topics: &[(&str, Offsets<'_>)]) -> Vec<u8> {
    let partition = |(number, offset): &(i32, i64)| {
        [&number.to_be_bytes()[..], &offset.to_be_bytes(), &string("metadata")].concat()
    };
    array(topics.iter().map(|(name, offsets)| [string(name), array(offsets.iter().map(partition))].concat()))
}

/// `OffsetCommit` of version 2.
fn commit(correlation: i32, topics: &[(&str, Offsets<'_>)]) -> Vec<u8> {
    let before = [&string("readers")[..], &[0, 0, 0, 3], &string("member"), &[0xff; 8]].concat();
    request(OFFSET_COMMIT, 2, correlation, false, &[before, named(topics)].concat())
}

/// `TxnOffsetCommit` of version 0.
fn commit_in_transaction(correlation: i32, topics: &[(&str, Offsets<'_>)]) -> Vec<u8> {
    let before = [&string("mover")[..], &string("readers"), &[0; 8], &[0; 2]].concat();
    request(TXN_OFFSET_COMMIT, 0, correlation, false, &[before, named(topics)].concat())
}

/// Topics with partitions and their error codes.
fn errors(topics: &[(&str, &[(i32, i16)])]) -> Vec<u8> {
    let partition = |(number, error): &(i32, i16)| [&number.to_be_bytes()[..], &error.to_be_bytes()].concat();
    array(topics.iter().map(|(name, errors)| [string(name), array(errors.iter().map(partition))].concat()))
}

fn commits(conversation: &Conversation) -> Vec<Told> {
    conversation.told.iter().filter(|event| matches!(event, Told::Commit { .. })).cloned().collect()
}

fn commit_of(topic: &str, partition: i32, offset: i64, is_transactional: bool) -> Told {
    let (group, topic) = (b"readers".to_vec(), AnyTopic::Name(topic.into()));
    Told::Commit { group, is_transactional, topic, partition, offset }
}

#[test]
fn offsets_are_reported_of_partitions_that_are_answered_without_an_error() {
    let mut conversation = Conversation::new();
    conversation.client(&commit(1, &[("a", &[(0, 10), (1, 11)]), ("b", &[(0, 20)])]));
    assert_eq!(commits(&conversation), []);

    let answer = errors(&[("b", &[(0, 0), (0, 0), (9, 0)]), ("a", &[(1, 0), (0, 22)]), ("c", &[(0, 0)])]);
    conversation.broker(&response(1, &answer));

    assert_eq!(commits(&conversation), [commit_of("b", 0, 20, false), commit_of("a", 1, 11, false)]);
}

#[test]
fn topics_are_named_by_their_ids_since_version_10() {
    let mut conversation = Conversation::new();
    let partition = [&5_i32.to_be_bytes()[..], &77_i64.to_be_bytes(), &[0xff; 4], &[0], &[0]].concat();
    let topic = [&[2][..], &ID, &[2], &partition, &[0]].concat();
    let before = [&[8][..], b"readers", &[0, 0, 0, 3], &[7], b"member", &[0]].concat();
    conversation.client(&request(OFFSET_COMMIT, 10, 1, true, &[&before[..], &topic, &[0]].concat()));

    let answered = [&[2][..], &ID, &[2], &5_i32.to_be_bytes(), &[0, 0], &[0], &[0]].concat();
    conversation.broker(&response(1, &[&[0][..], &[0; 4], &answered, &[0]].concat()));

    let (group, topic) = (b"readers".to_vec(), AnyTopic::Id(ID));
    let expected = Told::Commit { group, is_transactional: false, topic, partition: 5, offset: 77 };
    assert_eq!(commits(&conversation), [expected], "{:?}", conversation.told);
}

#[test]
fn offsets_of_transactions_are_reported_as_such() {
    let mut conversation = Conversation::new();
    conversation.client(&commit_in_transaction(1, &[("a", &[(0, 10)])]));

    conversation.broker(&response(1, &[vec![0; 4], errors(&[("a", &[(0, 0)])])].concat()));

    assert_eq!(commits(&conversation), [commit_of("a", 0, 10, true)]);
}

#[test]
fn responses_belong_to_their_requests() {
    let mut conversation = Conversation::new();
    let requests =
        [commit(1, &[("a", &[(0, 1)])]), commit_in_transaction(2, &[("a", &[(0, 2)])]), commit(3, &[("a", &[(0, 3)])])];
    conversation.client(&requests.concat());

    // The second cannot be read.
    let agreed = errors(&[("a", &[(0, 0)])]);
    conversation.broker(&[response(1, &agreed), response(2, &[0; 3]), response(3, &agreed)].concat());

    assert_eq!(commits(&conversation), [commit_of("a", 0, 1, false), commit_of("a", 0, 3, false)]);
}

#[test]
fn a_request_that_is_not_kept_whole_or_needs_too_much_memory_reports_nothing() {
    let many: Vec<_> = (0..70_000).map(|number| (number, 1)).collect();
    for (limit, frame) in [(40, commit(1, &[("a", &[(0, 10)])])), (1 << 22, commit(1, &[("a", &many)]))] {
        let mut conversation = Conversation::with(Limits { message: limit, ..Limits::default() });

        conversation.client(&frame);
        conversation.broker(&response(1, &errors(&[("a", &[(0, 0)])])));

        assert_eq!(commits(&conversation), []);
        assert!(conversation.told.iter().any(|event| matches!(event, Told::Unread(OFFSET_COMMIT, ..))));
        assert_eq!(conversation.exchanges(), [OFFSET_COMMIT]);
    }
}

#[test]
fn memory_of_requests_that_wait_is_bounded_whatever_they_are_made_of() {
    let name = "n".repeat(30_000);
    let many: Vec<_> = (0..1_000).map(|number| (number, 1)).collect();
    for topics in [vec![(name.as_str(), &[][..])], vec![("a", &many)], vec![("a", &[][..]); 1_000]] {
        let mut conversation = Conversation::new();
        let requests = 2_000;

        (0..requests).for_each(|number| conversation.client(&commit(number, &topics)));

        let unread = conversation.told.iter().filter(|event| matches!(event, Told::Unread(OFFSET_COMMIT, ..))).count();
        assert!((1..2_000).contains(&unread), "{unread}");
        (0..requests).for_each(|number| conversation.broker(&response(number, &errors(&[]))));
        conversation.client(&commit(requests, &[("a", &[(0, 7)])]));
        conversation.broker(&response(requests, &errors(&[("a", &[(0, 0)])])));
        assert_eq!(commits(&conversation), [commit_of("a", 0, 7, false)]);
    }
}

#[test]
fn an_offset_below_zero_is_none() {
    let mut conversation = Conversation::new();
    conversation.client(&commit(1, &[("a", &[(0, -1)])]));

    conversation.broker(&response(1, &errors(&[("a", &[(0, 0)])])));

    assert_eq!(commits(&conversation), []);
}

/// Returns the ends that `ListOffsets` of version 2 reports for partitions with timestamps, their errors and offsets.
fn listed(replica: i32, isolation: u8, partitions: &[(i32, i64, i16, i64)]) -> Vec<Told> {
    let requested =
        |(number, timestamp, ..): &(i32, i64, i16, i64)| [&number.to_be_bytes()[..], &timestamp.to_be_bytes()].concat();
    let answered = |(number, _, error, offset): &(i32, i64, i16, i64)| {
        [&number.to_be_bytes()[..], &error.to_be_bytes(), &[0xff; 8], &offset.to_be_bytes()].concat()
    };
    let topics = |partitions: Vec<u8>| array([[string("a"), partitions].concat()]);
    let mut conversation = Conversation::new();
    let before = [&replica.to_be_bytes()[..], &[isolation]].concat();
    let body = [before, topics(array(partitions.iter().map(requested)))].concat();
    conversation.client(&request(LIST_OFFSETS, 2, 1, false, &body));
    let body = [vec![0; 4], topics(array(partitions.iter().map(answered)))].concat();
    conversation.broker(&response(1, &body));
    assert_eq!(conversation.exchanges(), [LIST_OFFSETS]);
    conversation.told.into_iter().filter(|event| matches!(event, Told::End(..))).collect()
}

#[test]
fn ends_of_partitions_are_reported_as_a_client_has_them_listed() {
    let end = |partition, offset| Told::End(AnyTopic::Name(b"a".to_vec()), partition, offset);
    let partitions = [(0, -1, 0, 7), (1, -2, 0, 3), (2, -1, 6, 9), (3, 1_760_000_000_000, 0, 4), (4, -1, 0, 0)];

    assert_eq!(listed(-1, 0, &partitions), [end(0, 7), end(4, 0)]);
    assert_eq!(listed(-1, 1, &partitions), [], "without open transactions it is not the high watermark");
    assert_eq!(listed(2, 0, &partitions), [], "a broker has its own log's end");
}
