//! What is counted of one topic within one window.

use std::collections::BTreeSet;

use kwitness_observation::{Counts, Ranges, Series, Sketch};

use super::topics::Merge;

/// Of one topic; the partitions are those that found room.
#[derive(Clone, Debug)]
pub(crate) struct TopicTally {
    pub(crate) sent: u64,
    pub(crate) acknowledged: u64,
    /// Records given up, by librdkafka's code.
    pub(crate) failures: Counts<i32>,
    pub(crate) consumed: u64,
    pub(crate) commits: u64,
    pub(crate) commit_failures: Counts<i32>,
    pub(crate) key_bytes: u64,
    pub(crate) value_bytes: u64,
    pub(crate) sizes: Sketch,
    pub(crate) acknowledgement_time: Sketch,
    pub(crate) end_to_end: Sketch,
    pub(crate) anomalies: Counts<&'static str>,
    pub(crate) partitions: Series<i32, PartitionTally>,
    left_out: BTreeSet<i32>,
    /// The last one asked for, and its number: the next is likely to be it, too.
    last: Option<(i32, u32)>,
}

/// Of one partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartitionTally {
    pub(crate) acknowledged: u64,
    pub(crate) consumed: u64,
    pub(crate) committed: Option<i64>,
    pub(crate) offsets: Ranges,
}

/// Most partitions of a row, and most of those that are named to be left out.
const MOST_PARTITIONS: usize = 1_024;

impl Default for TopicTally {
    fn default() -> Self {
        Self {
            sent: 0,
            acknowledged: 0,
            failures: Counts::default(),
            consumed: 0,
            commits: 0,
            commit_failures: Counts::default(),
            key_bytes: 0,
            value_bytes: 0,
            sizes: Sketch::default(),
            acknowledgement_time: Sketch::default(),
            end_to_end: Sketch::default(),
            anomalies: Counts::default(),
            partitions: Series::new(MOST_PARTITIONS),
            left_out: BTreeSet::new(),
            last: None,
        }
    }
}

impl TopicTally {
    /// A partition, if there is room for it among so many.
    pub(crate) fn partition(&mut self, partition: i32, most: usize) -> Option<&mut PartitionTally> {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == partition) {
            return self.partitions.value(number);
        }
        let is_known = self.partitions.find(&partition);
        let number = is_known.or_else(|| {
            let has_room = self.partitions.iter().len() < most.min(MOST_PARTITIONS);
            if has_room { self.partitions.place(&partition, || partition) } else { None }
        });
        if number.is_none() && self.left_out.len() < MOST_PARTITIONS {
            self.left_out.insert(partition);
        }
        self.last = number.map(|number| (partition, number));
        number.and_then(|number| self.partitions.value(number))
    }

    /// How many partitions found no room.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out.len()
    }
}

fn grow(count: &mut u64, by: u64) {
    *count = count.saturating_add(by);
}

impl Merge for TopicTally {
    fn merge(&mut self, other: &Self) {
        grow(&mut self.sent, other.sent);
        grow(&mut self.acknowledged, other.acknowledged);
        self.failures.merge(&other.failures);
        grow(&mut self.consumed, other.consumed);
        grow(&mut self.commits, other.commits);
        self.commit_failures.merge(&other.commit_failures);
        grow(&mut self.key_bytes, other.key_bytes);
        grow(&mut self.value_bytes, other.value_bytes);
        self.sizes.merge(&other.sizes);
        self.acknowledgement_time.merge(&other.acknowledgement_time);
        self.end_to_end.merge(&other.end_to_end);
        self.anomalies.merge(&other.anomalies);
        for (partition, theirs) in other.partitions.iter() {
            if let Some(own) = self.partition(*partition, MOST_PARTITIONS) {
                grow(&mut own.acknowledged, theirs.acknowledged);
                grow(&mut own.consumed, theirs.consumed);
                own.committed = theirs.committed.or(own.committed);
                if own.offsets.kept().is_empty() {
                    own.offsets = theirs.offsets.clone();
                } else {
                    theirs.offsets.kept().iter().for_each(|range| own.offsets.add(range.first, range.last));
                }
            }
        }
        let more = other.left_out.iter().filter(|partition| self.partitions.find(*partition).is_none());
        self.left_out.extend(more);
    }
}
