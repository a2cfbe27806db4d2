//! What all connections of a process obey at once.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::now_ms;

/// The state of the process that a live connection has to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Control {
    /// Pass bytes on and observe nothing, because that is wanted.
    pub(crate) is_suspended: bool,
    /// Pass bytes on and observe nothing until then, because the process before was killed.
    pub(crate) relay_only_until: Option<RelayOnly>,
    /// The process ends: each connection closes when nothing is outstanding, and at this time anyway.
    pub(crate) drain_until: Option<Instant>,
}

impl Control {
    /// As the process begins.
    pub(crate) const fn beginning(is_suspended: bool, relay_only_until: Option<RelayOnly>) -> Self {
        Self { is_suspended, relay_only_until, drain_until: None }
    }

    /// Whether bytes are passed on unread.
    pub(crate) const fn reads_nothing(&self) -> bool {
        self.is_suspended || self.relay_only_until.is_some()
    }
}

/// A time after a crash in which nothing is read: what killed the process before may come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RelayOnly {
    pub(crate) until: Instant,
    /// The same in milliseconds since 1970.
    pub(crate) until_ms: u64,
}

impl RelayOnly {
    /// From now on for so long.
    pub(crate) fn lasting(time: Duration) -> Self {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self { until: later(Instant::now(), time), until_ms: now_ms().saturating_add(millis) }
    }
}

/// A moment so much later; the same one where the clock has no such moment.
pub(crate) fn later(moment: Instant, by: Duration) -> Instant {
    moment.checked_add(by).unwrap_or(moment)
}
