//! How much all threads of a process take in a period of time.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

const MILLISECONDS: u64 = 1_000;
const BITS_OF_COUNT: u32 = 32;
const COUNT: u64 = (1 << BITS_OF_COUNT) - 1;

/// Counts what is taken in each period, over all threads of a process.
#[derive(Debug, Default)]
pub struct Budget {
    /// The number of the period, as far as it has room, and how much of it is taken.
    counted: AtomicU64,
}

impl Budget {
    /// Take room for so many events at this time in milliseconds since 1970, of at most `most` in its second. All of them
    /// or none.
    pub fn take(&self, events: u32, most: u32, now_ms: u64) -> bool {
        let second = (now_ms / MILLISECONDS) << BITS_OF_COUNT;
        let counted = self.counted.fetch_update(Relaxed, Relaxed, |counted| {
            let count = used(counted, second).saturating_add(events.into());
            (count <= most.into()).then_some(second | count)
        });
        counted.is_ok()
    }

    /// Take as much of `lot` as there is room for among `most` in this period.
    pub(crate) fn draw(&self, lot: u32, most: u32, period: u32) -> u32 {
        let period = u64::from(period) << BITS_OF_COUNT;
        let granted = |counted| most.saturating_sub(u32::try_from(used(counted, period)).unwrap_or(u32::MAX)).min(lot);
        let draw = |counted| {
            let lot = granted(counted);
            (lot > 0).then(|| period | used(counted, period).saturating_add(lot.into()))
        };
        let counted = self.counted.fetch_update(Relaxed, Relaxed, draw);
        counted.map_or(0, granted)
    }
}

/// Returns how much of this period is used.
const fn used(counted: u64, period: u64) -> u64 {
    if counted & !COUNT == period { counted & COUNT } else { 0 }
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

    #[test]
    fn lots_are_drawn_until_a_period_has_no_room_and_from_the_next_one_again() {
        let budget = Budget::default();

        assert_eq!([1, 1, 1, 2].map(|period| budget.draw(4, 7, period)), [4, 3, 0, 4]);
    }
}
