//! Whatever the bytes, the answer is columns that fit together.
#![expect(clippy::expect_used, reason = "a test fails that way")]

use kwitness_otlp::{Bytes, Decoded, Headers, Lists, MALFORMED, READ, Settings, decode, header_columns};
use proptest::prelude::*;

/// `MetricsData` with one gauge `a` of 1.5 that has the attribute `k` = `v`.
const PUSH: &[u8] =
    b"\x0a\x1e\x12\x1c\x12\x1a\x0a\x01a*\x15\x0a\x13!\0\0\0\0\0\0\xf8\x3f:\x08\x0a\x01k\x12\x03\x0a\x01v";

fn offsets(places: &[usize]) -> Vec<u8> {
    places.iter().flat_map(|one| i32::try_from(*one).unwrap_or(-1).to_le_bytes()).collect()
}

fn read(payload: &[u8]) -> Decoded {
    let places = offsets(&[0, payload.len()]);
    let values = Bytes::new(&places, payload).expect("two offsets");
    decode(&values, 0, Settings { prefixes: &[], most: 100 }).expect("the offsets fit")
}

/// How many points there are by each column.
fn lengths(read: &Decoded) -> Vec<usize> {
    let words = [&read.start_ms, &read.value, &read.observations].map(|one| one.len().div_euclid(8));
    let lists =
        [&read.bounds.0, &read.bucket_counts.0, &read.metric.offsets, &read.unit.offsets, &read.attributes.offsets]
            .map(|one| one.len().div_euclid(4).saturating_sub(1));
    words.into_iter().chain(lists).collect()
}

#[test]
fn a_push_is_read() {
    let found = read(PUSH);

    assert_eq!(found.outcomes, [READ]);
    assert_eq!((found.metric.data.as_slice(), found.shape.data.as_slice()), (&b"a"[..], &b"gauge"[..]));
    assert_eq!(found.attributes.data, b"{\"k\":\"v\"}");
    assert_eq!(found.value, 1.5_f64.to_le_bytes());
    assert_eq!(lengths(&found), [1; 8]);
}

#[test]
fn each_cut_of_a_push_is_malformed_but_those_between_its_fields() {
    for end in 1..PUSH.len() {
        assert_eq!(read(PUSH.get(..end).expect("within")).outcomes, [MALFORMED], "cut at {end}");
    }
}

#[test]
fn messages_within_messages_end_somewhere() {
    let mut value = b"\x0a\x01v".to_vec();
    for _ in 0..2_000 {
        let mut outer = vec![0x0a];
        varint(value.len(), &mut outer);
        outer.append(&mut value);
        value = vec![0x2a];
        varint(outer.len(), &mut value);
        value.append(&mut outer);
    }
    let mut whole = value;
    // Of an attribute's value: data point, gauge, metric, scope, resource.
    for tag in [0x12, 0x3a, 0x0a, 0x2a, 0x12, 0x12, 0x0a] {
        let mut outer = vec![tag];
        varint(whole.len(), &mut outer);
        outer.append(&mut whole);
        whole = outer;
    }

    assert_eq!(read(&whole).outcomes, [MALFORMED]);
    assert_eq!(read(&vec![0x0b; 100_000]).outcomes, [MALFORMED], "groups within groups");
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number > 127 {
        out.push(u8::try_from(number & 127).unwrap_or_default() | 128);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or_default());
}

proptest! {
    #[test]
    fn any_bytes_give_columns_that_fit(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let found = read(&bytes);
        prop_assert!(lengths(&found).windows(2).all(|pair| pair.first() == pair.last()));
    }

    #[test]
    fn a_changed_push_gives_columns_that_fit(at in 0..PUSH.len(), byte in any::<u8>(), end in 0..PUSH.len()) {
        let mut bytes = PUSH.to_vec();
        if let Some(one) = bytes.get_mut(at) {
            *one = byte;
        }
        for content in [bytes.as_slice(), bytes.get(..end).unwrap_or_default()] {
            let found = read(content);
            prop_assert!(lengths(&found).windows(2).all(|pair| pair.first() == pair.last()));
        }
    }

    #[test]
    fn offsets_that_do_not_fit_are_refused(places in proptest::collection::vec(any::<i32>(), 1..9), data in any::<[u8; 8]>()) {
        let bytes: Vec<u8> = places.iter().flat_map(|one| one.to_le_bytes()).collect();
        let values = Bytes::new(&bytes, &data).expect("whole offsets");
        let fits = places.is_sorted() && places.iter().all(|one| (0..=8).contains(one));
        let read = decode(&values, 0, Settings { prefixes: &[], most: 9 });
        prop_assert!(read.is_ok() || !fits);
        let lists = Lists::new(&bytes).expect("whole offsets");
        let headers = Headers { lists, keys: values, values, present: &[] };
        drop(header_columns(&headers, &["a".to_owned()]));
    }
}
