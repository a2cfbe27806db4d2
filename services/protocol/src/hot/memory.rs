//! What a connection remembers from one message to another.

use super::after::After;
use super::parts::Parts;
use super::sequences::Sequences;
use super::session::Session;
use super::topics::{TopicNumber, Topics};
use super::wanted::Wanted;
use crate::batch::Batch;
use crate::cold::ColdMemory;
use crate::reasons::Unread;
use crate::samples::Sampler;
use crate::side::Side;
use crate::stop::Stop;
use crate::topic::{OwnTopic, Topic};

/// So many parts have to be answered before more room for topics is looked for, where waiting parts leave little.
const LEAST_ANSWERED: usize = 1_000;

/// Bounded by constants, whatever the peers send.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) topics: Topics,
    pub(crate) parts: Parts,
    pub(crate) session: Session,
    pub(crate) sequences: Sequences,
    pub(crate) cold: ColdMemory,
    /// Where some batches are looked into.
    pub(crate) sampler: Option<Box<Sampler>>,
    /// How many parts waited when room for topics was made last, and it was little.
    cramped: Option<usize>,
}

impl Memory {
    /// What becomes of a batch's records, `skip` bytes: nobody reads them here, and some are copied.
    pub(crate) fn after(&mut self, api: i16, topic: TopicNumber, batch: &Batch, skip: usize) -> After {
        let Self { topics, sampler, .. } = self;
        let Some(sampler) = sampler else { return After::Skip(skip) };
        let topic = || topics.topic(topic).map(|topic| OwnTopic::from(&topic));
        if sampler.chooses(api, batch, skip, topic) { After::Copy(skip) } else { After::Skip(skip) }
    }

    /// The bytes of what is remembered of requests until they are answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.parts.bytes().saturating_add(self.cold.waiting_bytes())
    }

    /// The bytes of what stays when no request waits.
    pub(crate) fn lasting_bytes(&self) -> usize {
        let Self { topics, session, sequences, .. } = self;
        topics.bytes().saturating_add(session.bytes()).saturating_add(sequences.bytes())
    }

    /// The number of a topic in the message that `side` sends.
    #[inline]
    pub(crate) fn number(&mut self, side: Side, topic: Topic<'_>) -> Result<TopicNumber, Stop> {
        match self.topics.number(side, topic) {
            Some(number) => Ok(number),
            None => self.number_in_new_room(side, topic),
        }
    }

    #[cold]
    fn number_in_new_room(&mut self, side: Side, topic: Topic<'_>) -> Result<TopicNumber, Stop> {
        // A look at everything that is remembered: too much for each message of a connection without room.
        let is_worth_it =
            |cramped: usize| self.parts.len().saturating_add(LEAST_ANSWERED) <= cramped || self.parts.len() == 0;
        if self.cramped.is_none_or(is_worth_it) {
            self.make_room();
            self.cramped = (!self.topics.is_roomy()).then(|| self.parts.len());
        }
        self.topics.number(side, topic).ok_or(Stop::Unread(Unread::TooMany))
    }

    /// Forget topics that nothing refers to; if they are few, also some of the session's and of those acknowledged.
    fn make_room(&mut self) {
        let Self { topics, parts, session, sequences, .. } = self;
        let mut held = topics.passing();
        parts.topics().for_each(|number| held.insert(number, ()));
        let mut referred = held.clone();
        session.topics().chain(sequences.topics()).for_each(|number| referred.insert(number, ()));
        topics.forget_others(&referred);
        if !topics.is_roomy() {
            let kept = topics.but_next(&held);
            session.forget_others(&kept);
            sequences.forget_others(&kept);
            topics.forget_others(&kept);
        }
    }

    /// A request is answered by what nobody can read.
    pub(crate) fn give_up(&mut self, wanted: Wanted) {
        self.parts.release(wanted.parts);
    }
}
