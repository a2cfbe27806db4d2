//! The life of one connection, from both directions' bytes.

use crate::contents::SharedWishes;
use crate::event::{Event, Nanos};
use crate::limits::Limits;
use crate::messages::Messages;
use crate::observed::Observed;
use crate::samples::{Sample, Sampler, Sampling};
use crate::side::Side;

/// Follows one connection.
///
/// Bytes are given in the order in which they are passed on, the client's before the broker's that answer them. The
/// events are the same however the bytes of each side are divided.
#[derive(Debug)]
pub struct Connection {
    /// `None` when the connection is opaque: there is nothing left to remember.
    observed: Option<Box<Observed>>,
}

impl Connection {
    /// A connection that was just opened.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { observed: Some(Box::new(Observed::new(limits))) }
    }

    /// A connection of which frames have passed already. Bytes are given from the beginning of a frame on, in each
    /// direction. It is followed from the first request on whose API and version Kafka has; responses are left out up to
    /// the one with the correlation id of that request.
    #[must_use]
    pub fn resumed(limits: Limits) -> Self {
        Self { observed: Some(Box::new(Observed::resumed(limits))) }
    }

    /// Tell messages one by one from the next frames on, or do not. Of a frame that passes now nothing is told of what it
    /// says.
    pub fn tell_messages(&mut self, wishes: Option<SharedWishes>) {
        if let Some(observed) = &mut self.observed {
            observed.messages = wishes.map(|wishes| Box::new(Messages::new(wishes)));
        }
    }

    /// Copy batches from the next ones on, or do not; what is being copied is forgotten. Each connection has another
    /// `seed`.
    pub fn sample(&mut self, sampling: Option<Sampling>, seed: u64) {
        if let Some(observed) = &mut self.observed {
            observed.memory.sampler = sampling.map(|sampling| Box::new(Sampler::new(sampling, seed)));
        }
    }

    /// The batches that were copied since the last time, in the order in which they passed.
    pub fn samples(&mut self) -> Vec<Sample> {
        let sampler = self.observed.as_mut().and_then(|observed| observed.memory.sampler.as_mut());
        sampler.map_or_else(Vec::new, |sampler| sampler.take_complete())
    }

    /// The bytes of what is remembered of requests until they are answered.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.observed.as_ref().map_or(0, |observed| observed.waiting_bytes())
    }

    /// The bytes of what is remembered beyond that: topics, what is fetched, sequences of producers.
    #[must_use]
    pub fn lasting_bytes(&self) -> usize {
        self.observed.as_ref().map_or(0, |observed| observed.memory.lasting_bytes())
    }

    /// Returns true if nothing of it is understood any more.
    #[must_use]
    pub const fn is_opaque(&self) -> bool {
        self.observed.is_none()
    }

    /// How many bytes come next of `side` that are not read; they need not be given, and [`Connection::pass_unread`] says
    /// that they have passed.
    #[must_use]
    pub fn unread_bytes(&self, side: Side) -> usize {
        match &self.observed {
            None => usize::MAX,
            Some(observed) if observed.messages.is_some() => 0,
            Some(observed) => match side {
                Side::Client => observed.client.unread_bytes(),
                Side::Broker => observed.broker.unread_bytes(),
            },
        }
    }

    /// So many bytes of `side` have passed, no more than are unread.
    pub fn pass_unread(&mut self, side: Side, bytes: usize) {
        if let Some(observed) = &mut self.observed {
            match side {
                Side::Client => observed.client.pass_unread(bytes),
                Side::Broker => observed.broker.pass_unread(bytes),
            }
        }
    }

    /// Take what `side` sent at this time, and tell `sink` what that means.
    pub fn feed(&mut self, side: Side, bytes: &[u8], at: Nanos, sink: &mut impl FnMut(Event<'_>)) {
        let Some(observed) = &mut self.observed else { return };
        let fed = match side {
            Side::Client => observed.client_sent(bytes, at, sink),
            Side::Broker => observed.broker_sent(bytes, at, sink),
        };
        if let Err(reason) = fed {
            self.observed = None;
            sink(Event::Opaque(reason));
        }
    }
}
