//! What is told of a connection itself: when it was opened, and how it ended.

use std::sync::Arc;

use kwitness_observation::{Identity, reason};
use kwitness_protocol::{Mechanism, Opaque, PrincipalSource};

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The client closed it.
    Client,
    /// The broker closed it.
    Broker,
    /// One of the two connections broke.
    Error,
    /// The observer closed it, since it was silent for too long.
    Deadline,
    /// The observer closed it, since it stops.
    Drained,
    /// The observer closed it, since the client did not authenticate in time.
    SignIn,
    /// The observer closed it, since nothing passed for long.
    Idle,
    /// The observer closed it, since it has more connections than it may have.
    Limit,
}

impl End {
    /// As records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Broker => "broker",
            Self::Error => "error",
            Self::Deadline => "deadline",
            Self::Drained => "drained",
            Self::SignIn => "sign_in",
            Self::Idle => "idle",
            Self::Limit => "limit",
        }
    }
}

/// Why a connection is passed on unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfollowed {
    /// Its bytes cannot be followed.
    Opaque(Opaque),
    /// Reading it ended by an error of ours.
    Panic,
}

impl Unfollowed {
    /// As records spell it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Opaque(opaque) => reason(opaque),
            Self::Panic => "panic".into(),
        }
    }
}

/// How a client speaks to the observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Security {
    /// Whether it is within TLS.
    pub is_encrypted: bool,
    /// Whether it authenticates by SASL.
    pub is_sasl: bool,
    /// True if its first requests passed unread, so that an authentication can have been missed.
    pub is_missed: bool,
}

impl Security {
    /// Kafka's name of the security protocol; `None` where it is not known.
    #[must_use]
    pub const fn protocol(self) -> Option<&'static str> {
        match (self.is_sasl, self.is_encrypted) {
            (false, _) if self.is_missed => None,
            (false, false) => Some("PLAINTEXT"),
            (false, true) => Some("SSL"),
            (true, false) => Some("SASL_PLAINTEXT"),
            (true, true) => Some("SASL_SSL"),
        }
    }
}

/// Something that happened to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionEvent {
    /// The connection's number.
    pub connection: u64,
    /// When, in milliseconds since 1970.
    pub occurred_at_ms: u64,
    /// Who the client is, as far as it is known then.
    pub identity: Arc<Identity>,
    /// How the client speaks, as far as it is known then.
    pub security: Security,
    /// Whether the broker has served it without an authentication.
    pub is_anonymous: bool,
    /// Why nothing of the connection is understood any more.
    pub opaque: Option<Unfollowed>,
    /// What happened.
    pub kind: Happened,
}

/// What happened to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It was accepted.
    Opened,
    /// A broker answered who the client said it is.
    Authenticated {
        /// How the client said it.
        mechanism: Mechanism,
        /// Where the principal is from; `None` where it was not read.
        source: Option<PrincipalSource>,
        /// Whether the broker believed it.
        succeeded: bool,
    },
    /// It ended.
    Closed {
        /// How.
        end: End,
        /// How long it was open.
        duration_ms: u64,
        /// The last error code of Kafka's in a response.
        last_error: Option<i16>,
    },
}
