//! Records of format 2, of which the headers are read; nothing is believed, and nothing allocated.

use kwitness_protocol::{Fault, Reader};

/// What is seen of a record, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen<'a> {
    /// A header.
    Header {
        /// Its key, which need not be UTF-8.
        key: &'a [u8],
        /// Its value, which may be null.
        value: Option<&'a [u8]>,
    },
    /// The record has no further one.
    End,
}

/// A 64-bit number takes no more bytes.
const LONGEST_NUMBER: usize = 10;

/// Read as many records as a batch's head says, and see to it that there are no others.
pub(super) fn walk<'a>(bytes: &'a [u8], records: u64, see: &mut impl FnMut(Seen<'a>)) -> Result<(), Fault> {
    let mut reader = Reader::new(bytes);
    for _ in 0..records {
        let size = length(&mut reader)?.ok_or(Fault::Null)?;
        let mut record = Reader::new(reader.take(size)?);
        record.int8()?; // attributes
        pass_number(&mut record)?; // the timestamp
        pass_number(&mut record)?; // the offset
        pass_bytes(&mut record)?; // the key
        pass_bytes(&mut record)?; // the value
        for _ in 0..usize::try_from(signed(&mut record)?).map_err(|_| Fault::Length)? {
            let size = length(&mut record)?.ok_or(Fault::Null)?;
            let key = record.take(size)?;
            let value = length(&mut record)?.map(|size| record.take(size)).transpose()?;
            see(Seen::Header { key, value });
        }
        record.end()?;
        see(Seen::End);
    }
    reader.end()
}

/// A number whose sign is in its lowest bit.
fn signed(reader: &mut Reader<'_>) -> Result<i32, Fault> {
    let number = reader.varint()?;
    let half = i32::try_from(number >> 1).map_err(|_| Fault::Varint)?;
    Ok(if number & 1 == 0 { half } else { !half })
}

/// The length of what follows; `None` is null.
fn length(reader: &mut Reader<'_>) -> Result<Option<usize>, Fault> {
    match signed(reader)? {
        -1 => Ok(None),
        length => usize::try_from(length).map(Some).map_err(|_| Fault::Length),
    }
}

fn pass_bytes(reader: &mut Reader<'_>) -> Result<(), Fault> {
    if let Some(length) = length(reader)? {
        reader.take(length)?;
    }
    Ok(())
}

fn pass_number(reader: &mut Reader<'_>) -> Result<(), Fault> {
    for _ in 0..LONGEST_NUMBER {
        let [byte] = reader.array()?;
        if byte & 0x80 == 0 {
            return Ok(());
        }
    }
    Err(Fault::Varint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record without key and value, with these bytes for its headers.
    fn record(headers: &[u8]) -> Vec<u8> {
        let body = [&[0, 0, 0, 1, 1][..], headers].concat();
        [&[u8::try_from(body.len().saturating_mul(2)).unwrap()][..], &body].concat()
    }

    fn seen(bytes: &[u8], records: u64) -> Result<Vec<Seen<'_>>, Fault> {
        let mut all = Vec::new();
        walk(bytes, records, &mut |seen| all.push(seen))?;
        Ok(all)
    }

    #[test]
    fn headers_are_seen_with_their_record_and_may_be_null_or_empty() {
        let bytes = [record(&[6, 2, b'a', 4, b'x', b'y', 0, 0, 2, b'a', 1]), record(&[0])].concat();

        let expected = [
            Seen::Header { key: b"a", value: Some(b"xy") },
            Seen::Header { key: b"", value: Some(b"") },
            Seen::Header { key: b"a", value: None },
            Seen::End,
            Seen::End,
        ];
        assert_eq!(seen(&bytes, 2).unwrap(), expected);
    }

    #[test]
    fn lengths_and_counts_that_lie_are_refused() {
        let good = record(&[2, 2, b'a', 2, b'x']);
        assert_eq!(seen(&good, 1).unwrap().len(), 2);

        assert_eq!(seen(&good, 2), Err(Fault::BeyondFrame), "a record more than there are");
        assert_eq!(seen(&[&good[..], &good].concat(), 1), Err(Fault::Trailing), "a record more than is said");
        for (headers, why) in [
            (&[4, 2, b'a', 2, b'x'][..], Fault::BeyondFrame),
            (&[0, 2, b'a', 2, b'x'], Fault::Trailing),
            (&[1, 2, b'a', 2, b'x'], Fault::Length),
            (&[2, 1, b'a', 2, b'x'], Fault::Null),
            (&[2, 3, b'a', 2, b'x'], Fault::Length),
            (&[2, 2, b'a', 3, b'x'], Fault::Length),
            (&[2, 0xfe, 0xff, 0xff, 0xff, 0x0f, b'a', 2, b'x'], Fault::BeyondFrame),
            (&[0xfe, 0xff, 0xff, 0xff, 0x0f], Fault::BeyondFrame),
            (&[0xfe, 0xff, 0xff, 0xff, 0x1f], Fault::Varint),
        ] {
            assert_eq!(seen(&record(headers), 1), Err(why), "{headers:?}");
        }
        assert_eq!(
            seen(&[24, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0], 1),
            Err(Fault::Varint)
        );
    }
}
