//! How long something took: a distribution that adds up bucket by bucket, with an error of 1 %.
//!
//! The buckets' bounds are whole microseconds in one table, which every language makes by the same rule in integers. So
//! a value has the same bucket wherever it is counted (after `DDSketch`: Masson, Rim, Lee, VLDB 2019).

/// The last bound is the first that is not below a day.
const DAY_US: u64 = 86_400_000_000;

/// The bound after this one.
const fn next(bound: u64) -> u64 {
    let grown = (bound.saturating_mul(101)) / 99;
    let one_more = bound.saturating_add(1);
    if grown > one_more { grown } else { one_more }
}

const COUNT: usize = {
    let (mut bound, mut count) = (1, 1_usize);
    while bound < DAY_US {
        bound = next(bound);
        count = count.saturating_add(1);
    }
    count
};

static BOUNDS: [u64; COUNT] = {
    let mut bounds = [1; COUNT];
    let (mut rest, mut bound): (&mut [u64], u64) = (&mut bounds, 1);
    while let Some((first, others)) = rest.split_first_mut() {
        *first = bound;
        bound = next(bound);
        rest = others;
    }
    bounds
};

/// The upper bounds of all buckets, in microseconds.
#[must_use]
pub fn bounds() -> &'static [u64] {
    &BOUNDS
}

/// How many bounds are below each power of two: between two of them there are few to search.
static BELOW: [usize; 65] = {
    let mut below = [COUNT; 65];
    let (mut rest, mut bounds, mut power): (&mut [usize], &[u64], u64) = (&mut below, &BOUNDS, 1);
    while let Some((first, others)) = rest.split_first_mut() {
        while let Some((bound, more)) = bounds.split_first()
            && *bound < power
        {
            bounds = more;
        }
        *first = COUNT.saturating_sub(bounds.len());
        power = power.saturating_mul(2);
        rest = others;
    }
    below
};

/// The bucket of a duration: the first whose bound is not below it, or the last.
#[must_use]
pub fn index(microseconds: u64) -> u16 {
    let last = const { COUNT.saturating_sub(1) };
    let bits = usize::try_from(u64::BITS.saturating_sub(microseconds.leading_zeros())).unwrap_or(0);
    let from = BELOW.get(bits.saturating_sub(1)).copied().unwrap_or(last);
    let to = BELOW.get(bits).copied().unwrap_or(COUNT);
    let few = BOUNDS.get(from..to).unwrap_or_default();
    let place = from.saturating_add(few.partition_point(|bound| *bound < microseconds));
    u16::try_from(place.min(last)).unwrap_or(u16::MAX)
}

/// Rows hold no larger number: ages of records of 1970 add up to more.
const LARGEST_SUM: u64 = 1 << 62;

/// Whether it is the bucket of a duration.
fn holds(bucket: u16, microseconds: u64) -> bool {
    let bucket = usize::from(bucket);
    let above = bucket.checked_sub(1).and_then(|before| BOUNDS.get(before)).is_none_or(|bound| *bound < microseconds);
    above && BOUNDS.get(bucket).is_some_and(|bound| microseconds <= *bound)
}

/// Counts by bucket. Only buckets that count something take memory.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Sorted by bucket.
    buckets: Vec<(u16, u64)>,
    /// Which of them the last duration was in: the next one is likely to be in it, too.
    last: usize,
    sum_us: u64,
}

impl PartialEq for Sketch {
    fn eq(&self, other: &Self) -> bool {
        (&self.buckets, self.sum_us) == (&other.buckets, other.sum_us)
    }
}

impl Eq for Sketch {}

impl Sketch {
    /// Count one duration.
    pub fn add(&mut self, microseconds: u64) {
        self.sum_us = self.sum_us.saturating_add(microseconds);
        match self.buckets.get_mut(self.last) {
            Some((bucket, counted)) if holds(*bucket, microseconds) => *counted = counted.saturating_add(1),
            _ => self.count(index(microseconds), 1),
        }
    }

    /// Count what another has counted.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.buckets {
            self.count(*bucket, *count);
        }
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
    }

    fn count(&mut self, bucket: u16, count: u64) {
        match self.buckets.binary_search_by_key(&bucket, |(bucket, _)| *bucket) {
            Ok(place) => {
                if let Some((_, counted)) = self.buckets.get_mut(place) {
                    *counted = counted.saturating_add(count);
                }
                self.last = place;
            }
            Err(place) => {
                self.buckets.insert(place, (bucket, count));
                self.last = place;
            }
        }
    }

    /// Buckets with their counts, those with none left out, by their bounds.
    #[must_use]
    pub fn buckets(&self) -> impl ExactSizeIterator<Item = (u16, u64)> {
        self.buckets.iter().copied()
    }

    /// The sum of all durations, in microseconds, as far as a row can hold it.
    #[must_use]
    pub const fn sum_us(&self) -> u64 {
        if self.sum_us > LARGEST_SUM { LARGEST_SUM } else { self.sum_us }
    }

    /// Returns true if nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The bound, in microseconds, that so many of a hundred durations are not above; `None` if there are none.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> Option<u64> {
        let all = self.buckets().fold(0_u128, |sum, (_, count)| sum.saturating_add(count.into()));
        let wanted = all.saturating_mul(percent.min(100).into()).div_ceil(100);
        let mut counted = 0_u128;
        let reached = self.buckets().find(|(_, count)| {
            counted = counted.saturating_add((*count).into());
            counted >= wanted
        });
        reached.map(|(bucket, _)| BOUNDS.get(usize::from(bucket)).copied().unwrap_or(u64::MAX))
    }

    /// The counts by `bounds` in microseconds, ascending, each for what is above the bound before; the last, one more
    /// than there are bounds, for what is above all. A duration counts as its bucket's bound, up to 2 % above it.
    #[must_use]
    pub fn histogram(&self, bounds: &[u64]) -> Vec<u64> {
        let mut counts = vec![0_u64; bounds.len().saturating_add(1)];
        for (bucket, count) in self.buckets() {
            let upper = BOUNDS.get(usize::from(bucket)).copied().unwrap_or(u64::MAX);
            if let Some(counted) = counts.get_mut(bounds.partition_point(|bound| *bound < upper)) {
                *counted = counted.saturating_add(count);
            }
        }
        counts
    }
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "a test's numbers are small")]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn upper(bucket: u16) -> u64 {
        bounds()[usize::from(bucket)]
    }

    #[test]
    fn the_bounds_begin_at_one_microsecond_and_end_after_a_day() {
        assert_eq!(&bounds()[..3], [1, 2, 3]);
        assert!(bounds().is_sorted_by(|one, next| one < next));
        assert!(bounds()[COUNT - 2] < DAY_US && bounds()[COUNT - 1] >= DAY_US);
    }

    #[test]
    fn what_is_below_the_first_bound_or_above_the_last_has_a_bucket_too() {
        assert_eq!((index(0), index(1), index(2)), (0, 0, 1));
        assert_eq!(usize::from(index(u64::MAX)), COUNT - 1);
    }

    #[test]
    fn bounds_and_powers_of_two_are_in_the_bucket_that_a_search_of_the_whole_table_finds() {
        let powers = (0..64).map(|bits| 1_u64 << bits);
        let near = bounds().iter().copied().chain(powers).flat_map(|value| [value - 1, value, value.saturating_add(1)]);
        for value in near {
            let place = bounds().partition_point(|bound| *bound < value).min(COUNT - 1);
            assert_eq!(usize::from(index(value)), place, "{value}");
            assert_eq!(holds(index(value), value), value <= bounds()[COUNT - 1], "{value}");
        }
    }

    #[test]
    fn of_a_hundred_durations_one_may_be_above_the_ninety_ninth_percentile() {
        let mut sketch = Sketch::default();
        assert_eq!(sketch.percentile(99), None);
        (0..99).for_each(|_| sketch.add(3));
        sketch.add(DAY_US);
        assert_eq!((sketch.percentile(50), sketch.percentile(99)), (Some(3), Some(3)));
        sketch.add(DAY_US);
        assert_eq!(sketch.percentile(99), bounds().last().copied());
    }

    #[test]
    fn a_sum_is_at_most_what_a_row_can_hold() {
        let mut sketch = Sketch::default();
        (0..10_000).for_each(|_| sketch.add(1_800_000_000_000_000));

        assert_eq!(sketch.sum_us(), 1 << 62);
    }

    #[test]
    fn a_histogram_counts_each_duration_once() {
        let mut sketch = Sketch::default();
        for microseconds in [1, 5, 900, 1_000_000, DAY_US * 2] {
            sketch.add(microseconds);
        }

        assert_eq!(sketch.histogram(&[5, 1_000, 10_000]), [2, 1, 0, 2]);
        assert_eq!(sketch.histogram(&[]), [5]);
    }

    proptest! {
        #[test]
        fn a_bucket_holds_a_value_with_an_error_of_one_percent(value in 1..=DAY_US) {
            let bucket = index(value);
            let above = if bucket == 0 { 0 } else { upper(bucket - 1) };

            prop_assert!(above < value && value <= upper(bucket));
            // The middle of a bucket is off by no more than half its width: 1 % of its ends, for whole numbers.
            prop_assert!(upper(bucket) - above <= 1 + above * 2 / 99);
        }

        #[test]
        fn sketches_add_up_in_any_order(one in vec(0..DAY_US, 0..50), other in vec(0..DAY_US, 0..50)) {
            let of = |values: &[u64]| {
                let mut sketch = Sketch::default();
                for value in values {
                    sketch.add(*value);
                }
                sketch
            };
            let (mut left, mut right) = (of(&one), of(&other));
            left.merge(&of(&other));
            right.merge(&of(&one));

            prop_assert_eq!(&left, &right);
            prop_assert_eq!(&left, &of(&[one, other].concat()));
        }
    }
}
