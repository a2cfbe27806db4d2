//! A Fetch response: the batches' heads of each partition.

use super::aborted::Aborted;
use super::batch::{Batch, Records, add};
use super::fetch::{has_ids, is_flexible};
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::units::{After, Machine, Stop};
use crate::event::{Content, Event, PartitionExchange};
use crate::reader::Reader;
use crate::schema::Api;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topics,
    Aborted,
    Batch,
}

#[derive(Debug)]
pub(crate) struct FetchResponse {
    version: i16,
    /// Whether a broker asked, of whom nothing is told.
    is_replica: bool,
    at: At,
    list: Listing,
    transactions: usize,
    partition: i32,
    partition_error: i16,
    asked: Option<i64>,
    aborted: Aborted,
    /// A partition was reported without its `aborted_records`.
    pub(crate) lacks_aborted: bool,
    records: Records,
    content: Content,
    /// Of the response itself.
    pub(crate) error: i16,
    /// Whether any partition has records, complete or not.
    pub(crate) has_records: bool,
}

impl FetchResponse {
    pub(crate) fn new(version: i16, is_replica: bool) -> Self {
        Self {
            version,
            is_replica,
            at: At::Head,
            list: Listing::new(is_flexible(version), has_ids(version)),
            transactions: 0,
            partition: 0,
            partition_error: 0,
            asked: None,
            aborted: Aborted::default(),
            lacks_aborted: false,
            records: Records::default(),
            content: Content::default(),
            error: 0,
            has_records: false,
        }
    }

    fn add(&mut self, batch: &Batch) {
        let is_aborted = self.aborted.has(batch);
        if batch.is_control {
            return;
        }
        // A batch is sent whole, also to one who asks from its middle; the client leaves out what is before.
        let asked = self.asked.filter(|asked| (batch.first_offset..=batch.last_offset).contains(asked));
        let before = asked.filter(|_| batch.is_dense()).and_then(|asked| asked.checked_sub(batch.first_offset));
        let before = before.and_then(|before| u64::try_from(before).ok()).unwrap_or_default();
        let records = batch.records.map(|records| records.saturating_sub(before));
        self.content.count(batch, records);
        if is_aborted {
            add(&mut self.content.aborted_records, records.unwrap_or_default());
        }
        let first = self.asked.filter(|asked| *asked <= batch.last_offset).unwrap_or(batch.first_offset);
        self.content.first_offset = self.content.first_offset.or(Some(first));
        self.content.last_offset = Some(batch.last_offset);
    }

    fn tell(&self, memory: &Memory, tell: &mut impl FnMut(Event<'_>)) {
        let Some(topic) = memory.topics.topic(self.list.topic).filter(|_| !self.is_replica) else { return };
        tell(Event::Partition(PartitionExchange {
            key: Api::FETCH,
            version: self.version,
            topic,
            partition: self.partition,
            error: self.partition_error,
            confirmed: true,
            content: self.content,
        }));
    }
}

impl Machine for FetchResponse {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let (version, flexible) = (self.version, is_flexible(self.version));
        match self.at {
            At::Head => {
                if version >= 1 {
                    reader.int32()?; // throttled for so long
                }
                let error = if version >= 7 { reader.int16()? } else { 0 };
                if version >= 7 {
                    reader.int32()?; // the session
                }
                self.list.begin(reader)?;
                (self.error, self.at) = (error, At::Topics);
            }
            At::Topics => match self.list.next(reader, &mut memory.topics)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let (partition, error) = (reader.int32()?, reader.int16()?);
                    reader.int64()?; // the high watermark
                    if version >= 4 {
                        reader.int64()?; // the last stable offset
                    }
                    if version >= 5 {
                        reader.int64()?; // where the log starts
                    }
                    let transactions = if version >= 4 { reader.count(flexible)?.unwrap_or_default() } else { 0 };
                    self.list.pass_partition();
                    (self.partition, self.partition_error) = (partition, error);
                    (self.transactions, self.content, self.at) = (transactions, Content::default(), At::Aborted);
                    self.asked = memory.session.asked(self.list.topic, partition);
                    self.aborted.clear();
                }
                Next::End => return Ok(After::Done),
            },
            At::Aborted if self.transactions > 0 => {
                let (producer, first_offset) = (reader.int64()?, reader.int64()?);
                let tags = reader.tag_count(flexible)?;
                self.transactions = self.transactions.saturating_sub(1);
                self.aborted.push(producer, first_offset);
                return Ok(After::Tags(tags));
            }
            At::Aborted => {
                if version >= 11 {
                    reader.int32()?; // the replica to read from
                }
                let records = reader.count(flexible)?.unwrap_or_default();
                self.has_records |= records > 0;
                self.lacks_aborted |= self.aborted.are_too_many();
                (self.records, self.at) = (Records::new(records), At::Batch);
            }
            At::Batch if self.records.are_read() => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::Topics;
                self.tell(memory, tell);
                return Ok(After::Tags(tags));
            }
            At::Batch => {
                let head = self.records.next(reader)?;
                let Some(batch) = &head.batch else { return Ok(After::Skip(head.skip)) };
                self.add(batch);
                if !self.is_replica {
                    return Ok(memory.after(Api::FETCH, self.list.topic, batch, head.skip));
                }
                return Ok(After::Skip(head.skip));
            }
        }
        Ok(After::Next)
    }
}
