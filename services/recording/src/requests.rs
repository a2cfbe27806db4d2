//! Requests and responses that are told one by one.

use std::collections::VecDeque;
use std::sync::Arc;

use kwitness_observation::{Budget, Identity};
use kwitness_protocol::{Contents, Message, Opening, SharedWishes, Side, is_administrative};

/// What an event takes beside what is in its message, in bytes.
const EVENT_BYTES: usize = 512;
const NANOSECONDS_IN_MICROSECOND: u64 = 1_000;
/// The reason of administrative requests that are left out: more in a second, or in a window, than their budget.
const ADMINISTRATIVE_LIMIT: &str = "administrative_limit";
/// Events of administrative requests in a second, of a process. They are rare; this is as many as others have unless a
/// resource says otherwise.
const ADMINISTRATIVE_PER_SECOND: u32 = 1_000;
/// Bytes in memory of administrative events in a window, of a process.
const ADMINISTRATIVE_BYTES: usize = 4 << 20;

/// Selects requests and responses that are recorded one by one, and limits them.
#[derive(Clone, Debug)]
pub struct RequestSettings {
    /// The filter of each.
    pub wishes: SharedWishes,
    /// The budget of those that are not administrative.
    pub budget: RequestBudget,
    /// The budget of administrative ones, which no other request can use up.
    pub administrative: RequestBudget,
}

/// Limits how much is recorded.
#[derive(Clone, Debug)]
pub struct RequestBudget {
    /// That of the process.
    pub budget: Arc<Budget>,
    /// How many events it may have in a second.
    pub most_per_second: u32,
    /// How many bytes the events of a window may take in memory.
    pub most_bytes: usize,
}

impl RequestBudget {
    /// That of administrative requests, for one of so many recorders that share it.
    #[must_use]
    pub const fn administrative(budget: Arc<Budget>, recorders: usize) -> Self {
        let most_bytes = ADMINISTRATIVE_BYTES.div_ceil(recorders);
        Self { budget, most_per_second: ADMINISTRATIVE_PER_SECOND, most_bytes }
    }
}

impl RequestSettings {
    /// The budget of an API, and why an event is left out beyond it where that has a reason of its own.
    pub(crate) fn budget_of(&self, key: i16) -> (&RequestBudget, Option<&'static str>) {
        if is_administrative(key) { (&self.administrative, Some(ADMINISTRATIVE_LIMIT)) } else { (&self.budget, None) }
    }
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
