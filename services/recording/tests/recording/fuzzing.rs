//! What any bytes must leave true of samples: `cargo fuzz` looks for bytes that do not, and a test tries those that are
//! known.

use std::num::NonZeroU32;
use std::sync::Arc;

use kwitness_protocol::samples::{Gate, LeftOut, Sampling};
use kwitness_protocol::schema::Api;
use kwitness_protocol::{Connection, Limits, Nanos, Side};
use kwitness_recording::samples::{LONGEST_RECORDS, Seen, look};

use crate::transcript::request;

/// Records of format 2 in a batch of their own that is looked into: the codec, how many they are said to be, the bytes.
pub fn samples(bytes: &[u8]) {
    let Some(([codec, count @ ..], records)) = bytes.split_first_chunk::<3>() else { return };
    let count = i32::from(u16::from_be_bytes(*count));
    let length = i32::try_from(records.len() + 49).unwrap();
    let head = [&[0; 8][..], &length.to_be_bytes(), &[0; 4], &[2], &[0; 4], &[0, codec & 7], &[0; 20]].concat();
    let batch = [&head[..], &[0xff; 14], &count.to_be_bytes(), records].concat();
    let gate = Arc::new(Gate::new(1 << 20));
    let mut connection = Connection::new(Limits { request: 1 << 20, message: 1 << 12, ..Limits::default() });
    connection.sample(Some(Sampling { every: NonZeroU32::MIN, gate: Arc::clone(&gate) }), 0);
    let topic = [0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 0]; // one topic, one partition
    let size = i32::try_from(batch.len()).unwrap().to_be_bytes();
    let body = [&[0xff, 0xff, 0, 1, 0, 0, 0, 9][..], &topic, &size, &batch].concat();
    let request = request(Api::PRODUCE, 7, 1, false, &body);
    request.chunks(7).for_each(|piece| connection.feed(Side::Client, piece, Nanos(0), &mut |_| {}));
    let samples = connection.samples();
    assert_eq!(samples.len(), usize::from(count > 0 && !records.is_empty()));
    for sample in samples {
        let (mut ends, mut seen) = (0, 0);
        let looked = look(&sample, &mut Vec::new(), &mut |one| match one {
            Seen::End => ends += 1,
            Seen::Header { key, value } => seen += 2 + key.len() + value.map_or(0, <[u8]>::len),
        });
        match looked {
            Ok(()) => assert!(ends == count && seen <= LONGEST_RECORDS, "{ends} records, {seen} bytes of headers"),
            Err(why) => assert!((ends, seen) == (0, 0) && matches!(why, LeftOut::TooLarge | LeftOut::Unreadable)),
        }
    }
}
