//! Of records as Kafka encodes them, in all formats and codecs, is told what Kafka counts.

use kwitness_protocol::{Content, Side, Unread};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::division::cut;
use crate::partition_frames::{Fetched, Produced, fetch, fetched, produced, producing};
use crate::record_vectors::{RECORDS, Records};
use crate::transcript::{Conversation, Told};

const OFFSET: i64 = 1_000;

fn conversation(requests: &[&[u8]], responses: &[&[u8]]) -> Conversation {
    let mut conversation = Conversation::new();
    for piece in requests {
        conversation.feed(Side::Client, piece, 1);
    }
    for piece in responses {
        conversation.feed(Side::Broker, piece, 2);
    }
    conversation
}

fn fetch_of(records: &Records) -> [Vec<u8>; 2] {
    [fetch(1, &[(0, OFFSET)]), fetched(1, &[Fetched { records: records.bytes.clone(), ..Fetched::default() }])]
}

#[test]
fn of_fetched_records_is_told_what_kafka_counts() {
    assert!(RECORDS.len() > 200);
    for records in RECORDS.iter() {
        let [asked, answered] = fetch_of(records);

        let conversation = conversation(&[&asked], &[&answered]);

        let expected = Content {
            first_offset: records.last_offset.and(Some(OFFSET)),
            last_offset: records.last_offset,
            ..records.content
        };
        let told: Vec<Content> = conversation.partitions().iter().map(|one| one.content).collect();
        assert_eq!(told, [expected], "{}", records.name);
        assert_eq!(conversation.unread(), [], "{}", records.name);
    }
}

#[test]
fn of_produced_records_is_told_what_kafka_counts_and_what_is_cut_off_is_refused() {
    for records in RECORDS.iter() {
        let request = producing(1, 1, &[(0, &records.bytes)]);
        let response = produced(1, &[Produced { base_offset: 50, ..Produced::default() }]);

        let conversation = conversation(&[&request], &[&response]);

        if records.name.contains("cut off") || records.name.contains("nothing but") {
            assert_eq!(conversation.unread(), [Unread::Malformed], "{}", records.name);
            assert_eq!(conversation.partitions().len(), 0, "{}", records.name);
            continue;
        }
        let [told] = conversation.partitions()[..] else { panic!("{}: {:?}", records.name, conversation.told) };
        let counted = Content { first_offset: None, last_offset: None, ..told.content };
        assert_eq!(counted, records.content, "{}", records.name);
        assert_eq!(told.content.first_offset, (counted.batches > 0).then_some(50), "{}", records.name);
        assert!(told.confirmed && told.error == 0);
    }
}

#[test]
fn records_are_counted_the_same_wherever_a_frame_is_divided() {
    for records in RECORDS.iter().filter(|one| one.name.contains(" of 3") || one.name.contains("twice")) {
        let [asked, answered] = fetch_of(records);
        let whole = conversation(&[&asked], &[&answered]).told;
        for place in 0..=answered.len() {
            let (first, rest) = answered.split_at(place);

            assert_eq!(conversation(&[&asked], &[first, rest]).told, whole, "{} at {place}", records.name);
        }
        for place in 0..=asked.len() {
            let (first, rest) = asked.split_at(place);

            assert_eq!(conversation(&[first, rest], &[&answered]).told, whole, "{} at {place}", records.name);
        }
    }
}

fn any_records() -> impl Strategy<Value = &'static Records> {
    any::<Index>().prop_map(|index| &RECORDS[index.index(RECORDS.len())])
}

proptest! {
    #[test]
    fn records_are_counted_the_same_in_any_pieces(
        records in any_records(),
        asked_in in vec(any::<Index>(), 0..12),
        answered_in in vec(any::<Index>(), 0..12),
    ) {
        let request = producing(1, 1, &[(0, &records.bytes), (1, &records.bytes)]);
        let response = produced(1, &[Produced::default(), Produced { partition: 1, ..Produced::default() }]);
        let whole = conversation(&[&request], &[&response]).told;
        let bytewise: Vec<&[u8]> = request.chunks(1).collect();

        let divided = conversation(&cut(&request, &asked_in), &cut(&response, &answered_in)).told;

        prop_assert_eq!(&divided, &whole);
        prop_assert_eq!(&conversation(&bytewise, &[&response]).told, &whole);
    }

    #[test]
    fn one_changed_byte_changes_counts_at_most(
        records in any_records(),
        place in any::<Index>(),
        byte in any::<u8>(),
        pieces in vec(any::<Index>(), 0..4),
    ) {
        let [asked, mut answered] = fetch_of(records);
        let place = 8 + place.index(answered.len() - 8); // behind length and correlation id
        answered[place] = byte;

        let conversation = conversation(&[&asked], &cut(&answered, &pieces));

        prop_assert!(!conversation.connection.is_opaque());
        prop_assert!(matches!(conversation.last(), Some(Told::Exchange(_))));
        let told: u64 = conversation.partitions().iter().map(|one| one.content.bytes).sum();
        prop_assert!(told <= answered.len() as u64);
    }
}
