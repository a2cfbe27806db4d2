//! A Fetch request: which partitions are asked for from which offset, in a session (KIP-227) or without one.

use super::after::After;
use super::listing::{Listing, Next};
use super::memory::Memory;
use super::session::Place;
use super::units::{Machine, name};
use crate::event::Event;
use crate::identity_field::IdentityField;
use crate::reader::Reader;
use crate::side::Side;
use crate::stop::Stop;

/// The epoch of a request in a session that exists is above zero.
const NO_SESSION_YET: i32 = 0;
/// In the place of a leader epoch that a client does not know.
const UNKNOWN_EPOCH: i32 = -1;
/// From version 15 on the replica's id is a tagged field of this number.
const REPLICA_STATE: u32 = 1;

#[derive(Clone, Copy, Debug)]
enum At {
    Head,
    Topics,
    ForgottenHead,
    Forgotten,
    Rack,
    End,
    Ended,
}

#[derive(Debug)]
pub(crate) struct FetchRequest {
    version: i16,
    at: At,
    list: Listing,
    /// How long the broker may wait, in milliseconds.
    pub(crate) max_wait_ms: i32,
    /// Whether a broker asks, not a client.
    pub(crate) is_replica: bool,
}

impl FetchRequest {
    pub(crate) fn new(version: i16) -> Self {
        let list = Listing::new(Side::Client, is_flexible(version), has_ids(version));
        Self { version, at: At::Head, list, max_wait_ms: 0, is_replica: false }
    }
}

/// Whether a request or response of this version is flexible (KIP-482).
pub(crate) const fn is_flexible(version: i16) -> bool {
    version >= 12
}

/// Whether it names topics by their ids (KIP-516).
pub(crate) const fn has_ids(version: i16) -> bool {
    version >= 13
}

impl Machine for FetchRequest {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let (version, flexible) = (self.version, is_flexible(self.version));
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
                self.list.begin(reader)?;
                (self.max_wait_ms, self.is_replica, self.at) = (max_wait_ms, replica_id >= 0, At::Topics);
                if epoch <= NO_SESSION_YET {
                    memory.session.clear();
                }
            }
            At::Topics => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let partition = reader.int32()?;
                    let leader_epoch = if version >= 9 { reader.int32()? } else { UNKNOWN_EPOCH };
                    let offset = reader.int64()?;
                    if version >= 12 {
                        reader.int32()?; // the epoch of what was fetched last
                    }
                    if version >= 5 {
                        reader.int64()?; // where a replica's log starts
                    }
                    reader.int32()?; // at most so many bytes
                    let tags = reader.tag_count(flexible)?;
                    self.list.pass_partition();
                    memory.session.ask(self.list.topic, partition, Place { offset, leader_epoch });
                    return Ok(After::Tags(tags));
                }
                Next::End => self.at = if version >= 7 { At::ForgottenHead } else { At::End },
            },
            At::ForgottenHead => {
                self.list.begin(reader)?;
                self.at = At::Forgotten;
            }
            At::Forgotten => match self.list.next(reader, memory)? {
                Next::Topic(after) => return Ok(after),
                Next::Partition => {
                    let partition = reader.int32()?;
                    self.list.pass_partition();
                    memory.session.forget(self.list.topic, partition);
                }
                Next::End => self.at = if version >= 11 { At::Rack } else { At::End },
            },
            At::Rack => {
                let rack = name(flexible, reader)?.unwrap_or_default();
                self.at = At::End;
                memory.cold.identities.tell(IdentityField::ClientRack, rack, tell);
            }
            At::End => {
                let tags = reader.tag_count(flexible)?;
                self.at = At::Ended;
                return Ok(After::Tags(tags));
            }
            At::Ended => return Ok(After::Done),
        }
        Ok(After::Next)
    }

    fn tag(&mut self, number: u32, reader: &mut Reader<'_>) -> Result<(), Stop> {
        if matches!(self.at, At::Ended) && self.version >= 15 && number == REPLICA_STATE {
            self.is_replica = reader.int32()? >= 0;
        }
        Ok(())
    }
}
