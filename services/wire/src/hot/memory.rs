//! What a connection remembers from one message to another.

use super::batch::Batch;
use super::parts::Parts;
use super::reading::Wanted;
use super::sequences::Sequences;
use super::session::Session;
use super::topics::{TopicNumber, Topics};
use super::units::After;
use crate::aggregate::OwnTopic;
use crate::cold::Identities;
use crate::samples::Sampler;

/// Bounded by constants, whatever the peers send.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) topics: Topics,
    pub(crate) parts: Parts,
    pub(crate) session: Session,
    pub(crate) sequences: Sequences,
    pub(crate) identities: Identities,
    /// Where some batches are looked into.
    pub(crate) sampler: Option<Box<Sampler>>,
}

impl Memory {
    /// What becomes of a batch's records, `skip` bytes: nobody reads them here, and some are copied.
    pub(crate) fn after(&mut self, api: i16, topic: TopicNumber, batch: &Batch, skip: usize) -> After {
        let Self { topics, sampler, .. } = self;
        let Some(sampler) = sampler else { return After::Skip(skip) };
        let topic = || topics.topic(topic).map(|topic| OwnTopic::from(&topic));
        if sampler.chooses(api, batch, skip, topic) { After::Copy(skip) } else { After::Skip(skip) }
    }

    /// A request is answered by what nobody can read.
    pub(crate) fn give_up(&mut self, wanted: Wanted) {
        self.parts.release(wanted.parts);
    }
}
