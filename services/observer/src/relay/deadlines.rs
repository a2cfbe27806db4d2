//! Bounds how long a client may keep a connection without using it.

use std::time::Duration;

use tokio::time::Instant;

/// The times by which a client has to do something; none where connections are redirected.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadlines {
    pub(crate) first_request_by: Option<Instant>,
    /// For clients that authenticate by SASL.
    pub(crate) sign_in_by: Option<Instant>,
    /// The time without a byte after which a connection is closed that waits for no answer.
    pub(crate) idle_after: Option<Duration>,
}
