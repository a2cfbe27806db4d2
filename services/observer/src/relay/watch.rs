//! Holds both readers of a connection's bytes.

use super::rewriting::Rewriting;
use super::tap::Tap;

/// Reads the bytes of both directions.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) tap: Tap,
    pub(crate) rewriting: Rewriting,
}
