//! A Produce response: what became of each partition.

use super::after::After;
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::produce::{is_flexible, written};
use super::units::{Machine, count};
use crate::cold::Outcome;
use crate::event::{Content, Event, PartitionExchange};
use crate::reader::Reader;
use crate::schema::Api;
use crate::side::Side;
use crate::stop::Stop;

/// The broker has the batch already.
const DUPLICATE_SEQUENCE_NUMBER: i16 = 46;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topics,
    RecordError,
    RecordErrorEnd,
    PartitionEnd,
    Throttle,
}

#[derive(Debug)]
pub(crate) struct ProduceResponse {
    version: i16,
    /// How many parts the request has.
    parts: usize,
    at: At,
    list: Listing,
    record_errors: usize,
    pub(crate) outcome: Outcome,
}

/// What the response says of one partition.
struct Answer {
    partition: i32,
    error: i16,
    base_offset: Option<i64>,
    log_append_time_ms: Option<i64>,
}

impl ProduceResponse {
    pub(crate) fn new(version: i16, parts: usize) -> Self {
        let list = Listing::new(Side::Broker, is_flexible(version), version >= 13);
        Self { version, parts, at: At::Head, list, record_errors: 0, outcome: Outcome::default() }
    }

    fn answered(&self, answer: &Answer, memory: &mut Memory, tell: &mut impl FnMut(Event<'_>)) {
        let Answer { partition, error, .. } = *answer;
        let Some(part) = memory.parts.answered(self.parts, self.list.topic, partition) else { return };
        let Some(topic) = memory.topics.topic(self.list.topic) else { return };
        let is_duplicate = error == DUPLICATE_SEQUENCE_NUMBER
            || error == 0
                && part.sequence.is_some_and(|one| memory.sequences.acknowledge(self.list.topic, partition, one));
        let content = if is_duplicate {
            Content { duplicate_batches: part.content.batches, ..Content::default() }
        } else {
            written(part, answer.base_offset, answer.log_append_time_ms)
        };
        let (key, version) = (Api::PRODUCE, self.version);
        tell(Event::Partition(PartitionExchange {
            key,
            version,
            topic,
            partition,
            error,
            confirmed: true,
            content,
            fetched: None,
        }));
    }
}

impl Machine for ProduceResponse {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let flexible = is_flexible(self.version);
        match self.at {
            At::Head => {
                self.list.begin(reader)?;
                self.at = At::Topics;
            }
            At::Topics => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let known = |value: i64| (value >= 0).then_some(value);
                    let (partition, error) = (reader.int32()?, reader.int16()?);
                    let base_offset = known(reader.int64()?);
                    let log_append_time_ms = if self.version >= 2 { known(reader.int64()?) } else { None };
                    if self.version >= 5 {
                        reader.int64()?; // where the log starts
                    }
                    if self.version >= 8 {
                        (self.record_errors, self.at) = (count(flexible, reader)?, At::RecordError);
                    }
                    self.list.pass_partition();
                    self.answered(&Answer { partition, error, base_offset, log_append_time_ms }, memory, tell);
                }
                Next::End if self.version >= 1 => self.at = At::Throttle,
                Next::End => return Ok(After::Done),
            },
            At::RecordError if self.record_errors > 0 => {
                reader.int32()?;
                let message = reader.string_size(flexible)?;
                (self.record_errors, self.at) = (self.record_errors.saturating_sub(1), At::RecordErrorEnd);
                return Ok(After::Skip(message.unwrap_or_default()));
            }
            At::RecordErrorEnd => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::RecordError;
                return Ok(After::Tags(tags));
            }
            At::RecordError => {
                let message = reader.string_size(flexible)?;
                self.at = At::PartitionEnd;
                return Ok(After::Skip(message.unwrap_or_default()));
            }
            At::PartitionEnd => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::Topics;
                return Ok(After::Tags(tags));
            }
            At::Throttle => {
                self.outcome.throttle_ms = reader.int32()?;
                return Ok(After::Done);
            }
        }
        Ok(After::Next)
    }
}
