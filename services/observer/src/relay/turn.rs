//! Bounds what a direction passes on before the other direction and other connections of the thread have their turn.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll};

use tokio::task::yield_now;

/// Bytes that are passed on in a turn.
pub(super) const TURN_BYTES: usize = 256 << 10;
/// Bytes that are read in a turn while there is no room to keep them.
const LITTLE_BYTES: usize = 2 << 10;
/// A read counts as so many at least: a turn of small pieces has few of them, and each takes of what the runtime lets a
/// task do at once.
const LEAST_READ_BYTES: usize = 16 << 10;

/// How much of what a side sends may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capacity {
    /// All that comes in a turn.
    Enough,
    /// A little, of a connection that keeps hardly anything.
    Little,
    /// Nothing.
    Nothing,
}

/// How much a direction may still read.
#[derive(Debug)]
pub(super) struct Turn {
    left: usize,
    is_held_back: bool,
}

impl Turn {
    pub(super) const fn new(capacity: Capacity) -> Self {
        let (left, is_held_back) = match capacity {
            Capacity::Enough => (TURN_BYTES, false),
            Capacity::Little => (LITTLE_BYTES, false),
            Capacity::Nothing => (0, true),
        };
        Self { left, is_held_back }
    }

    /// Returns true if nothing is read, since there is no room to keep it.
    pub(super) const fn is_held_back(&self) -> bool {
        self.is_held_back
    }

    /// How many bytes are left of it.
    pub(super) const fn left(&self) -> usize {
        self.left
    }

    /// How many bytes may be read now. Once a turn is used up, the task runs again after other tasks of the thread, and
    /// after its sockets were polled.
    pub(super) fn poll_left(&self, cx: &mut Context<'_>) -> Poll<usize> {
        if self.left == 0 && !self.is_held_back {
            let _ = pin!(yield_now()).poll(cx);
        }
        if self.left == 0 { Poll::Pending } else { Poll::Ready(self.left) }
    }

    /// So many bytes were read.
    pub(super) fn use_up(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes.max(LEAST_READ_BYTES));
    }
}
