//! How much processor time may be spent in a second.

const NANOSECONDS_IN_A_THOUSANDTH: u64 = 1_000_000;

/// What is left of a second's processor time. What is spent too much is taken from the seconds that follow.
#[derive(Debug, Default)]
pub(super) struct Budget {
    second: Option<u64>,
    /// Nanoseconds; negative where too many were spent.
    left: i64,
}

impl Budget {
    /// Whether anything may be spent in this second, of which `permille` of a thousand may be.
    pub(super) fn has_some(&mut self, second: u64, permille: u32) -> bool {
        let each = nanoseconds(u64::from(permille).saturating_mul(NANOSECONDS_IN_A_THOUSANDTH));
        let since = self.second.map_or(1, |before| second.saturating_sub(before));
        if since > 0 {
            // Of seconds in which nothing was spent nothing is kept.
            self.left = self.left.saturating_add(each.saturating_mul(nanoseconds(since))).min(each);
            self.second = Some(second);
        }
        self.left > 0
    }

    /// So many nanoseconds were.
    pub(super) fn spend(&mut self, spent: u64) {
        self.left = self.left.saturating_sub(nanoseconds(spent));
    }
}

fn nanoseconds(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_its_part_and_what_is_spent_too_much_is_missed_later() {
        let mut budget = Budget::default();

        assert!(budget.has_some(7, 10));
        budget.spend(9_999_999);
        assert!(budget.has_some(7, 10));
        budget.spend(25_000_000);
        assert!(!budget.has_some(7, 10));
        assert!(!budget.has_some(8, 10) && !budget.has_some(9, 10));
        assert!(budget.has_some(10, 10));
        budget.spend(5_000_001);
        assert!(!budget.has_some(10, 10));
    }

    #[test]
    fn idle_seconds_are_not_saved_up() {
        let mut budget = Budget::default();
        assert!(budget.has_some(0, 10));

        assert!(budget.has_some(3_600, 10));
        budget.spend(10_000_000);

        assert!(!budget.has_some(3_600, 10) && budget.has_some(3_601, 10));
    }
}
