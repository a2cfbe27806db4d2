//! What a connection remembers from one message to another.

use super::parts::Parts;
use super::reading::Wanted;
use super::sequences::Sequences;
use super::session::Session;
use super::topics::Topics;
use crate::cold::Identities;

/// Bounded by constants, whatever the peers send.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) topics: Topics,
    pub(crate) parts: Parts,
    pub(crate) session: Session,
    pub(crate) sequences: Sequences,
    pub(crate) identities: Identities,
}

impl Memory {
    /// A request is answered by what nobody can read.
    pub(crate) fn give_up(&mut self, wanted: Wanted) {
        self.parts.release(wanted.parts);
    }
}
