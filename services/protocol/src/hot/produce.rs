//! A Produce request: the batches' heads of each partition.

use super::after::After;
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::parts::Part;
use super::units::{Machine, name};
use crate::batch::Records;
use crate::event::{Content, Event, PartitionExchange};
use crate::identity_field::IdentityField;
use crate::reader::Reader;
use crate::reasons::Unread;
use crate::schema::Api;
use crate::side::Side;
use crate::stop::Stop;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topics,
    Batch,
}

#[derive(Debug)]
pub(crate) struct ProduceRequest {
    version: i16,
    at: At,
    list: Listing,
    part: Part,
    records: Records,
    /// `None` until it was read.
    pub(crate) acks: Option<i16>,
    /// True if a batch so far is of an idempotent producer.
    pub(crate) is_idempotent: bool,
    /// How many parts of it wait in the memory.
    pub(crate) parts: usize,
}

impl ProduceRequest {
    pub(crate) fn new(version: i16) -> Self {
        Self {
            version,
            at: At::Head,
            list: Listing::new(Side::Client, is_flexible(version), version >= 13),
            part: Part::default(),
            records: Records::default(),
            acks: None,
            is_idempotent: false,
            parts: 0,
        }
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
                fetched: None,
            }));
        }
    }
}

impl Machine for ProduceRequest {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let flexible = is_flexible(self.version);
        match self.at {
            At::Head => {
                let transactional_id = if self.version >= 3 { name(flexible, reader)? } else { None };
                let acks = reader.int16()?;
                reader.int32()?; // timeout
                self.list.begin(reader)?;
                (self.acks, self.at) = (Some(acks), At::Topics);
                let transactional_id = transactional_id.unwrap_or_default();
                memory.cold.identities.tell(IdentityField::TransactionalId, transactional_id, tell);
            }
            At::Topics => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let index = reader.int32()?;
                    let records = reader.count(flexible)?.unwrap_or_default();
                    self.list.pass_partition();
                    self.part = Part::new(self.list.topic, index);
                    (self.records, self.at) = (Records::new(records), At::Batch);
                }
                Next::End => return Ok(After::Done),
            },
            At::Batch if self.records.are_read() => {
                let tags = reader.tag_count(flexible)?;
                memory.parts.push(self.part)?;
                self.parts = self.parts.saturating_add(1);
                self.at = At::Topics;
                return Ok(After::Tags(tags));
            }
            At::Batch => {
                let head = self.records.next(reader)?;
                let batch = head.batch.ok_or(Stop::Unread(Unread::Malformed))?;
                self.part.add(&batch);
                self.is_idempotent |= batch.sequence.is_some();
                return Ok(memory.after(Api::PRODUCE, self.list.topic, &batch, head.skip));
            }
        }
        Ok(After::Next)
    }
}

/// Whether a request or response of this version is flexible (KIP-482).
pub(crate) const fn is_flexible(version: i16) -> bool {
    version >= 9
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
