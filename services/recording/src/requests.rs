//! Requests and responses that are told one by one.

use std::collections::VecDeque;
use std::sync::Arc;

use kwitness_observation::{Budget, Identity};
use kwitness_protocol::{Contents, Message, Opening, SharedWishes, Side};

/// What an event takes beside what is in its message, in bytes.
const EVENT_BYTES: usize = 512;
const NANOSECONDS_IN_MICROSECOND: u64 = 1_000;

/// What of requests and responses is told, and how much at most.
#[derive(Clone, Debug)]
pub struct RequestSettings {
    /// What is told of each.
    pub wishes: SharedWishes,
    /// The budget of the process.
    pub budget: Arc<Budget>,
    /// How many events it may have in a second.
    pub most_per_second: u32,
    /// How many bytes the events of a window may take in memory.
    pub most_bytes: usize,
}

/// A request or a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestEvent {
    /// The connection's number.
    pub connection: u64,
    /// Its number within the connection.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub occurred_at_ms: u64,
    /// Who the client is, as far as it is known then.
    pub identity: Arc<Identity>,
    /// Whose it is.
    pub side: Side,
    /// Key, version and correlation id.
    pub opening: Opening,
    /// The length of the frame.
    pub bytes: usize,
    /// Of a response: its own error code; 0 is none.
    pub error: i16,
    /// Of a response: since the request, in microseconds.
    pub took_us: Option<u64>,
    /// What is in it, where it was looked into.
    pub contents: Option<Contents>,
}

impl RequestEvent {
    pub(crate) fn new(
        message: &Message<'_>,
        connection: u64,
        number: u64,
        identity: Arc<Identity>,
        occurred_at_ms: u64,
    ) -> Self {
        let Message { side, opening, bytes, error, took, contents, .. } = *message;
        Self {
            connection,
            number,
            occurred_at_ms,
            identity,
            side,
            opening,
            bytes,
            error,
            took_us: took.map(|took| took.0 / NANOSECONDS_IN_MICROSECOND),
            contents: contents.cloned(),
        }
    }

    /// How much memory it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.contents.as_ref().map_or(0, |contents| contents.size).saturating_add(EVENT_BYTES)
    }
}

/// The exchanges of a connection of which the request is told and the response will be.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    /// The number of the event that is told next.
    pub(crate) next: u64,
    asked: VecDeque<u64>,
}

impl Exchanges {
    /// The message is told.
    pub(crate) fn told(&mut self, message: &Message<'_>) {
        self.next = self.next.saturating_add(1);
        if message.is_answered {
            self.asked.push_back(message.exchange);
        }
    }

    /// Forget requests that wait: numbers begin at 1 again.
    pub(crate) fn forget_waiting(&mut self) {
        self.asked.clear();
    }

    /// Returns true if the request that is answered was told.
    pub(crate) fn answered(&mut self, exchange: u64) -> bool {
        while let Some(first) = self.asked.front().filter(|first| **first <= exchange) {
            let is_it = *first == exchange;
            self.asked.pop_front();
            if is_it {
                return true;
            }
        }
        false
    }
}
