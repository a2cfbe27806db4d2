//! The records of a batch as they were before they were compressed, whatever a stranger has made of them.

use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;
use kwitness_protocol::Reader;
use kwitness_protocol::samples::LeftOut;
use lz4_flex::frame::FrameDecoder as Lz4;
use ruzstd::decoding::{FrameDecoder as Zstd, StreamingDecoder};

/// Nothing is read of records that are longer than this when they are decompressed, in bytes.
pub const LONGEST_RECORDS: usize = 8 << 20;

const NONE: usize = 0;
const GZIP: usize = 1;
const SNAPPY: usize = 2;
const LZ4: usize = 3;
const ZSTD: usize = 4;

/// What Java's library begins with and others do not: a name, then two numbers of four bytes.
const XERIAL: &[u8] = b"\x82SNAPPY\0";
const XERIAL_VERSIONS: usize = 8;
/// Three bytes of Snappy stand for 64 at most.
const MOST_OF_SNAPPY: usize = 22;

/// Decompress into `out`, which is emptied first, where that has to be; at most [`LONGEST_RECORDS`] bytes.
pub(super) fn decompress<'a>(codec: usize, bytes: &'a [u8], out: &'a mut Vec<u8>) -> Result<&'a [u8], LeftOut> {
    out.clear();
    match codec {
        NONE => return Ok(bytes),
        GZIP => read(MultiGzDecoder::new(bytes), out)?,
        SNAPPY => snappy(bytes, out)?,
        LZ4 => read(Lz4::new(bytes), out)?,
        ZSTD => {
            let mut decoder = Zstd::new();
            // A window of that length is allocated, and no larger one is needed.
            decoder.set_max_window_size(u64::try_from(LONGEST_RECORDS).unwrap_or(u64::MAX));
            read(StreamingDecoder::new_with_decoder(bytes, decoder).map_err(|_| LeftOut::Unreadable)?, out)?;
        }
        _ => return Err(LeftOut::Unreadable),
    }
    Ok(out)
}

fn read(from: impl Read, out: &mut Vec<u8>) -> Result<(), LeftOut> {
    let most = u64::try_from(LONGEST_RECORDS).unwrap_or(u64::MAX).saturating_add(1);
    let read: io::Result<usize> = from.take(most).read_to_end(out);
    match read {
        Ok(_) if out.len() > LONGEST_RECORDS => Err(LeftOut::TooLarge),
        Ok(_) => Ok(()),
        Err(_) => Err(LeftOut::Unreadable),
    }
}

fn snappy(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), LeftOut> {
    let Some(rest) = bytes.strip_prefix(XERIAL) else { return block(bytes, out) };
    let mut reader = Reader::new(rest);
    reader.take(XERIAL_VERSIONS).map_err(|_| LeftOut::Unreadable)?;
    while reader.left() > 0 {
        let chunk = reader.bytes(false).ok().flatten().ok_or(LeftOut::Unreadable)?;
        block(chunk, out)?;
    }
    Ok(())
}

/// A block of Snappy's own format, appended.
fn block(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), LeftOut> {
    let declared = snap::raw::decompress_len(bytes).map_err(|_| LeftOut::Unreadable)?;
    if declared > bytes.len().saturating_mul(MOST_OF_SNAPPY) {
        return Err(LeftOut::Unreadable);
    }
    let before = out.len();
    let length = before.saturating_add(declared);
    if length > LONGEST_RECORDS {
        return Err(LeftOut::TooLarge);
    }
    out.resize(length, 0);
    let room = out.get_mut(before..).unwrap_or_default();
    let written = snap::raw::Decoder::new().decompress(bytes, room).map_err(|_| LeftOut::Unreadable)?;
    if written == declared { Ok(()) } else { Err(LeftOut::Unreadable) }
}
