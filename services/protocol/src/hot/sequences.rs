//! Which batches of idempotent producers a broker has acknowledged on a connection.

use hashbrown::HashMap;

use super::topics::{TopicNumber, TopicSet, most_after};
use crate::batch::Sequence;

const MOST_PARTITIONS: usize = 10_000;
/// As many as a broker remembers of each producer, and as a producer may have in flight.
const REMEMBERED: usize = 5;

#[derive(Debug)]
struct Acknowledged {
    producer: i64,
    epoch: i16,
    firsts: [Option<i32>; REMEMBERED],
    /// Since room was made last.
    is_recent: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Sequences {
    of: HashMap<(TopicNumber, i32), Acknowledged>,
}

impl Sequences {
    /// The memory of all sequences, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.of.allocation_size()
    }

    /// A batch was acknowledged; whether it was before.
    pub(crate) fn acknowledge(&mut self, topic: TopicNumber, partition: i32, sequence: Sequence) -> bool {
        let Sequence { producer, epoch, first } = sequence;
        let fresh = Acknowledged { producer, epoch, firsts: [Some(first), None, None, None, None], is_recent: true };
        let Some(known) = self.of.get_mut(&(topic, partition)) else {
            if self.of.len() >= MOST_PARTITIONS {
                self.make_room();
            }
            self.of.insert((topic, partition), fresh);
            return false;
        };
        known.is_recent = true;
        if (known.producer, known.epoch) != (producer, epoch) {
            *known = fresh;
            return false;
        }
        if known.firsts.contains(&Some(first)) {
            return true;
        }
        known.firsts.rotate_right(1);
        if let Some(newest) = known.firsts.first_mut() {
            *newest = Some(first);
        }
        false
    }

    /// Forget partitions of which nothing was acknowledged since the last time; all, if they are few.
    fn make_room(&mut self) {
        self.of.retain(|_, known| std::mem::take(&mut known.is_recent));
        if self.of.len() > most_after(MOST_PARTITIONS) {
            self.of.clear();
        }
    }

    pub(crate) fn topics(&self) -> impl Iterator<Item = TopicNumber> {
        self.of.keys().map(|(topic, _)| *topic)
    }

    pub(crate) fn forget_others(&mut self, kept: &TopicSet) {
        self.of.retain(|(topic, _), _| kept.has(*topic));
    }
}
