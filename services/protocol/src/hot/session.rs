//! What a connection fetches: its fetch session (KIP-227), or all partitions of its last Fetch where it has none.

use hashbrown::HashMap;

use super::topics::{TopicNumber, TopicSet, TopicValues, most_after};
use crate::event::Nanos;

/// Beyond it some that were asked for earlier give way.
const MOST_PARTITIONS: usize = 10_000;
/// A topic of the session is told no more often than so.
const PRESENCE_NANOS: u64 = 1_000_000_000;

/// The place in a partition that a request names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) offset: i64,
    /// The epoch of the leader that may answer; negative for any.
    pub(crate) leader_epoch: i32,
}

#[derive(Debug, Default)]
pub(crate) struct Session {
    offsets: HashMap<(TopicNumber, i32), Place>,
    /// How many partitions of each are in `offsets`.
    topics: TopicValues<u32>,
    told: Option<Nanos>,
}

impl Session {
    /// A request that names every partition begins.
    pub(crate) fn clear(&mut self) {
        self.offsets.clear();
        self.topics.clear();
    }

    pub(crate) fn ask(&mut self, topic: TopicNumber, partition: i32, place: Place) {
        if let Some(known) = self.offsets.get_mut(&(topic, partition)) {
            *known = place;
            return;
        }
        if self.offsets.len() >= MOST_PARTITIONS {
            self.make_room();
        }
        self.offsets.insert((topic, partition), place);
        let partitions = self.topics.get(topic).copied().unwrap_or_default();
        self.topics.insert(topic, partitions.saturating_add(1));
    }

    /// Forget an eighth of the partitions. Their topics stay.
    fn make_room(&mut self) {
        let Self { offsets, topics, .. } = self;
        let victims = offsets.len().saturating_sub(most_after(MOST_PARTITIONS));
        for ((topic, _), _) in offsets.extract_if(|_, _| true).take(victims) {
            if let Some(partitions) = topics.get_mut(topic) {
                *partitions = partitions.saturating_sub(1);
            }
        }
    }

    pub(crate) fn topics(&self) -> impl Iterator<Item = TopicNumber> {
        self.topics.iter().map(|(topic, _)| topic)
    }

    pub(crate) fn forget_others(&mut self, kept: &TopicSet) {
        self.offsets.retain(|(topic, _), _| kept.has(*topic));
        self.topics.retain(kept);
    }

    pub(crate) fn forget(&mut self, topic: TopicNumber, partition: i32) {
        let was_known = self.offsets.remove(&(topic, partition)).is_some();
        let Some(partitions) = self.topics.get_mut(topic) else { return };
        *partitions = partitions.saturating_sub(u32::from(was_known));
        if *partitions == 0 {
            self.topics.remove(topic);
        }
    }

    /// The memory of what is fetched, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.offsets.allocation_size().saturating_add(self.topics.bytes())
    }

    pub(crate) fn place(&self, topic: TopicNumber, partition: i32) -> Option<Place> {
        self.offsets.get(&(topic, partition)).copied()
    }

    /// Its topics with the numbers of their partitions, unless they were told within the last second.
    pub(crate) fn presence(&mut self, at: Nanos) -> impl Iterator<Item = (TopicNumber, u32)> {
        let is_due = self.told.is_none_or(|told| at.0.saturating_sub(told.0) >= PRESENCE_NANOS);
        if is_due && self.topics.iter().next().is_some() {
            self.told = Some(at);
        }
        let topics = is_due.then_some(&self.topics);
        topics.into_iter().flat_map(TopicValues::iter).map(|(topic, partitions)| (topic, *partitions))
    }
}
