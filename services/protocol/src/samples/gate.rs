//! How much may be copied, and what was not looked into.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Why a batch that was chosen is not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftOut {
    /// The time that looking may take is used up.
    Budget,
    /// There are as many copies as may be.
    QueueFull,
    /// It is longer than [`LONGEST_BATCH`](super::LONGEST_BATCH), or too long when it is decompressed.
    TooLarge,
    /// It cannot be decompressed, or its records are not what its head says.
    Unreadable,
    /// Looking into it ended by an error of ours.
    Panic,
}

impl LeftOut {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Budget, Self::QueueFull, Self::TooLarge, Self::Unreadable, Self::Panic];

    /// As heartbeats and metrics spell it, among the reasons why something is unread.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Budget => "headers_budget",
            Self::QueueFull => "headers_queue_full",
            Self::TooLarge => "headers_too_large",
            Self::Unreadable => "headers_unreadable",
            Self::Panic => "headers_panic",
        }
    }
}

/// What all connections of a process share that copy batches.
#[derive(Debug)]
pub struct Gate {
    most_bytes: usize,
    taken: AtomicUsize,
    is_shut: AtomicBool,
    left_out: [AtomicU64; LeftOut::ALL.len()],
}

impl Gate {
    /// An open one, of at most so many bytes of copies at once.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        let (taken, is_shut) = (AtomicUsize::default(), AtomicBool::default());
        Self { most_bytes, taken, is_shut, left_out: Default::default() }
    }

    /// From now on nothing is copied, or something is again.
    pub fn shut(&self, is_shut: bool) {
        self.is_shut.store(is_shut, Relaxed);
    }

    /// Returns true if nothing is copied.
    #[must_use]
    pub fn is_shut(&self) -> bool {
        self.is_shut.load(Relaxed)
    }

    /// Count a batch that is not looked into.
    pub fn leave_out(&self, why: LeftOut) {
        if let Some(count) = self.left_out.get(why as usize) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// How many were not, by reason.
    #[must_use]
    pub fn left_out(&self) -> [(LeftOut, u64); LeftOut::ALL.len()] {
        LeftOut::ALL.map(|why| (why, self.left_out.get(why as usize).map_or(0, |count| count.load(Relaxed))))
    }
}

/// What a copy takes of a gate's bytes, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Room {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Room {
    pub(super) const fn new(gate: Arc<Gate>) -> Self {
        Self { gate, bytes: 0 }
    }

    /// Take so many bytes more, if there are as many.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let most = self.gate.most_bytes;
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= most);
        let is_taken = self.gate.taken.fetch_update(Relaxed, Relaxed, more).is_ok();
        if is_taken {
            self.bytes = self.bytes.saturating_add(bytes);
        } else {
            self.gate.leave_out(LeftOut::QueueFull);
        }
        is_taken
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.gate.taken.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_no_more_room_than_there_is_and_give_it_back() {
        let gate = Arc::new(Gate::new(10));
        let (mut one, mut other) = (Room::new(Arc::clone(&gate)), Room::new(Arc::clone(&gate)));

        assert!(one.grow(4) && one.grow(4) && !other.grow(3) && other.grow(2));
        drop(one);

        assert!(other.grow(8) && !other.grow(1));
        assert_eq!(gate.left_out().map(|(_, count)| count), [0, 2, 0, 0, 0]);
    }
}
