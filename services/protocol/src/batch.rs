//! Heads of record batches, and of the messages that were before them.

use crate::event::Content;
use crate::reader::Reader;
use crate::reasons::Unread;
use crate::stop::Stop;

/// Which batch of which producer it is: a producer's id is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) producer: i64,
    pub(crate) epoch: i16,
    pub(crate) first: i32,
}

/// What a batch's head says. A message of format 0 or 1 is a batch of its own, as Kafka has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) first_offset: i64,
    pub(crate) last_offset: i64,
    /// Its whole length.
    pub(crate) bytes: usize,
    /// `None` where messages are compressed within a message.
    pub(crate) records: Option<u64>,
    pub(crate) codec: usize,
    /// Whether it is of format 2, which has headers.
    pub(crate) may_have_headers: bool,
    pub(crate) is_transactional: bool,
    pub(crate) is_control: bool,
    pub(crate) sequence: Option<Sequence>,
    pub(crate) min_timestamp_ms: Option<i64>,
    pub(crate) max_timestamp_ms: Option<i64>,
}

impl Batch {
    /// How many offsets it takes; `None` where that is known only after decompressing.
    pub(crate) const fn span(&self) -> Option<i64> {
        match self.records {
            Some(_) => Some(self.last_offset.saturating_sub(self.first_offset).saturating_add(1)),
            None => None,
        }
    }

    /// Returns true if each of its offsets has a record: compaction took none away.
    pub(crate) fn is_dense(&self) -> bool {
        self.span().and_then(|span| u64::try_from(span).ok()) == self.records
    }
}

/// Before the length there is an offset; the length counts from its own end.
const OVERHEAD: usize = 12;
const UP_TO_MAGIC: usize = 17;
const HEAD: usize = 61;
/// Offset, length, checksum, format, attributes, lengths of key and value.
const SHORTEST: [usize; 3] = [26, 34, HEAD];

const CODEC: i16 = 0x07;
const IS_LOG_APPEND_TIME: i16 = 0x08;
const IS_TRANSACTIONAL: i16 = 0x10;
const IS_CONTROL: i16 = 0x20;
const HAS_DELETE_HORIZON: i16 = 0x40;

/// The records of one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Records {
    left: usize,
}

/// The head that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// `None` where a batch begins that does not end: brokers cut off what is beyond a size.
    pub(crate) batch: Option<Batch>,
    /// How many bytes belong to it that nobody reads.
    pub(crate) skip: usize,
}

impl Records {
    pub(crate) const fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    pub(crate) const fn are_read(self) -> bool {
        self.left == 0
    }

    /// Read the next head.
    pub(crate) fn next(&mut self, reader: &mut Reader<'_>) -> Result<Head, Stop> {
        if self.left < UP_TO_MAGIC {
            return Ok(self.cut_off());
        }
        let mut start = reader.clone();
        let first_offset = start.int64()?;
        let length = start.int32()?;
        start.int32()?; // a leader's epoch, or a checksum
        let magic = start.int8()?;
        let shortest = usize::try_from(magic).ok().and_then(|magic| SHORTEST.get(magic));
        let bytes = usize::try_from(length).ok().and_then(|length| length.checked_add(OVERHEAD));
        let bytes = bytes.filter(|bytes| shortest.is_some_and(|shortest| bytes >= shortest));
        let bytes = bytes.ok_or(Stop::Unread(Unread::Malformed))?;
        if bytes > self.left {
            return Ok(self.cut_off());
        }
        let before = reader.left();
        let batch = if magic == 2 {
            let head: [u8; HEAD] = reader.array()?;
            batch(bytes, &mut Reader::new(&head))?
        } else {
            message(first_offset, bytes, magic, start, reader)?
        };
        self.left = self.left.saturating_sub(bytes);
        let read = before.saturating_sub(reader.left());
        Ok(Head { batch: Some(batch), skip: bytes.saturating_sub(read) })
    }

    /// Nobody reads the rest.
    pub(crate) const fn cut_off(&mut self) -> Head {
        let skip = self.left;
        self.left = 0;
        Head { batch: None, skip }
    }
}

fn batch(bytes: usize, head: &mut Reader<'_>) -> Result<Batch, Stop> {
    let first_offset = head.int64()?;
    head.take(4 + 4 + 1 + 4)?; // length, leader's epoch, format, checksum
    let attributes = head.int16()?;
    let last_delta = head.int32()?;
    let first_timestamp = head.int64()?;
    let max_timestamp = head.int64()?;
    let (producer, epoch, first) = (head.int64()?, head.int16()?, head.int32()?);
    let records = u64::try_from(head.int32()?).map_err(|_| Stop::Unread(Unread::Malformed))?;
    if last_delta < 0 {
        return Err(Stop::Unread(Unread::Malformed));
    }
    let min_timestamp = match attributes & (IS_LOG_APPEND_TIME | HAS_DELETE_HORIZON) {
        0 => first_timestamp,
        IS_LOG_APPEND_TIME => max_timestamp, // of every record
        _ => -1,
    };
    Ok(Batch {
        first_offset,
        last_offset: first_offset.saturating_add(last_delta.into()),
        bytes,
        records: Some(records),
        codec: codec(attributes),
        may_have_headers: true,
        is_transactional: attributes & IS_TRANSACTIONAL != 0,
        is_control: attributes & IS_CONTROL != 0,
        sequence: (producer >= 0).then_some(Sequence { producer, epoch, first }),
        min_timestamp_ms: timestamp(min_timestamp),
        max_timestamp_ms: timestamp(max_timestamp),
    })
}

/// A message of format 0 or 1, from its attributes on.
fn message<'a>(
    offset: i64,
    bytes: usize,
    magic: i8,
    mut rest: Reader<'a>,
    reader: &mut Reader<'a>,
) -> Result<Batch, Stop> {
    let attributes = i16::from(rest.int8()?);
    let timestamp = if magic == 1 { timestamp(rest.int64()?) } else { None };
    *reader = rest;
    let codec = codec(attributes);
    let is_plain = codec == 0;
    Ok(Batch {
        first_offset: offset,
        last_offset: offset, // of the last message within
        bytes,
        records: is_plain.then_some(1),
        codec,
        may_have_headers: false,
        is_transactional: false,
        is_control: false,
        sequence: None,
        min_timestamp_ms: timestamp.filter(|_| is_plain || attributes & IS_LOG_APPEND_TIME != 0),
        max_timestamp_ms: timestamp,
    })
}

fn codec(attributes: i16) -> usize {
    usize::try_from(attributes & CODEC).unwrap_or_default()
}

fn timestamp(milliseconds: i64) -> Option<i64> {
    (milliseconds >= 0).then_some(milliseconds)
}

impl Content {
    /// Count a batch, but for its offsets; `records` of it are the client's.
    pub(crate) fn count(&mut self, batch: &Batch, records: Option<u64>) {
        add(&mut self.batches, 1);
        add(&mut self.bytes, u64::try_from(batch.bytes).unwrap_or(u64::MAX));
        match records {
            Some(records) => add(&mut self.records, records),
            None => add(&mut self.unknown_batches, 1),
        }
        if let Some(codec) = self.codecs.get_mut(batch.codec) {
            add(codec, 1);
        }
        if batch.is_transactional {
            add(&mut self.transactional_batches, 1);
            add(&mut self.transactional_records, records.unwrap_or_default());
        }
        self.min_timestamp_ms = [self.min_timestamp_ms, batch.min_timestamp_ms].into_iter().flatten().min();
        self.max_timestamp_ms = self.max_timestamp_ms.max(batch.max_timestamp_ms);
    }
}

pub(crate) const fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}
