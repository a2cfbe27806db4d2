//! What all connections of a process obey at once.

use std::time::Duration;

use tokio::time::Instant;

/// The state of the process that a live connection has to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Control {
    /// Pass bytes on and observe nothing.
    pub(crate) is_suspended: bool,
    /// The process ends: each connection closes when nothing is outstanding, and at this time anyway.
    pub(crate) drain_until: Option<Instant>,
}

/// A moment so much later; the same one where the clock has no such moment.
pub(crate) fn later(moment: Instant, by: Duration) -> Instant {
    moment.checked_add(by).unwrap_or(moment)
}
