//! Commits that go back: their offset is below the one that the group had in the partition before.

use kwitness_observation::{Capacity, Series, kept};

use crate::OTHER;
use crate::tally::{HIGHEST, grow};

/// Those of a window.
#[derive(Debug)]
pub(crate) struct CommitsBack(Series<CommitsBackKey, CommitsBackTally>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CommitsBackKey {
    /// The client that committed.
    pub(crate) who: u32,
    /// `None` where groups are not told apart.
    pub(crate) group: Option<Box<[u8]>>,
    pub(crate) topic: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CommitsBackTally {
    pub(crate) commits: u64,
    /// The most records that one of them went back.
    pub(crate) most_records: u64,
}

impl CommitsBack {
    pub(crate) fn within(capacity: Capacity) -> Self {
        Self(Series::within(capacity))
    }

    /// Count a commit; returns false if it is not told apart from others.
    pub(crate) fn add(&mut self, who: u32, group: &[u8], topic: u32, records: u64) -> bool {
        let key = CommitsBackKey { who, group: Some(kept(group).into()), topic };
        let place = self.0.place(&key, || key.clone());
        let others = CommitsBackKey { who: OTHER, group: None, topic: OTHER };
        let row = place.unwrap_or_else(|| self.0.place_beyond(others));
        if let Some(tally) = self.0.value(row) {
            grow(&mut tally.commits, 1);
            tally.most_records = tally.most_records.max(records.min(HIGHEST));
        }
        place.is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(CommitsBackKey, CommitsBackTally)> {
        self.0.iter()
    }
}
