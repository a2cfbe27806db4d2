//! Requests that wait for their responses, which come in the order of the requests.

use std::collections::VecDeque;

use crate::header::Opening;

/// A request that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<T> {
    pub(crate) opening: Opening,
    /// What else is remembered of it.
    pub(crate) more: T,
    /// Whether it may be one without a response: a Produce whose acks could not be read.
    pub(crate) may_be_silent: bool,
}

/// Room for so many is kept when none waits.
const USUAL: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct InFlight<T> {
    limit: usize,
    asked: VecDeque<Asked<T>>,
    /// How many wait no longer.
    gone: u64,
}

/// More requests wait than are remembered.
pub(crate) struct Full;

impl<T> InFlight<T> {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, asked: VecDeque::new(), gone: 0 }
    }

    pub(crate) fn push(&mut self, asked: Asked<T>) -> Result<(), Full> {
        if self.asked.len() >= self.limit {
            return Err(Full);
        }
        self.asked.push_back(asked);
        Ok(())
    }

    /// The request that waits longest.
    pub(crate) fn first(&self) -> Option<Opening> {
        self.asked.front().map(|asked| asked.opening)
    }

    /// How many wait no longer, since the beginning.
    pub(crate) const fn gone(&self) -> u64 {
        self.gone
    }

    /// How many have come, since the beginning.
    pub(crate) fn come(&self) -> u64 {
        self.gone.saturating_add(u64::try_from(self.asked.len()).unwrap_or(u64::MAX))
    }

    /// The memory of requests that wait, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.asked.capacity().saturating_mul(size_of::<Asked<T>>())
    }

    /// Returns true if a response with this id can answer the request that waits longest, or one after requests that may
    /// have none.
    pub(crate) fn may_be_answered(&self, correlation: i32) -> bool {
        let is_it = |sent: &Asked<T>| sent.opening.correlation == correlation;
        self.asked.iter().find(|sent| is_it(sent) || !sent.may_be_silent).is_some_and(is_it)
    }

    /// Take the request that a response with this id answers; `None` when it answers none, or one of two.
    pub(crate) fn answered(&mut self, correlation: i32) -> Option<Asked<T>> {
        loop {
            let first = self.asked.pop_front()?;
            if self.asked.is_empty() && self.asked.capacity() > USUAL {
                self.asked.shrink_to(USUAL);
            }
            self.gone = self.gone.saturating_add(1);
            let is_it = |asked: &Asked<T>| asked.opening.correlation == correlation;
            if is_it(&first) {
                let is_certain = !first.may_be_silent || !self.asked.iter().any(is_it);
                return Some(first).filter(|_| is_certain);
            }
            if !first.may_be_silent {
                return None;
            }
        }
    }
}
