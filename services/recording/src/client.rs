//! One connection, and where its last events were counted.

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::schema::Api;
use kwitness_protocol::{Exchange, Nanos};

use crate::lag::Positions;
use crate::life::{Security, Unfollowed};
use crate::requests::Exchanges;
use crate::window::{ApiKey, PartitionKey};

/// One connection, as its [`Recorder`](crate::Recorder) knows it.
#[derive(Debug)]
pub struct Client {
    pub(crate) connection: u64,
    pub(crate) opened_at_ms: u64,
    pub(crate) security: Security,
    pub(crate) is_anonymous: bool,
    pub(crate) identity: Arc<Identity>,
    pub(crate) is_told: bool,
    pub(crate) last_error: Option<i16>,
    pub(crate) opaque: Option<Unfollowed>,
    pub(crate) places: Places,
    pub(crate) exchanges: Exchanges,
    pub(crate) positions: Positions,
    /// When its last Fetch was answered.
    pub(crate) fetch_answered: Option<Nanos>,
}

impl Client {
    /// Who it is, as far as it is known by now.
    #[must_use]
    pub const fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }

    /// Returns true if the broker has answered more than which versions it knows, so that it is known who it is.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.is_told
    }

    /// The memory of what is remembered of it beyond windows and that grows with what it does, in bytes.
    #[must_use]
    pub fn lasting_bytes(&self) -> usize {
        self.positions.bytes()
    }

    /// Returns how many nanoseconds lie between the last answer to a Fetch and the Fetch of this exchange.
    pub(crate) fn gap(&mut self, exchange: &Exchange) -> Option<u64> {
        if exchange.key != Api::FETCH {
            return None;
        }
        let before = self.fetch_answered.replace(exchange.answered)?;
        exchange.asked.0.checked_sub(before.0)
    }

    /// How it speaks, as far as it is known by now.
    #[must_use]
    pub const fn security(&self) -> Security {
        self.security
    }
}

/// Where the last events of a connection were counted: the next are likely to belong there too.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) window: u64,
    pub(crate) who: u32,
    /// How many identities the connection has had in the window.
    pub(crate) identities: u8,
    pub(crate) api: Option<(ApiKey, u32)>,
    pub(crate) topic: Option<InTopic>,
    /// What the answer that comes in has named so far.
    pub(crate) answered: Named,
    /// What the request without an answer has named so far.
    pub(crate) unanswered: Named,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct InTopic {
    pub(crate) api: i16,
    pub(crate) topic: u32,
    /// Its row.
    pub(crate) row: u32,
    pub(crate) partition: PartitionKey,
    pub(crate) partition_row: u32,
}

/// Topics of one exchange, by their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Named {
    #[default]
    None,
    One(u32),
    /// Several, this the last.
    Several(u32),
}

impl Named {
    /// Returns true if the topic is another than the last.
    pub(crate) fn add(&mut self, row: u32) -> bool {
        let (new, is_new) = match *self {
            Self::None => (Self::One(row), true),
            Self::One(last) | Self::Several(last) if last == row => (*self, false),
            Self::One(_) | Self::Several(_) => (Self::Several(row), true),
        };
        *self = new;
        is_new
    }
}
