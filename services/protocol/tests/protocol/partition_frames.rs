//! Builds frames of Produce and Fetch.

use crate::transcript::{request, response};

const PRODUCE: i16 = 0;
const FETCH: i16 = 1;
const MAX_WAIT_MS: i32 = 500;
/// The topic where none is named.
const T: &str = "t";

/// What the broker says of a produced partition.
#[derive(Default)]
pub struct Produced {
    pub partition: i32,
    pub error: i16,
    pub base_offset: i64,
}

/// What the broker says of a fetched partition.
#[derive(Default)]
pub struct Fetched {
    pub partition: i32,
    pub error: i16,
    pub high_watermark: i64,
    pub last_stable_offset: i64,
    pub aborted: Vec<(i64, i64)>,
    pub records: Vec<u8>,
}

fn number(count: usize) -> Vec<u8> {
    i32::try_from(count).unwrap().to_be_bytes().to_vec()
}

/// A message's part about topics, each with the same partitions.
fn topics(names: &[String], partitions: &[Vec<u8>]) -> Vec<u8> {
    let length = |name: &String| u16::try_from(name.len()).unwrap().to_be_bytes();
    let topic = |name| [&length(name)[..], name.as_bytes(), &number(partitions.len()), &partitions.concat()].concat();
    [number(names.len()), names.iter().flat_map(topic).collect()].concat()
}

/// A Produce request of version 7.
pub fn producing(correlation: i32, acks: i16, partitions: &[(i32, &[u8])]) -> Vec<u8> {
    producing_to(&[T.to_owned()], correlation, acks, partitions)
}

/// The same to each of these topics.
pub fn producing_to(names: &[String], correlation: i32, acks: i16, partitions: &[(i32, &[u8])]) -> Vec<u8> {
    let partition = |(index, records): &(i32, &[u8])| {
        [index.to_be_bytes().to_vec(), number(records.len()), records.to_vec()].concat()
    };
    let head = [(-1_i16).to_be_bytes().to_vec(), acks.to_be_bytes().to_vec(), number(30_000)].concat();
    let partitions: Vec<_> = partitions.iter().map(partition).collect();
    request(PRODUCE, 7, correlation, false, &[head, topics(names, &partitions)].concat())
}

/// A Produce response of version 7.
pub fn produced(correlation: i32, partitions: &[Produced]) -> Vec<u8> {
    produced_to(&[T.to_owned()], correlation, partitions)
}

/// The same of each of these topics.
pub fn produced_to(names: &[String], correlation: i32, partitions: &[Produced]) -> Vec<u8> {
    let partition = |one: &Produced| {
        let offsets = [one.base_offset, -1, 0].map(i64::to_be_bytes).concat();
        [&one.partition.to_be_bytes()[..], &one.error.to_be_bytes(), &offsets].concat()
    };
    let partitions: Vec<_> = partitions.iter().map(partition).collect();
    response(correlation, &[topics(names, &partitions), number(0)].concat())
}

/// A Fetch request of version 11, in a session (KIP-227) of this epoch; forgotten are partitions of the topic as well.
pub fn fetch_in_session(correlation: i32, epoch: i32, partitions: &[(i32, i64)], forgotten: &[i32]) -> Vec<u8> {
    fetch_of(&[T.to_owned()], correlation, epoch, partitions, forgotten)
}

/// The same of each of these topics.
pub fn fetch_of(
    names: &[String],
    correlation: i32,
    epoch: i32,
    partitions: &[(i32, i64)],
    forgotten: &[i32],
) -> Vec<u8> {
    let partition = |(index, offset): &(i32, i64)| {
        [&index.to_be_bytes()[..], &[0; 4], &offset.to_be_bytes(), &[0; 8], &[0; 4]].concat()
    };
    let partitions: Vec<_> = partitions.iter().map(partition).collect();
    let forgotten: Vec<_> = forgotten.iter().map(|index| index.to_be_bytes().to_vec()).collect();
    let listed = |partitions: &[Vec<u8>]| if partitions.is_empty() { number(0) } else { topics(names, partitions) };
    let head = [-1, MAX_WAIT_MS, 1, 1 << 20].map(i32::to_be_bytes).concat();
    let session = [7, epoch].map(i32::to_be_bytes).concat();
    let body = [head, vec![1], session, listed(&partitions), listed(&forgotten), vec![0, 2, b'r', b'1']].concat();
    request(FETCH, 11, correlation, false, &body)
}

/// A Fetch request of version 11 without a session.
pub fn fetch(correlation: i32, partitions: &[(i32, i64)]) -> Vec<u8> {
    fetch_in_session(correlation, -1, partitions, &[])
}

/// A Fetch response of version 11.
pub fn fetched(correlation: i32, partitions: &[Fetched]) -> Vec<u8> {
    fetched_of(&[T.to_owned()], correlation, partitions)
}

/// The same of each of these topics.
pub fn fetched_of(names: &[String], correlation: i32, partitions: &[Fetched]) -> Vec<u8> {
    let partition = |one: &Fetched| {
        let aborted = one.aborted.iter().flat_map(|(producer, first)| [*producer, *first]).map(i64::to_be_bytes);
        [
            one.partition.to_be_bytes().to_vec(),
            one.error.to_be_bytes().to_vec(),
            [one.high_watermark, one.last_stable_offset, 0].map(i64::to_be_bytes).concat(),
            number(one.aborted.len()),
            aborted.collect::<Vec<_>>().concat(),
            (-1_i32).to_be_bytes().to_vec(),
            number(one.records.len()),
            one.records.clone(),
        ]
        .concat()
    };
    let partitions: Vec<_> = partitions.iter().map(partition).collect();
    let listed = if partitions.is_empty() { number(0) } else { topics(names, &partitions) };
    response(correlation, &[vec![0; 4 + 2 + 4], listed].concat())
}

pub fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}
