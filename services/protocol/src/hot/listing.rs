//! The list of topics that a message has, each with a list of partitions.

use super::after::After;
use super::memory::Memory;
use super::topics::TopicNumber;
use super::units::{count, name};
use crate::reader::{Fault, Reader};
use crate::side::Side;
use crate::stop::Stop;
use crate::topic::Topic;

/// Where in such a list a message is.
#[derive(Debug)]
pub(crate) struct Listing {
    /// The side that sends the message.
    side: Side,
    is_flexible: bool,
    /// Whether topics are named by their ids.
    has_ids: bool,
    /// So many topics are still to come.
    topics: usize,
    /// So many partitions of the topic are; `None` between topics.
    partitions: Option<usize>,
    /// The topic that came last.
    pub(crate) topic: TopicNumber,
}

/// What comes next in a list.
#[derive(Debug)]
pub(crate) enum Next {
    /// A topic began or ended: this follows.
    Topic(After),
    /// The fields of a partition.
    Partition,
    /// Nothing.
    End,
}

impl Listing {
    pub(crate) const fn new(side: Side, is_flexible: bool, has_ids: bool) -> Self {
        Self { side, is_flexible, has_ids, topics: 0, partitions: None, topic: TopicNumber::NONE }
    }

    /// Read what a list begins with.
    pub(crate) fn begin(&mut self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        self.topics = count(self.is_flexible, reader)?;
        Ok(())
    }

    /// Read what comes next, but for a partition.
    #[inline]
    pub(crate) fn next(&mut self, reader: &mut Reader<'_>, memory: &mut Memory) -> Result<Next, Stop> {
        match self.partitions {
            Some(0) => {
                let tags = reader.tag_count(self.is_flexible)?;
                self.partitions = None;
                Ok(Next::Topic(After::Tags(tags)))
            }
            Some(_) => Ok(Next::Partition),
            None => {
                let Some(left) = self.topics.checked_sub(1) else { return Ok(Next::End) };
                let topic = if self.has_ids {
                    Topic::Id(reader.array()?)
                } else {
                    Topic::Name(name(self.is_flexible, reader)?.ok_or(Fault::Null)?)
                };
                let partitions = count(self.is_flexible, reader)?;
                self.topic = memory.number(self.side, topic)?;
                (self.topics, self.partitions) = (left, Some(partitions));
                Ok(Next::Topic(After::Next))
            }
        }
    }

    /// The partition that came next is read, or its first fields are.
    pub(crate) fn pass_partition(&mut self) {
        self.partitions = self.partitions.map(|left| left.saturating_sub(1));
    }
}
