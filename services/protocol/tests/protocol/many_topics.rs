//! More topics and partitions on a connection than are remembered: the oldest give way, and the newest count.

use kwitness_protocol::Side;

use crate::partition_frames::{
    Fetched, Produced, fetch_in_session, fetch_of, fetched, fetched_of, produced, produced_to, producing, producing_to,
};
use crate::record_vectors::RECORDS;
use crate::transcript::{AnyTopic, Conversation, Exchanged};

/// As many topics, and as many partitions, as are remembered.
const MOST: usize = 10_000;

/// A batch of an idempotent producer, from this offset on.
fn batch_at(offset: i64) -> Vec<u8> {
    let bytes = &RECORDS.iter().find(|one| one.name == "format 2 none of 3").unwrap().bytes;
    [&offset.to_be_bytes(), &bytes[8..]].concat()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("topic-{number}")).collect()
}

fn only(name: &str) -> [String; 1] {
    [name.to_owned()]
}

fn named(name: &str) -> AnyTopic {
    AnyTopic::Name(name.as_bytes().to_vec())
}

fn newest(conversation: &Conversation) -> &Exchanged {
    conversation.partitions().pop().unwrap()
}

/// Write to each topic; with acks, and have it acknowledged, or without.
fn write_to(conversation: &mut Conversation, names: &[String], acks: i16) {
    for some in names.chunks(1_000) {
        conversation.client(&producing_to(some, 7, acks, &[(0, &batch_at(0))]));
        if acks != 0 {
            conversation.broker(&produced_to(some, 7, &[Produced::default()]));
        }
    }
}

#[test]
fn a_new_topic_counts_after_as_many_as_are_remembered() {
    for (length, acks) in [(0, -1), (0, 0), (240, -1)] {
        let mut conversation = Conversation::new();
        let old: Vec<_> = names(MOST).iter().map(|name| format!("{name:x<length$}")).collect();

        write_to(&mut conversation, &old, acks);
        write_to(&mut conversation, &only("new"), acks);

        assert_eq!(conversation.unread(), [], "{acks}");
        assert_eq!((conversation.partitions().len(), &newest(&conversation).topic), (MOST + 1, &named("new")));
    }
}

#[test]
fn batches_of_recent_topics_that_are_acknowledged_twice_count_once_however_many_topics_there_are() {
    let mut conversation = Conversation::new();

    write_to(&mut conversation, &names(3 * MOST), -1);
    write_to(&mut conversation, &only("new"), -1);
    write_to(&mut conversation, &only("new"), -1);

    assert_eq!(newest(&conversation).content.duplicate_batches, 1);
}

#[test]
fn a_batch_that_is_acknowledged_twice_counts_once_after_as_many_partitions_as_are_remembered() {
    let mut conversation = Conversation::new();
    let last = i32::try_from(MOST).unwrap();

    for partition in (0..=last).chain([last]) {
        conversation.client(&producing(1, -1, &[(partition, &batch_at(0))]));
        conversation.broker(&produced(1, &[Produced { partition, ..Produced::default() }]));
    }

    assert_eq!(newest(&conversation).content.duplicate_batches, 1);
}

#[test]
fn a_topic_that_waits_for_its_answer_keeps_its_name_whatever_is_named_meanwhile() {
    let mut conversation = Conversation::new();

    conversation.client(&producing_to(&only("waiting"), 1, -1, &[(0, &batch_at(0))]));
    write_to(&mut conversation, &names(3 * MOST), 0);
    conversation.broker(&produced_to(&only("waiting"), 1, &[Produced::default()]));

    assert_eq!(conversation.unread(), []);
    let last = newest(&conversation);
    assert_eq!((&last.topic, last.confirmed, last.content.records), (&named("waiting"), true, 3));
}

#[test]
fn an_answer_that_is_under_way_keeps_its_topic_whatever_is_named_meanwhile() {
    let mut conversation = Conversation::new();
    let answer = fetched_of(&only("fetched"), 1, &[Fetched { records: batch_at(0), ..Fetched::default() }]);
    let (first, rest) = answer.split_at(answer.len() - 10);

    conversation.client(&fetch_of(&only("fetched"), 1, -1, &[(0, 0)], &[]));
    conversation.broker(first);
    // Its fetch session has gone, so that the answer alone refers to it.
    conversation.client(&fetch_of(&only("other"), 2, -1, &[(0, 0)], &[]));
    write_to(&mut conversation, &names(3 * MOST), 0);
    conversation.broker(rest);

    assert_eq!(newest(&conversation).topic, named("fetched"));
}

#[test]
fn a_fetch_session_keeps_its_offsets_whatever_else_is_named() {
    let mut conversation = Conversation::new();

    conversation.client(&fetch_in_session(1, 0, &[(0, 101)], &[]));
    conversation.broker(&fetched(1, &[]));
    write_to(&mut conversation, &names(3 * MOST), 0);
    conversation.client(&fetch_in_session(2, 1, &[], &[]));
    conversation.broker(&fetched(2, &[Fetched { records: batch_at(100), ..Fetched::default() }]));

    let last = newest(&conversation);
    assert_eq!((&last.topic, last.content.first_offset), (&named("t"), Some(101)));
}

#[test]
fn what_a_large_fetch_session_asks_for_now_begins_where_it_was_asked_for() {
    let mut conversation = Conversation::new();
    let (last, most) = (i32::try_from(MOST).unwrap(), MOST);
    let partitions: Vec<_> = (0..last).map(|partition| (partition, 0)).collect();
    let of_new = || fetched_of(&only("new"), 3, &[Fetched { records: batch_at(100), ..Fetched::default() }]);

    conversation.client(&fetch_in_session(1, 0, &partitions, &[]));
    conversation.client(&fetch_in_session(2, 1, &[(last, 101)], &[]));
    let of_last = Fetched { partition: last, records: batch_at(100), ..Fetched::default() };
    conversation.broker(&[fetched(1, &[]), fetched(2, &[of_last])].concat());
    assert_eq!(newest(&conversation).content.first_offset, Some(101));

    let mut conversation = Conversation::new();
    conversation.client(&fetch_of(&names(most), 1, 0, &[(0, 0)], &[]));
    conversation.client(&fetch_of(&only("new"), 3, 1, &[(0, 101)], &[]));
    conversation.broker(&[fetched(1, &[]), of_new()].concat());
    assert_eq!(newest(&conversation).content.first_offset, Some(101));
}

#[test]
fn a_session_forgets_topics_of_which_it_remembers_no_partition() {
    let mut conversation = Conversation::new();
    let most = i32::try_from(MOST).unwrap();
    let partitions: Vec<_> = (0..most).map(|partition| (partition, 0)).collect();

    // Partition 0 of `beyond` gives way to those of `t` that come after it.
    conversation.client(&fetch_of(&only("beyond"), 1, 0, &[(0, 0)], &[]));
    conversation.client(&fetch_in_session(2, 1, &partitions, &[]));
    conversation.client(&fetch_in_session(3, 1, &partitions, &[]));
    conversation.client(&fetch_of(&only("beyond"), 4, 1, &[(0, 0)], &[0]));
    let answers: Vec<_> = (1..=4).flat_map(|correlation| fetched(correlation, &[])).collect();
    conversation.feed(Side::Broker, &answers, 1_000_000_000);

    assert!(conversation.presences().iter().all(|(topic, _)| *topic == named("t")), "{:?}", conversation.presences());
}

#[test]
fn topics_that_all_wait_for_their_answers_leave_no_room_until_those_come() {
    let mut conversation = Conversation::new();
    let waiting = names(MOST);

    conversation.client(&producing_to(&waiting, 1, -1, &[(0, &[])]));
    for correlation in 2..100 {
        conversation.client(&producing_to(&only(&format!("new-{correlation}")), correlation, 0, &[(0, &batch_at(0))]));
    }
    let unread = conversation.unread().len();
    conversation.broker(&produced_to(&waiting, 1, &[Produced::default()]));
    write_to(&mut conversation, &only("new"), -1);

    assert!(unread > 0);
    assert_eq!((conversation.unread().len(), &newest(&conversation).topic), (unread, &named("new")));
}
