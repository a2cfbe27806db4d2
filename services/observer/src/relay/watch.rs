//! Holds both readers of a connection's bytes.

use kwitness_protocol::Side;

use super::rewriting::Rewriting;
use super::tap::Tap;

/// Reads the bytes of both directions.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) tap: Tap,
    pub(crate) rewriting: Rewriting,
}

impl Watch {
    /// How many bytes come next of `side` that are neither read nor changed.
    pub(super) fn unread_bytes(&self, side: Side) -> usize {
        self.tap.unread_bytes(side).min(self.rewriting.unread_bytes(side))
    }

    /// So many bytes of `side` have passed, no more than are unread.
    pub(super) fn pass_unread(&mut self, side: Side, bytes: usize) {
        self.rewriting.pass_unread(side, bytes);
        self.tap.pass_unread(side, bytes);
    }
}
