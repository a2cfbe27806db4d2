//! A Fetch response: the batches' heads of each partition.

use super::aborted::Aborted;
use super::after::After;
use super::fetch::{has_ids, is_flexible};
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::units::Machine;
use crate::batch::{Batch, Records, add};
use crate::cold::Outcome;
use crate::event::{Content, Event, Fetched, PartitionExchange};
use crate::reader::Reader;
use crate::schema::Api;
use crate::side::Side;
use crate::stop::Stop;

/// In the place of an offset that a broker does not know or leaves out.
const UNKNOWN: i64 = -1;

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
    leader_epoch: Option<i32>,
    high_watermark: i64,
    last_stable_offset: i64,
    /// After the batches that have come, control batches included.
    next_offset: Option<i64>,
    aborted: Aborted,
    /// A partition was reported without its `aborted_records`.
    pub(crate) lacks_aborted: bool,
    records: Records,
    content: Content,
    pub(crate) outcome: Outcome,
    /// Whether any partition has records, complete or not.
    pub(crate) has_records: bool,
}

impl FetchResponse {
    pub(crate) fn new(version: i16, is_replica: bool) -> Self {
        Self {
            version,
            is_replica,
            at: At::Head,
            list: Listing::new(Side::Broker, is_flexible(version), has_ids(version)),
            transactions: 0,
            partition: 0,
            partition_error: 0,
            asked: None,
            leader_epoch: None,
            high_watermark: UNKNOWN,
            last_stable_offset: UNKNOWN,
            next_offset: None,
            aborted: Aborted::default(),
            lacks_aborted: false,
            records: Records::default(),
            content: Content::default(),
            outcome: Outcome::default(),
            has_records: false,
        }
    }

    fn add(&mut self, batch: &Batch) {
        self.next_offset = batch.last_offset.checked_add(1);
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

    fn fetched(&self) -> Option<Fetched> {
        let Self { high_watermark, last_stable_offset, .. } = *self;
        let next_offset = self.next_offset.or(self.asked).filter(|offset| *offset >= 0)?;
        let is_known = self.partition_error == 0 && high_watermark >= 0;
        let last_stable_offset = (last_stable_offset >= 0).then_some(last_stable_offset);
        is_known.then_some(Fetched { next_offset, high_watermark, last_stable_offset, leader_epoch: self.leader_epoch })
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
            fetched: self.fetched(),
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
                let throttle_ms = if version >= 1 { reader.int32()? } else { 0 };
                let error = if version >= 7 { reader.int16()? } else { 0 };
                if version >= 7 {
                    reader.int32()?; // the session
                }
                self.list.begin(reader)?;
                (self.outcome, self.at) = (Outcome { error, throttle_ms }, At::Topics);
            }
            At::Topics => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let (partition, error) = (reader.int32()?, reader.int16()?);
                    let high_watermark = reader.int64()?;
                    let last_stable_offset = if version >= 4 { reader.int64()? } else { UNKNOWN };
                    if version >= 5 {
                        reader.int64()?; // where the log starts
                    }
                    let transactions = if version >= 4 { reader.count(flexible)?.unwrap_or_default() } else { 0 };
                    self.list.pass_partition();
                    (self.partition, self.partition_error) = (partition, error);
                    (self.transactions, self.content, self.at) = (transactions, Content::default(), At::Aborted);
                    (self.high_watermark, self.last_stable_offset) = (high_watermark, last_stable_offset);
                    self.next_offset = None;
                    let place = memory.session.place(self.list.topic, partition);
                    self.asked = place.map(|place| place.offset);
                    self.leader_epoch = place.map(|place| place.leader_epoch).filter(|epoch| *epoch >= 0);
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
