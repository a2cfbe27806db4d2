//! What closes the records of one topic in a window.

use kwitness_observation::Counts;
use serde::Serialize;

/// The numbers of one topic's records in a window.
#[derive(Default)]
pub(super) struct Sealed {
    first: Option<u64>,
    last: u64,
    given: u64,
    dropped: Counts<&'static str>,
}

impl Sealed {
    /// The record of this number was given on, or dropped for a reason.
    pub(super) fn add(&mut self, seq: u64, given: Result<(), &'static str>) {
        self.first = self.first.or(Some(seq));
        self.last = seq;
        match given {
            Ok(()) => self.given = self.given.saturating_add(1),
            Err(reason) => self.dropped.add(reason),
        }
    }
}

#[derive(Serialize)]
pub(super) struct SealRow<'a> {
    topic: &'static str,
    first_seq: u64,
    last_seq: u64,
    count: u64,
    dropped: Dropped<'a>,
}

impl<'a> SealRow<'a> {
    /// The seal that has the number `next`, if there is anything to seal. So many records were not made, by reason.
    pub(super) fn new(topic: &'static str, sealed: &'a Sealed, unmade: &'a Unmade, next: u64) -> Option<Self> {
        if sealed.first.is_none() && unmade.iter().all(|(_, count)| *count == 0) {
            return None;
        }
        // Where no record has a number there is only the seal's own.
        let (first_seq, last_seq) = sealed.first.map_or((next, next), |first| (first, sealed.last));
        Some(Self { topic, first_seq, last_seq, count: sealed.given, dropped: Dropped(&sealed.dropped, unmade) })
    }
}

/// Records that were not made, by reason.
pub(super) type Unmade = [(&'static str, u64)];

struct Dropped<'a>(&'a Counts<&'static str>, &'a Unmade);

impl Serialize for Dropped<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let unmade = self.1.iter().copied().filter(|(_, count)| *count > 0);
        serializer.collect_map(self.0.iter().chain(unmade))
    }
}
