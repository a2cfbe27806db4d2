//! A Fetch response: the batches' heads of each partition.

use super::aborted::Aborted;
use super::batch::{Batch, Records, add};
use super::memory::Memory;
use super::produce::{count, topic};
use super::topics::TopicNumber;
use super::units::{After, Machine, Stop};
use crate::event::{Content, Event, PartitionExchange};
use crate::reader::Reader;
use crate::schema::Api;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topic,
    Partition,
    Aborted,
    Records,
    Batch,
    PartitionEnd,
}

#[derive(Debug)]
pub(crate) struct FetchResponse {
    version: i16,
    /// Whether a broker asked, of whom nothing is told.
    is_replica: bool,
    at: At,
    topics: usize,
    partitions: usize,
    transactions: usize,
    topic: TopicNumber,
    partition: i32,
    partition_error: i16,
    asked: Option<i64>,
    aborted: Aborted,
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
            topics: 0,
            partitions: 0,
            transactions: 0,
            topic: TopicNumber::default(),
            partition: 0,
            partition_error: 0,
            asked: None,
            aborted: Aborted::default(),
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
        let Some(topic) = memory.topics.topic(self.topic).filter(|_| !self.is_replica) else { return };
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
        let (version, flexible) = (self.version, self.version >= 12);
        match self.at {
            At::Head => {
                if version >= 1 {
                    reader.int32()?; // throttled for so long
                }
                let error = if version >= 7 { reader.int16()? } else { 0 };
                if version >= 7 {
                    reader.int32()?; // the session
                }
                let topics = count(flexible, reader)?;
                (self.error, self.topics, self.at) = (error, topics, At::Topic);
            }
            At::Topic => {
                let Some(topics) = self.topics.checked_sub(1) else { return Ok(After::DONE) };
                let topic = topic(version >= 13, flexible, reader)?;
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
                let (partition, error) = (reader.int32()?, reader.int16()?);
                reader.int64()?; // the high watermark
                if version >= 4 {
                    reader.int64()?; // the last stable offset
                }
                if version >= 5 {
                    reader.int64()?; // where the log starts
                }
                let transactions = if version >= 4 { reader.count(flexible)?.unwrap_or_default() } else { 0 };
                (self.partitions, self.partition, self.partition_error) = (partitions, partition, error);
                (self.transactions, self.content, self.at) = (transactions, Content::default(), At::Aborted);
                self.asked = memory.session.asked(self.topic, partition);
                self.aborted.clear();
            }
            At::Aborted => {
                let Some(transactions) = self.transactions.checked_sub(1) else {
                    self.at = At::Records;
                    return Ok(After::NEXT);
                };
                let (producer, first_offset) = (reader.int64()?, reader.int64()?);
                let tags = reader.tag_count(flexible)?;
                self.transactions = transactions;
                self.aborted.push(producer, first_offset)?;
                return Ok(After::tags(tags));
            }
            At::Records => {
                if version >= 11 {
                    reader.int32()?; // the replica to read from
                }
                let records = reader.count(flexible)?.unwrap_or_default();
                self.has_records |= records > 0;
                (self.records, self.at) = (Records::new(records), At::Batch);
            }
            At::Batch if self.records.are_read() => self.at = At::PartitionEnd,
            At::Batch => {
                let head = self.records.next(reader)?;
                if let Some(batch) = &head.batch {
                    self.add(batch);
                }
                return Ok(After::skip(head.skip));
            }
            At::PartitionEnd => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::Partition;
                self.tell(memory, tell);
                return Ok(After::tags(tags));
            }
        }
        Ok(After::NEXT)
    }
}
