//! A Fetch request: which partitions are asked for from which offset, in a session (KIP-227) or without one.

use super::memory::Memory;
use super::produce::{count, topic};
use super::topics::TopicNumber;
use super::units::{After, Machine, Stop, name};
use crate::event::{Event, IdentityField};
use crate::reader::Reader;

/// The epoch of a request in a session that exists is above zero.
const NO_SESSION_YET: i32 = 0;
/// From version 15 on the replica's id is a tagged field of this number.
const REPLICA_STATE: u32 = 1;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topic,
    Partition,
    ForgottenHead,
    Forgotten,
    ForgottenPartition,
    Rack,
    End,
    Ended,
}

#[derive(Debug)]
pub(crate) struct FetchRequest {
    version: i16,
    at: At,
    topics: usize,
    partitions: usize,
    topic: TopicNumber,
    /// How long the broker may wait, in milliseconds.
    pub(crate) max_wait_ms: i32,
    /// Whether a broker asks, not a client.
    pub(crate) is_replica: bool,
}

impl FetchRequest {
    pub(crate) fn new(version: i16) -> Self {
        let topic = TopicNumber::default();
        Self { version, at: At::Head, topics: 0, partitions: 0, topic, max_wait_ms: 0, is_replica: false }
    }
}

impl Machine for FetchRequest {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let (version, flexible, is_id) = (self.version, self.version >= 12, self.version >= 13);
        match self.at {
            At::Head => {
                let replica_id = if version <= 14 { reader.int32()? } else { -1 };
                let max_wait_ms = reader.int32()?;
                reader.int32()?; // at least so many bytes
                if version >= 3 {
                    reader.int32()?; // at most so many
                }
                if version >= 4 {
                    reader.int8()?; // isolation
                }
                let epoch = if version >= 7 { reader.int32().and_then(|_| reader.int32())? } else { NO_SESSION_YET };
                let topics = count(flexible, reader)?;
                (self.max_wait_ms, self.is_replica, self.topics, self.at) =
                    (max_wait_ms, replica_id >= 0, topics, At::Topic);
                if epoch <= NO_SESSION_YET {
                    memory.session.clear();
                }
            }
            At::Topic => {
                let Some(topics) = self.topics.checked_sub(1) else {
                    self.at = if version >= 7 { At::ForgottenHead } else { At::End };
                    return Ok(After::NEXT);
                };
                let topic = topic(is_id, flexible, reader)?;
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
                let partition = reader.int32()?;
                if version >= 9 {
                    reader.int32()?; // the leader's epoch
                }
                let offset = reader.int64()?;
                if version >= 12 {
                    reader.int32()?; // the epoch of what was fetched last
                }
                if version >= 5 {
                    reader.int64()?; // where a replica's log starts
                }
                reader.int32()?; // at most so many bytes
                let tags = reader.tag_count(flexible)?;
                self.partitions = partitions;
                memory.session.ask(self.topic, partition, offset);
                return Ok(After::tags(tags));
            }
            At::ForgottenHead => {
                self.topics = count(flexible, reader)?;
                self.at = At::Forgotten;
            }
            At::Forgotten => {
                let Some(topics) = self.topics.checked_sub(1) else {
                    self.at = if version >= 11 { At::Rack } else { At::End };
                    return Ok(After::NEXT);
                };
                let topic = topic(is_id, flexible, reader)?;
                let partitions = count(flexible, reader)?;
                self.topic = memory.topics.number(topic)?;
                (self.topics, self.partitions, self.at) = (topics, partitions, At::ForgottenPartition);
            }
            At::ForgottenPartition => {
                let Some(partitions) = self.partitions.checked_sub(1) else {
                    let tags = reader.tag_count(flexible)?;
                    self.at = At::Forgotten;
                    return Ok(After::tags(tags));
                };
                let partition = reader.int32()?;
                self.partitions = partitions;
                memory.session.forget(self.topic, partition);
            }
            At::Rack => {
                let rack = name(flexible, reader)?.unwrap_or_default();
                self.at = At::End;
                memory.identities.tell(IdentityField::ClientRack, rack, tell);
            }
            At::End => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::Ended;
                return Ok(After::tags(tags));
            }
            At::Ended => return Ok(After::DONE),
        }
        Ok(After::NEXT)
    }

    fn tag(&mut self, number: u32, reader: &mut Reader<'_>) -> Result<(), Stop> {
        if matches!(self.at, At::Ended) && self.version >= 15 && number == REPLICA_STATE {
            self.is_replica = reader.int32()? >= 0;
        }
        Ok(())
    }
}
