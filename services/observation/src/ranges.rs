//! Which offsets: a few ranges, coalesced.

/// Offsets without a gap, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first offset.
    pub first: i64,
    /// The last offset.
    pub last: i64,
}

/// How many ranges are kept.
pub const KEPT: usize = 8;

/// Offset ranges in ascending order, none touching the next.
///
/// They are exact as long as there are no more than [`KEPT`]. Beyond that the two with the fewest offsets between them
/// become one, which then holds offsets that nobody named; how often is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// One more than is kept, so that a new range has its place before two become one.
    places: [Range; KEPT + 1],
    count: usize,
    merged: u64,
}

impl Ranges {
    /// Add the offsets from `first` to `last`; nothing if there are none, or one is negative.
    pub fn add(&mut self, first: i64, last: i64) {
        if first < 0 || last < first {
            return;
        }
        let newest = self.count.checked_sub(1).and_then(|newest| self.places.get_mut(newest));
        if let Some(newest) = newest.filter(|newest| newest.last.checked_add(1) == Some(first)) {
            // Nearly always: one after the other.
            newest.last = last;
            return;
        }
        let mut new = Range { first, last };
        let kept = self.places.get(..self.count).unwrap_or_default();
        // Those that end so far before the new one, or begin so far after it, that they do not touch it.
        let before = kept.partition_point(|range| range.last < first.saturating_sub(1));
        let after = kept.partition_point(|range| range.first <= last.saturating_add(1));
        let next = before.saturating_add(1);
        if let Some([start, ..]) = kept.get(before..after) {
            let end = kept.get(after.saturating_sub(1)).unwrap_or(start);
            new = Range { first: first.min(start.first), last: last.max(end.last) };
            self.places.copy_within(after..self.count, next);
            self.count = self.count.saturating_sub(after.saturating_sub(next));
        } else {
            self.places.copy_within(before..self.count, next);
            self.count = self.count.saturating_add(1);
        }
        if let Some(place) = self.places.get_mut(before) {
            *place = new;
        }
        if self.count > KEPT {
            self.merge_nearest();
        }
    }

    fn merge_nearest(&mut self) {
        let pairs = self.kept().windows(2).filter_map(|pair| <&[Range; 2]>::try_from(pair).ok());
        let nearest = pairs.enumerate().min_by_key(|(_, [one, next])| next.first.saturating_sub(one.last));
        let Some((place, [_, Range { last, .. }])) = nearest else { return };
        let last = *last;
        if let Some(range) = self.places.get_mut(place) {
            range.last = last;
        }
        let next = place.saturating_add(1);
        self.places.copy_within(next.saturating_add(1)..self.count, next);
        self.count = self.count.saturating_sub(1);
        self.merged = self.merged.saturating_add(1);
    }

    /// The ranges.
    #[must_use]
    pub fn kept(&self) -> &[Range] {
        self.places.get(..self.count).unwrap_or_default()
    }

    /// How often two became one although offsets between them are missing.
    #[must_use]
    pub const fn merged(&self) -> u64 {
        self.merged
    }
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "a test's numbers are small")]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn of(added: &[(i64, i64)]) -> Ranges {
        let mut ranges = Ranges::default();
        for (first, last) in added {
            ranges.add(*first, *last);
        }
        ranges
    }

    fn pairs(ranges: &Ranges) -> Vec<(i64, i64)> {
        ranges.kept().iter().map(|range| (range.first, range.last)).collect()
    }

    /// The ranges that a set of offsets has.
    fn exact(offsets: &BTreeSet<i64>) -> Vec<(i64, i64)> {
        let mut found: Vec<(i64, i64)> = Vec::new();
        for offset in offsets {
            match found.last_mut() {
                Some((_, last)) if *last + 1 == *offset => *last = *offset,
                _ => found.push((*offset, *offset)),
            }
        }
        found
    }

    #[test]
    fn ranges_that_touch_become_one() {
        assert_eq!(pairs(&of(&[(0, 4), (5, 9)])), [(0, 9)]);
        assert_eq!(pairs(&of(&[(5, 9), (0, 4)])), [(0, 9)]);
        assert_eq!(pairs(&of(&[(0, 1), (4, 5), (8, 9), (2, 7)])), [(0, 9)]);
        assert_eq!(pairs(&of(&[(0, 1), (4, 5), (8, 9), (5, 6)])), [(0, 1), (4, 6), (8, 9)]);
    }

    #[test]
    fn the_ninth_range_joins_the_two_that_are_nearest() {
        let mut added: Vec<(i64, i64)> = (0..8).map(|number| (number * 100, number * 100)).collect();
        added.push((350, 360));

        let ranges = of(&added);

        assert_eq!(ranges.merged(), 1);
        assert_eq!(pairs(&ranges)[3..5], [(300, 300), (350, 400)]);
    }

    #[test]
    fn no_offsets_and_offsets_that_no_partition_has_add_nothing() {
        let ranges = of(&[(5, 4), (-1, 3), (i64::MIN, i64::MAX)]);

        assert_eq!(ranges, Ranges::default());
    }

    #[test]
    fn the_highest_offset_is_an_offset() {
        assert_eq!(pairs(&of(&[(i64::MAX, i64::MAX), (0, i64::MAX - 1)])), [(0, i64::MAX)]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_few_ranges_are_exact(added in vec((0_i64..200, 0_i64..12), 0..40)) {
            let (mut ranges, mut truth, mut has_been_exact) = (Ranges::default(), BTreeSet::new(), true);
            for (first, length) in added {
                ranges.add(first, first + length);
                truth.extend(first..=first + length);
                has_been_exact &= exact(&truth).len() <= KEPT;

                let kept = pairs(&ranges);
                prop_assert!(kept.len() <= KEPT);
                prop_assert!(kept.is_sorted_by(|one, next| one.1 + 1 < next.0), "{:?}", kept);
                prop_assert!(truth.iter().all(|offset| kept.iter().any(|(first, last)| (first..=last).contains(&offset))));
                prop_assert_eq!(has_been_exact, ranges.merged() == 0);
                if has_been_exact {
                    prop_assert_eq!(kept, exact(&truth));
                }
            }
        }
    }
}
