//! A Produce request: the batches' heads of each partition.

use super::batch::Records;
use super::memory::Memory;
use super::parts::Part;
use super::topics::TopicNumber;
use super::units::{After, Machine, Stop, name};
use crate::event::{Content, Event, IdentityField, PartitionExchange, Topic, Unread};
use crate::reader::{Fault, Reader};
use crate::schema::Api;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topic,
    Partition,
    Batch,
    PartitionEnd,
}

#[derive(Debug)]
pub(crate) struct ProduceRequest {
    version: i16,
    at: At,
    topics: usize,
    partitions: usize,
    topic: TopicNumber,
    part: Part,
    records: Records,
    /// `None` until it was read.
    pub(crate) acks: Option<i16>,
    /// How many parts of it wait in the memory.
    pub(crate) parts: usize,
}

impl ProduceRequest {
    pub(crate) fn new(version: i16) -> Self {
        Self {
            version,
            at: At::Head,
            topics: 0,
            partitions: 0,
            topic: TopicNumber::default(),
            part: Part::default(),
            records: Records::default(),
            acks: None,
            parts: 0,
        }
    }

    const fn is_flexible(&self) -> bool {
        self.version >= 9
    }

    /// Forget what was sent, which no response will confirm, and tell it.
    pub(crate) fn take_back(&self, memory: &mut Memory, tell: &mut impl FnMut(Event<'_>)) {
        for part in memory.parts.take_last(self.parts) {
            let Some(topic) = memory.topics.topic(part.topic) else { continue };
            tell(Event::Partition(PartitionExchange {
                key: Api::PRODUCE,
                version: self.version,
                topic,
                partition: part.partition,
                error: 0,
                confirmed: false,
                content: part.content,
            }));
        }
    }
}

/// A topic at the reader, by name or, in newer versions, by id.
pub(crate) fn topic<'a>(is_id: bool, flexible: bool, reader: &mut Reader<'a>) -> Result<Topic<'a>, Stop> {
    Ok(if is_id { Topic::Id(reader.array()?) } else { Topic::Name(name(flexible, reader)?.ok_or(Fault::Null)?) })
}

/// The number of elements of an array that may not be null.
pub(crate) fn count(flexible: bool, reader: &mut Reader<'_>) -> Result<usize, Fault> {
    reader.count(flexible)?.ok_or(Fault::Null)
}

impl Machine for ProduceRequest {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let flexible = self.is_flexible();
        match self.at {
            At::Head => {
                let transactional_id = if self.version >= 3 { name(flexible, reader)? } else { None };
                let acks = reader.int16()?;
                reader.int32()?; // timeout
                let topics = count(flexible, reader)?;
                (self.acks, self.topics, self.at) = (Some(acks), topics, At::Topic);
                let transactional_id = transactional_id.unwrap_or_default();
                memory.identities.tell(IdentityField::TransactionalId, transactional_id, tell);
            }
            At::Topic => {
                let Some(topics) = self.topics.checked_sub(1) else { return Ok(After::DONE) };
                let topic = topic(self.version >= 13, flexible, reader)?;
                let partitions = count(flexible, reader)?;
                self.topic = memory.topics.number(topic)?;
                (self.topics, self.partitions, self.at) = (topics, partitions, At::Partition);
            }
            At::Partition => {
                let Some(partitions) = self.partitions.checked_sub(1) else {
                    let tags = reader.tag_count(flexible)?;
                    self.at = At::Topic;
                    return Ok(After::tags(tags));
                };
                let index = reader.int32()?;
                let records = reader.count(flexible)?.unwrap_or_default();
                self.part = Part::new(self.topic, index);
                (self.partitions, self.records, self.at) = (partitions, Records::new(records), At::Batch);
            }
            At::Batch if self.records.are_read() => self.at = At::PartitionEnd,
            At::Batch => {
                let head = self.records.next(reader)?;
                let batch = head.batch.ok_or(Stop::Unread(Unread::Malformed))?;
                self.part.add(&batch);
                return Ok(After::skip(head.skip));
            }
            At::PartitionEnd => {
                let tags = reader.tag_count(flexible)?;
                memory.parts.push(self.part)?;
                self.parts = self.parts.saturating_add(1);
                self.at = At::Partition;
                return Ok(After::tags(tags));
            }
        }
        Ok(After::NEXT)
    }
}

/// The content of a part that was written from `base` on, or where that is not known.
pub(crate) fn written(part: &Part, base: Option<i64>, log_append_time_ms: Option<i64>) -> Content {
    let span = part.span.filter(|span| *span > 0);
    let last = base.zip(span).map(|(base, span)| base.saturating_add(span).saturating_sub(1));
    Content {
        first_offset: base.filter(|_| part.content.batches > 0),
        last_offset: last,
        min_timestamp_ms: log_append_time_ms.or(part.content.min_timestamp_ms),
        max_timestamp_ms: log_append_time_ms.or(part.content.max_timestamp_ms),
        ..part.content
    }
}
