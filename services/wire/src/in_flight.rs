//! Requests that wait for their responses, which come in the order of the requests.

use std::collections::VecDeque;

use crate::event::Nanos;
use crate::header::Opening;

/// A request that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) opening: Opening,
    pub(crate) at: Nanos,
    /// The length of its frame.
    pub(crate) bytes: usize,
    /// Whether it may be one without a response: a Produce whose acks could not be read.
    pub(crate) may_be_silent: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    limit: usize,
    asked: VecDeque<Asked>,
}

/// More requests wait than are remembered.
pub(crate) struct Full;

impl InFlight {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, asked: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, asked: Asked) -> Result<(), Full> {
        if self.asked.len() >= self.limit {
            return Err(Full);
        }
        self.asked.push_back(asked);
        Ok(())
    }

    /// Take the request that a response with this id answers; `None` when it answers none.
    pub(crate) fn answered(&mut self, correlation: i32) -> Option<Asked> {
        loop {
            let first = self.asked.pop_front()?;
            if first.opening.correlation == correlation {
                return Some(first);
            }
            if !first.may_be_silent {
                return None;
            }
        }
    }
}
