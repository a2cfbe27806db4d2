//! Says why a part of a message was not read.

use crate::reader::Fault;
use crate::reasons::Unread;

/// Why a unit was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It goes on after the bytes at hand.
    More,
    /// It cannot be read.
    Unread(Unread),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Incomplete => Self::More,
            _ => Self::Unread(Unread::Malformed),
        }
    }
}
