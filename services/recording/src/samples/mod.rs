//! Reads the headers of records (KIP-82) in batches that were copied.
//!
//! It decompresses, so it is for a thread that relays nothing.

mod decompress;
mod records;

use kwitness_protocol::samples::{LeftOut, Sample};

pub use decompress::LONGEST_RECORDS;
use decompress::decompress;
pub use records::Seen;
use records::walk;

/// What is kept for the next batch of the memory that one was decompressed in, in bytes.
const USUAL_RECORDS: usize = 1 << 20;

/// See the headers of all records of a sample, or of none. `memory` is for what is decompressed, and may be used again.
///
/// # Errors
/// [`LeftOut::TooLarge`] or [`LeftOut::Unreadable`].
pub fn look(sample: &Sample, memory: &mut Vec<u8>, see: &mut impl FnMut(Seen<'_>)) -> Result<(), LeftOut> {
    let looked = look_within(sample, memory, see);
    memory.clear();
    memory.shrink_to(USUAL_RECORDS);
    looked
}

fn look_within(sample: &Sample, memory: &mut Vec<u8>, see: &mut impl FnMut(Seen<'_>)) -> Result<(), LeftOut> {
    let records = decompress(sample.codec(), sample.bytes(), memory)?;
    walk(records, sample.records(), &mut |_| {}).map_err(|_| LeftOut::Unreadable)?;
    walk(records, sample.records(), &mut |seen| see(seen)).map_err(|_| LeftOut::Unreadable)
}
