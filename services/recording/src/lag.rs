//! How far clients read behind the ends of partitions, by the positions of a connection.

use hashbrown::HashMap;
use kwitness_observation::Series;
use kwitness_protocol::{Fetched, OwnTopic, Topic};

use crate::history::{Age, Sample};
use crate::watermarks::{Raised, Watermark, Watermarks, is_known};

/// Topics and partitions of a connection; with one more all of it are forgotten, and come back with the next answers.
const MOST_TOPICS: usize = 1_000;
const MOST_PARTITIONS: usize = 10_000;
/// Memory of a topic with its map, and of a partition in a map that has just grown.
const TOPIC_BYTES: usize = 256;
const PARTITION_BYTES: usize = 2 * size_of::<(i32, Position)>();

/// How far a client reads behind the ends of the partitions of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicLag {
    /// The most records between the next offset to fetch and the high watermark of a partition.
    pub records: u64,
    /// The most records between the last stable offset and the high watermark of a partition.
    pub held: Option<u64>,
    /// The longest that the first record which it has not read can be read already, of a partition.
    pub age: Option<Age>,
    /// How many partitions are known.
    pub partitions: u32,
}

/// How far a client is behind the end of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    pub(crate) records: u64,
    /// How long the first record that it has not read can be read already.
    pub(crate) age: Option<Age>,
}

impl Behind {
    /// Parameter `age`: of the record at `next_offset`.
    ///
    /// Returns `None` if the watermark is below that.
    pub(crate) fn new(next_offset: i64, high_watermark: i64, age: impl FnOnce() -> Option<Age>) -> Option<Self> {
        let records = between(next_offset, high_watermark)?;
        Some(Self { records, age: if records == 0 { Some(Age::ZERO) } else { age() } })
    }
}

impl TopicLag {
    pub(crate) fn or_more(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        Self {
            records: self.records.max(other.records),
            held: self.held.max(other.held),
            age: self.age.max(other.age),
            partitions: self.partitions.max(other.partitions),
        }
    }
}

/// Returns how many records lie between two offsets; `None` where the second is below the first.
pub(crate) fn between(from: i64, to: i64) -> Option<u64> {
    u64::try_from(to.checked_sub(from)?).ok()
}

/// Returns how many records a transaction that is open holds back.
pub(crate) fn held(fetched: &Fetched) -> Option<u64> {
    between(fetched.last_stable_offset?, fetched.high_watermark)
}

fn behind(fetched: &Fetched, known: &Raised<'_>, now_ms: u64) -> Option<Behind> {
    let next_offset = fetched.next_offset;
    Behind::new(next_offset, known.high_watermark, || known.age(next_offset, now_ms))
}

#[derive(Clone, Copy, Debug)]
struct Position {
    fetched: Fetched,
    at_ms: u64,
}

/// The positions of a connection, as its last answers have them.
#[derive(Debug)]
pub(crate) struct Positions {
    topics: Series<OwnTopic, HashMap<i32, Position>>,
    /// The topic of the last answer.
    last: u32,
    /// The partition of the last answer, not yet in `topics`: most answers are of the same partition again.
    current: Option<(i32, Position)>,
    partitions: usize,
}

impl Default for Positions {
    fn default() -> Self {
        Self { topics: Series::new(MOST_TOPICS), last: 0, current: None, partitions: 0 }
    }
}

impl Positions {
    /// Keep how far an answer reads.
    pub(crate) fn keep(&mut self, topic: &Topic<'_>, partition: i32, fetched: Fetched, now_ms: u64) {
        let is_last = self.topics.key(self.last).is_some_and(|own| own.as_topic() == *topic);
        let position = Position { fetched, at_ms: now_ms };
        if let Some((known, current)) = &mut self.current
            && is_last
            && *known == partition
        {
            *current = position;
            return;
        }
        self.flush();
        if !is_last {
            if self.partitions >= MOST_PARTITIONS {
                *self = Self::default();
            }
            self.last = self.topics.place(topic, || topic.into()).unwrap_or_else(|| {
                *self = Self::default();
                self.topics.place_beyond(topic.into())
            });
        }
        self.current = Some((partition, position));
    }

    fn flush(&mut self) {
        let Some((partition, position)) = self.current.take() else { return };
        let Some(positions) = self.topics.value(self.last) else { return };
        if let Some(known) = positions.get_mut(&partition) {
            *known = position;
        } else if positions.len() < MOST_PARTITIONS {
            positions.insert(partition, position);
            self.partitions = self.partitions.saturating_add(1);
        }
    }

    /// Returns the lag of a topic; `None` where no partition is known.
    pub(crate) fn lag(&mut self, topic: &Topic<'_>, watermarks: &Watermarks, now_ms: u64) -> Option<TopicLag> {
        self.flush();
        let number = self.topics.find(topic)?;
        let positions = self.topics.value(number)?;
        let before = positions.len();
        positions.retain(|_, position| is_known(position.at_ms, now_ms));
        self.partitions = self.partitions.saturating_sub(before.saturating_sub(positions.len()));
        if positions.is_empty() {
            return None;
        }
        let mut all: Option<TopicLag> = None;
        let own = positions.iter().map(|(partition, Position { fetched, at_ms })| {
            let sample = Sample { high_watermark: fetched.high_watermark, at_ms: *at_ms };
            (*partition, Watermark { sample, leader_epoch: fetched.leader_epoch }, fetched)
        });
        watermarks.raise(topic, own, now_ms, |fetched, known| {
            // A position beyond the watermark has no lag that is known.
            let Some(Behind { records, age }) = behind(fetched, known, now_ms) else { return };
            let partitions = all.map_or(0, |all| all.partitions).saturating_add(1);
            all = Some(TopicLag { records, held: held(fetched), age, partitions }.or_more(all));
        });
        all
    }

    /// The memory of all positions, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let topics = self.topics.iter().len().saturating_mul(TOPIC_BYTES);
        topics.saturating_add(self.partitions.saturating_mul(PARTITION_BYTES))
    }
}
