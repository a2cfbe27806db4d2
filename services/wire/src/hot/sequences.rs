//! Which batches of idempotent producers a broker has acknowledged on a connection.

use hashbrown::HashMap;

use super::batch::Sequence;
use super::topics::TopicNumber;

const MOST_PARTITIONS: usize = 10_000;
/// As many as a broker remembers of each producer, and as a producer may have in flight.
const REMEMBERED: usize = 5;

#[derive(Debug)]
struct Acknowledged {
    producer: i64,
    epoch: i16,
    firsts: [Option<i32>; REMEMBERED],
}

#[derive(Debug, Default)]
pub(crate) struct Sequences {
    of: HashMap<(TopicNumber, i32), Acknowledged>,
}

impl Sequences {
    /// A batch was acknowledged; whether it was before. Beyond the limit of partitions it never was.
    pub(crate) fn acknowledge(&mut self, topic: TopicNumber, partition: i32, sequence: Sequence) -> bool {
        let Sequence { producer, epoch, first } = sequence;
        let fresh = Acknowledged { producer, epoch, firsts: [Some(first), None, None, None, None] };
        let Some(known) = self.of.get_mut(&(topic, partition)) else {
            if self.of.len() < MOST_PARTITIONS {
                self.of.insert((topic, partition), fresh);
            }
            return false;
        };
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
}
