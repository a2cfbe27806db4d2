//! States why a relayed connection ends before its peers end it.

use std::io;

use kwitness_protocol::Side;

/// A connection that cannot go on.
#[derive(Debug)]
pub(crate) struct Broken {
    /// Whose connection failed.
    pub(crate) side: Side,
    pub(crate) cause: Cause,
}

/// Why it cannot go on.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The connection of this side failed.
    Io(io::Error),
    /// What this side sent cannot be rewritten.
    Rewriting(kwitness_protocol::Broken),
}
