//! `ShareFetch` (KIP-932): who asks, and which records were acquired.

use super::after::After;
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::units::{Machine, count, name};
use crate::batch::{Batch, Records};
use crate::cold::Outcome;
use crate::event::{Content, Event, PartitionExchange};
use crate::identity_field::IdentityField;
use crate::reader::Reader;
use crate::schema::Api;
use crate::side::Side;
use crate::stop::Stop;

/// Every version is flexible, and names topics by their ids.
const FLEXIBLE: bool = true;
const HAS_IDS: bool = true;
const MOST_GAPS: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct ShareFetchRequest {
    /// How long the broker may wait, in milliseconds.
    pub(crate) max_wait_ms: i32,
}

impl Machine for ShareFetchRequest {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let (group, member) = (name(FLEXIBLE, reader)?, name(FLEXIBLE, reader)?);
        reader.int32()?; // the session's epoch
        self.max_wait_ms = reader.int32()?;
        memory.cold.identities.tell(IdentityField::GroupId, group.unwrap_or_default(), tell);
        memory.cold.identities.tell(IdentityField::GroupMemberId, member.unwrap_or_default(), tell);
        Ok(After::Done)
    }
}

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Lock,
    Topics,
    Acknowledged,
    Leader,
    Records,
    Batch,
    Acquired,
}

#[derive(Debug)]
pub(crate) struct ShareFetchResponse {
    version: i16,
    at: At,
    list: Listing,
    acquired: usize,
    partition: i32,
    partition_error: i16,
    records: Records,
    content: Content,
    /// First and last offsets of what is no user's record.
    gaps: Vec<(i64, i64)>,
    /// A partition had more gaps than are remembered: some count among its offsets.
    pub(crate) lacks_gaps: bool,
    /// How many offsets were acquired, without those of control batches.
    offsets: u64,
    pub(crate) outcome: Outcome,
    /// Whether any partition has records, complete or not.
    pub(crate) has_records: bool,
}

impl ShareFetchResponse {
    pub(crate) fn new(version: i16) -> Self {
        Self {
            version,
            at: At::Head,
            list: Listing::new(Side::Broker, FLEXIBLE, HAS_IDS),
            acquired: 0,
            partition: 0,
            partition_error: 0,
            records: Records::default(),
            content: Content::default(),
            gaps: Vec::new(),
            lacks_gaps: false,
            offsets: 0,
            outcome: Outcome::default(),
            has_records: false,
        }
    }

    fn add(&mut self, batch: &Batch) {
        if !batch.is_control {
            self.content.count(batch, batch.records);
        } else if self.gaps.len() < MOST_GAPS {
            self.gaps.push((batch.first_offset, batch.last_offset));
        } else {
            self.lacks_gaps = true;
        }
    }

    fn acquire(&mut self, first: i64, last: i64) {
        let gaps = self.gaps.iter().map(|gap| offsets(gap.0.max(first), gap.1.min(last)));
        let gaps = gaps.fold(0_u64, u64::saturating_add);
        self.offsets = self.offsets.saturating_add(offsets(first, last).saturating_sub(gaps));
        let earlier = self.content.first_offset.map_or(first, |other| other.min(first));
        self.content.first_offset = Some(earlier);
        self.content.last_offset = self.content.last_offset.max(Some(last));
    }

    fn tell(&mut self, memory: &Memory, tell: &mut impl FnMut(Event<'_>)) {
        // Offsets that compaction left out were acquired, and have no record.
        self.content.records = self.content.records.min(self.offsets);
        self.content.transactional_records = self.content.transactional_records.min(self.content.records);
        let Some(topic) = memory.topics.topic(self.list.topic) else { return };
        tell(Event::Partition(PartitionExchange {
            key: Api::SHARE_FETCH,
            version: self.version,
            topic,
            partition: self.partition,
            error: self.partition_error,
            confirmed: true,
            content: self.content,
            fetched: None,
        }));
    }
}

/// How many offsets there are from `first` to `last`.
fn offsets(first: i64, last: i64) -> u64 {
    u64::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or_default()
}

impl Machine for ShareFetchResponse {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        match self.at {
            At::Head => {
                let (throttle_ms, error) = (reader.int32()?, reader.int16()?);
                let message = reader.string_size(FLEXIBLE)?;
                (self.outcome, self.at) = (Outcome { error, throttle_ms }, At::Lock);
                return Ok(After::Skip(message.unwrap_or_default()));
            }
            At::Lock => {
                reader.int32()?; // for so long records are locked
                self.list.begin(reader)?;
                self.at = At::Topics;
            }
            At::Topics => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let (partition, error) = (reader.int32()?, reader.int16()?);
                    let message = reader.string_size(FLEXIBLE)?;
                    self.list.pass_partition();
                    (self.partition, self.partition_error) = (partition, error);
                    (self.content, self.offsets, self.at) = (Content::default(), 0, At::Acknowledged);
                    self.gaps.clear();
                    return Ok(After::Skip(message.unwrap_or_default()));
                }
                Next::End => return Ok(After::Done),
            },
            At::Acknowledged => {
                reader.int16()?;
                let message = reader.string_size(FLEXIBLE)?;
                self.at = At::Leader;
                return Ok(After::Skip(message.unwrap_or_default()));
            }
            At::Leader => {
                reader.int64()?; // id and epoch
                let tags = reader.tag_count(FLEXIBLE)?;
                self.at = At::Records;
                return Ok(After::Tags(tags));
            }
            At::Records => {
                let records = reader.count(FLEXIBLE)?.unwrap_or_default();
                self.has_records |= records > 0;
                (self.records, self.at) = (Records::new(records), At::Batch);
            }
            At::Batch if self.records.are_read() => {
                self.acquired = count(FLEXIBLE, reader)?;
                self.at = At::Acquired;
            }
            At::Batch => {
                let head = self.records.next(reader)?;
                let Some(batch) = &head.batch else { return Ok(After::Skip(head.skip)) };
                self.add(batch);
                return Ok(memory.after(Api::SHARE_FETCH, self.list.topic, batch, head.skip));
            }
            At::Acquired if self.acquired == 0 => {
                let tags = reader.tag_count(FLEXIBLE)?;
                self.at = At::Topics;
                self.tell(memory, tell);
                return Ok(After::Tags(tags));
            }
            At::Acquired => {
                let (first, last) = (reader.int64()?, reader.int64()?);
                reader.int16()?; // how often they were delivered
                let tags = reader.tag_count(FLEXIBLE)?;
                self.acquired = self.acquired.saturating_sub(1);
                self.acquire(first, last);
                return Ok(After::Tags(tags));
            }
        }
        Ok(After::Next)
    }
}
