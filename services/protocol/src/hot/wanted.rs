//! Remembers of a request what its response needs.

use crate::cold::Effect;

/// What the response needs of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// How many parts of a Produce wait in the memory.
    pub(super) parts: usize,
    /// How long the broker may wait for records, in milliseconds; 0 where it does not.
    pub(super) max_wait_ms: i32,
    pub(super) is_replica: bool,
    pub(crate) effect: Effect,
}

impl Wanted {
    /// Returns true if a client asks: brokers fetch from one another.
    pub(crate) const fn is_clients(&self) -> bool {
        !self.is_replica
    }
}
