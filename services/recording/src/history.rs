//! How the high watermark of a partition has grown, for the age of what a client has not read yet.

use serde::Serialize;

/// Samples of a partition. With one more the sample goes that lies closest to its neighbours for its age, so the distance
/// between samples grows with their age.
const MOST_SAMPLES: usize = 12;
/// Of two samples that follow one another within this time the later one stays.
const SPACING_MS: u64 = 1_000;
/// Room for so many samples is made at once.
const ROOM: usize = 4;
const PER_THOUSAND: u64 = 1_000;

/// How long the first record that a client has not read can be read already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age {
    /// In milliseconds, by the clock of the observer.
    pub ms: u64,
    /// How this is known.
    pub basis: Basis,
}

/// How the age of a record is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The high watermark had passed the record already when it was seen first.
    AtLeast,
    /// The high watermark passed the record between two samples.
    Interpolated,
    /// A sample of the high watermark is at that very record.
    Observed,
}

impl Age {
    /// That of a client which has read everything.
    pub(crate) const ZERO: Self = Self { ms: 0, basis: Basis::Observed };
}

/// A high watermark, and when an answer had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) high_watermark: i64,
    pub(crate) at_ms: u64,
}

/// Samples of a partition's high watermark: neither watermarks nor times decrease.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<Sample>);

impl History {
    /// Add the largest high watermark that is known. Without the records that a smaller one says are gone.
    pub(crate) fn add(&mut self, new: Sample) {
        let samples = &mut self.0;
        while samples.pop_if(|last| last.high_watermark > new.high_watermark).is_some() {}
        if samples.last().is_some_and(|last| last.high_watermark == new.high_watermark) {
            self.stand(new);
            return;
        }
        // An answer of a broker that was behind, or a clock that went back.
        while samples.pop_if(|last| last.at_ms >= new.at_ms).is_some() {}
        if let [.., before, last] = &mut samples[..]
            && new.at_ms.saturating_sub(before.at_ms) < SPACING_MS
        {
            *last = new;
        } else {
            self.push(new);
        }
    }

    /// The high watermark is the last one still: its first and last sample are kept.
    fn stand(&mut self, new: Sample) {
        match &mut self.0[..] {
            [.., last] if last.at_ms >= new.at_ms => {}
            [.., before, last] if before.high_watermark == last.high_watermark => *last = new,
            _ => self.push(new),
        }
    }

    fn push(&mut self, new: Sample) {
        if self.0.len() >= MOST_SAMPLES {
            self.thin(new.at_ms);
        }
        if self.0.len() == self.0.capacity() {
            self.0.reserve_exact(ROOM);
        }
        self.0.push(new);
    }

    /// Forget one sample between the first and the last.
    fn thin(&mut self, now_ms: u64) {
        let neighbours = self.0.windows(3).enumerate().filter_map(|(place, three)| {
            let [before, sample, after] = three else { return None };
            let (age, span) = (now_ms.saturating_sub(sample.at_ms), after.at_ms.saturating_sub(before.at_ms));
            Some((age.saturating_mul(PER_THOUSAND).checked_div(span).unwrap_or(u64::MAX), place.saturating_add(1)))
        });
        if let Some((_, place)) = neighbours.max() {
            self.0.remove(place);
        }
    }

    /// Returns how long the record at an offset can be read already; `None` if no high watermark lies beyond it.
    pub(crate) fn age(&self, offset: i64, now_ms: u64) -> Option<Age> {
        let place = self.0.partition_point(|sample| sample.high_watermark <= offset);
        let after = self.0.get(place)?;
        let (passed_ms, basis) = match place.checked_sub(1).and_then(|place| self.0.get(place)) {
            None => (after.at_ms, Basis::AtLeast),
            Some(before) => passed(before, after, offset),
        };
        Some(Age { ms: now_ms.saturating_sub(passed_ms), basis })
    }
}

/// Returns when the high watermark passed the record at an offset, between a sample that has and one that has not.
fn passed(before: &Sample, after: &Sample, offset: i64) -> (u64, Basis) {
    let part = |to: i64| u128::from(to.abs_diff(before.high_watermark));
    let (reached, whole) = (part(offset.saturating_add(1)), part(after.high_watermark));
    let span = u128::from(after.at_ms.saturating_sub(before.at_ms));
    let into = span.saturating_mul(reached).checked_div(whole).unwrap_or_default();
    let is_observed = before.high_watermark == offset || reached == whole;
    let basis = if is_observed { Basis::Observed } else { Basis::Interpolated };
    (before.at_ms.saturating_add(u64::try_from(into).unwrap_or_default()), basis)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of a log, one for each second.
    fn sampled(seconds: u64, records_by: impl Fn(u64) -> u64) -> History {
        let mut history = History::default();
        for (second, at_ms) in (0..=seconds).zip((0..).step_by(1_000)) {
            history.add(Sample { high_watermark: records_by(second).cast_signed(), at_ms });
        }
        history
    }

    #[test]
    fn a_day_is_in_a_few_samples_that_are_denser_the_younger_they_are() {
        let day_s = 86_400;
        // Few records at first, and then more and more, so that times between samples are not proportional to offsets.
        let history = sampled(day_s, |second| second * second);

        assert!(history.0.len() <= MOST_SAMPLES && history.0.capacity() <= MOST_SAMPLES);
        for age_s in [2, 10, 60, 600, 3_600, 20_000] {
            let offset = (day_s - age_s) * (day_s - age_s);
            let age = history.age(offset.cast_signed(), day_s * 1_000).unwrap();
            assert!(age.ms.abs_diff(age_s * 1_000) <= age_s * 500, "{age:?} for {age_s} s");
        }
    }

    #[test]
    fn many_watermarks_within_a_second_are_one_sample_or_two() {
        let mut history = History::default();
        (0..2_000_u64).for_each(|at_ms| history.add(Sample { high_watermark: at_ms.cast_signed(), at_ms }));

        assert!(history.0.len() <= 4, "{history:?}");
        assert_eq!(history.age(1_500, 2_000).unwrap().ms, 499);
    }

    proptest::proptest! {
        #[test]
        fn samples_are_few_and_sorted_whatever_answers_and_clocks_say(
            all in proptest::collection::vec((-5_i64..60, 0_u64..20_000), 0..200),
            offset in proptest::num::i64::ANY,
        ) {
            let mut history = History::default();
            for (high_watermark, at_ms) in all {
                history.add(Sample { high_watermark, at_ms });
                assert!(history.0.is_sorted_by(|sample, next| {
                    sample.high_watermark <= next.high_watermark && sample.at_ms <= next.at_ms
                }), "{history:?}");
                assert!(history.0.len() <= MOST_SAMPLES, "{history:?}");
                assert_eq!(history.0.last().map(|last| last.high_watermark), Some(high_watermark));
            }
            assert!(history.age(offset, 10_000).is_none_or(|age| age.ms <= 10_000));
        }
    }
}
