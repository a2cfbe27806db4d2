//! Names what a connection is at the moment.

use kwitness_recording::Unfollowed;

/// What a connection is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Nothing was understood yet.
    Sniff,
    /// It speaks Kafka's protocol and is followed.
    Observed,
    /// It is passed on unread, for this reason.
    Opaque(Unfollowed),
    /// It is passed on unread because that is wanted.
    RelayOnly,
}

impl State {
    /// As records and metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sniff => "sniff",
            Self::Observed => "observed",
            Self::Opaque(_) => "opaque",
            Self::RelayOnly => "relay_only",
        }
    }

    /// The reason for which it is unread, as metrics spell it.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Opaque(reason) => reason.name(),
            _ => self.name().to_owned(),
        }
    }
}

/// All names of states.
pub(crate) const STATES: [&str; 4] = ["sniff", "observed", "opaque", "relay_only"];
