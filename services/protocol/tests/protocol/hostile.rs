//! Whatever bytes come, nothing panics, and work and memory are bounded by the bytes that came.

use kwitness_protocol::schema::{api, walk};
use kwitness_protocol::{Fault, Framer, Limits, Opening, OutOfRange, Reader, RequestHeader, Side};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::division::cut;
use crate::fuzzing::Count;
use crate::kafka::{VECTORS, Vector};
use crate::transcript::{Conversation, Told, frame};

fn any_vector() -> impl Strategy<Value = &'static Vector> {
    any::<Index>().prop_map(|index| {
        let all = &VECTORS[1];
        &all[index.index(all.len())]
    })
}

/// Walk these bytes as the body of a message; how often the visitor was called.
fn visits(vector: &Vector, bytes: &[u8]) -> usize {
    let mut count = Count::default();
    let _ = walk(vector.layout(), vector.version, &mut Reader::new(bytes), &mut count);
    count.0
}

/// A visit takes a byte, but for structures that begin: at most as deep as a layout is.
fn bound(bytes: &[u8]) -> usize {
    4 * bytes.len() + 16
}

proptest! {
    #[test]
    fn garbage_costs_no_more_than_its_length(vector in any_vector(), bytes in vec(any::<u8>(), 0..300)) {
        prop_assert!(visits(vector, &bytes) <= bound(&bytes));
    }

    #[test]
    fn a_message_with_changed_bytes_costs_no_more_than_its_length(
        vector in any_vector(),
        changes in vec((any::<Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = vector.frame.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut reader = Reader::new(&bytes);
        if vector.is_request {
            let _ = Opening::read(&mut reader).and_then(|opening| RequestHeader::read(opening, 2, &mut reader));
        }
        for start in [0, 4, 10] {
            let body = bytes.get(start..).unwrap_or_default();
            prop_assert!(visits(vector, body) <= bound(body));
        }
    }

    #[test]
    fn a_connection_survives_any_bytes_in_any_pieces(
        vector in any_vector(),
        noise in vec(any::<u8>(), 0..200),
        changes in vec((any::<Index>(), any::<u8>()), 0..4),
        places in vec(any::<Index>(), 0..12),
    ) {
        let mut stream = [frame(&[&vector.frame]), noise].concat();
        for (place, byte) in changes {
            let place = place.index(stream.len());
            stream[place] = byte;
        }
        let mut conversation = Conversation::with(Limits { request: 1 << 16, response: 1 << 16, ..Limits::default() });
        for (turn, chunk) in cut(&stream, &places).into_iter().enumerate() {
            conversation.feed(if turn % 3 == 2 { Side::Broker } else { Side::Client }, chunk, 0);
        }

        let ends = conversation.told.iter().filter(|told| matches!(told, Told::Opaque(_))).count();
        prop_assert!(ends <= 1);
        prop_assert_eq!(conversation.connection.is_opaque(), ends == 1);
    }
}

#[test]
fn a_count_that_no_frame_could_hold_is_refused_before_its_first_element() {
    const METADATA: i16 = 3;
    let metadata = api(METADATA).unwrap();
    let cases: [(i16, &[u8]); 3] = [
        (0, &[0x7f, 0xff, 0xff, 0xff]),
        (12, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
        (12, &[0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x0f]), // four billion tagged fields
    ];
    for (version, bytes) in cases {
        let mut count = Count::default();
        let layout = metadata.request(version).unwrap();

        let walked = walk(layout, version, &mut Reader::new(bytes), &mut count);

        assert_eq!(walked, Err(Fault::BeyondFrame), "{version} {bytes:?}");
        assert!(count.0 <= 4);
    }
}

#[test]
fn a_known_tagged_field_ends_where_its_size_says() {
    const FETCH: i16 = 1;
    let fetch = api(FETCH).unwrap().request(12).unwrap();
    let body = |size: u8, content: &[u8]| {
        let fixed = [0; 4 + 4 + 4 + 4 + 1 + 4 + 4]; // up to the session's epoch
        [&fixed[..], &[1, 1, 1], &[1, 0, size], content].concat() // no topics, none forgotten, no rack; the cluster id
    };
    let walked = |bytes: &[u8]| walk(fetch, 12, &mut Reader::new(bytes), &mut Count::default());

    assert_eq!(walked(&body(3, &[3, b'i', b'd'])), Ok(()));
    assert_eq!(walked(&body(4, &[3, b'i', b'd', 0])), Err(Fault::TagSize));
    assert_eq!(walked(&body(2, &[3, b'i', b'd'])), Err(Fault::BeyondFrame));
}

#[test]
fn null_where_none_is_allowed_is_refused() {
    const DELETE_TOPICS: i16 = 20;
    let layout = api(DELETE_TOPICS).unwrap().request(1).unwrap();
    let cases: [&[u8]; 2] = [
        &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], // no array of names
        &[0, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0], // one name, which is null
    ];
    for bytes in cases {
        let walked = walk(layout, 1, &mut Reader::new(bytes), &mut Count::default());

        assert_eq!(walked, Err(Fault::Null), "{bytes:?}");
    }
}

#[test]
fn a_length_that_is_negative_or_above_the_limit_is_refused_for_good() {
    for length in [-1, i32::MIN, 11, i32::MAX] {
        let mut framer = Framer::new(10);

        assert_eq!(framer.next(&mut &length.to_be_bytes()[..]), Err(OutOfRange(length)));
        assert_eq!(framer.next(&mut &[0_u8; 8][..]), Err(OutOfRange(length)));
    }
}
