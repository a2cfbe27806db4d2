//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells connections the time of day; given, so that a test or a simulation can have its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// The system's.
    System,
    /// One that returns milliseconds since 1970.
    Given(fn() -> u64),
}

impl Clock {
    /// Milliseconds since 1970.
    pub(crate) fn now_ms(self) -> u64 {
        match self {
            Self::System => now_ms(),
            Self::Given(now_ms) => now_ms(),
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
