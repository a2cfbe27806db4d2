//! How much a process tells in a second.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MILLISECONDS: u64 = 1_000;
const BITS_OF_COUNT: u32 = 32;
const COUNT: u64 = (1 << BITS_OF_COUNT) - 1;

/// Counts the events of each second, over all threads of a process.
#[derive(Debug, Default)]
pub struct Budget {
    /// The second since 1970, as far as it has room, and how many events it has.
    counted: AtomicU64,
}

impl Budget {
    /// Take room for so many events at this time in milliseconds since 1970, of at most `most` in its second. All of them
    /// or none.
    pub fn take(&self, events: u32, most: u32, now_ms: u64) -> bool {
        let second = (now_ms / MILLISECONDS) << BITS_OF_COUNT;
        let counted = self.counted.fetch_update(Relaxed, Relaxed, |counted| {
            let before = if counted & !COUNT == second { counted & COUNT } else { 0 };
            let count = before.saturating_add(events.into());
            (count <= most.into()).then_some(second | count)
        });
        counted.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_room_for_as_many_as_are_allowed_and_the_next_one_again() {
        let budget = Budget::default();
        let taken = |now_ms| (0..10).filter(|_| budget.take(2, 7, now_ms)).count();

        assert_eq!((taken(5_000), taken(5_999), taken(6_000)), (3, 0, 3));
        assert!(budget.take(1, 7, 6_000) && !budget.take(1, 7, 6_000));
    }
}
