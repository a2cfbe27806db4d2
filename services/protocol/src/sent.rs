//! Remembers the requests of an observed connection.

use crate::event::Nanos;
use crate::hot::Wanted;

/// What is remembered of a request until it is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Nanos,
    /// The length of its frame.
    pub(crate) bytes: usize,
    pub(crate) wanted: Wanted,
    /// Its number.
    pub(crate) number: u64,
}
