//! How far clients read behind the ends of partitions: positions of a connection, high watermarks of the process.

use std::mem;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use kwitness_observation::Series;
use kwitness_protocol::{Fetched, OwnTopic, Topic};

/// A position or watermark that no answer has confirmed for this long is not known any more.
const KNOWN_FOR_MS: u64 = 60_000;
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
    /// How many partitions are known.
    pub partitions: u32,
}

impl TopicLag {
    pub(crate) fn or_more(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        Self {
            records: self.records.max(other.records),
            held: self.held.max(other.held),
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
        watermarks.raise(topic, positions, now_ms, |position, watermark| {
            // A position beyond the watermark has no lag that is known.
            let Some(records) = between(position.next_offset, watermark) else { return };
            let partitions = all.map_or(0, |all| all.partitions).saturating_add(1);
            all = Some(TopicLag { records, held: held(position), partitions }.or_more(all));
        });
        all
    }

    /// The memory of all positions, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let topics = self.topics.iter().len().saturating_mul(TOPIC_BYTES);
        topics.saturating_add(self.partitions.saturating_mul(PARTITION_BYTES))
    }
}

const fn is_known(at_ms: u64, now_ms: u64) -> bool {
    now_ms.saturating_sub(at_ms) < KNOWN_FOR_MS
}

type Marks = HashMap<OwnTopic, HashMap<i32, Mark>>;

#[derive(Clone, Copy, Debug)]
struct Mark {
    high_watermark: i64,
    at_ms: u64,
}

/// The largest high watermark of each partition that any connection of the process has had within a minute.
///
/// There are two generations, each of at most half of the number that it was made for. A generation ends after a minute
/// or when it is full; the one before it is forgotten then.
#[derive(Debug)]
pub(crate) struct Watermarks {
    half: usize,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: Marks,
    old: Marks,
    /// How many partitions `young` has.
    count: usize,
    began_ms: u64,
}

impl Watermarks {
    /// Those of at most so many partitions.
    pub(crate) fn new(limit: usize) -> Self {
        Self { half: limit / 2, generations: Mutex::default() }
    }

    /// Keep the watermarks of these positions where they are larger, and hand each position with the largest to `each`.
    fn raise(
        &self,
        topic: &Topic<'_>,
        positions: &HashMap<i32, Position>,
        now_ms: u64,
        mut each: impl FnMut(&Fetched, i64),
    ) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = generations.turn(self.half, now_ms);
        let mut topic = generations.topic(topic, self.half);
        for (partition, Position { fetched, at_ms }) in positions {
            let own = Mark { high_watermark: fetched.high_watermark, at_ms: *at_ms };
            each(fetched, topic.raise(*partition, own, now_ms));
        }
        drop(generations);
        drop(forgotten);
    }

    /// Keep a watermark where it is larger than those known.
    pub(crate) fn keep(&self, topic: &Topic<'_>, partition: i32, high_watermark: i64, now_ms: u64) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = generations.turn(self.half, now_ms);
        generations.topic(topic, self.half).raise(partition, Mark { high_watermark, at_ms: now_ms }, now_ms);
        drop(generations);
        drop(forgotten);
    }

    /// Returns the largest watermark of a partition that was confirmed within a minute.
    pub(crate) fn largest(&self, topic: &Topic<'_>, partition: i32, now_ms: u64) -> Option<i64> {
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = [&generations.young, &generations.old].map(|marks| marks.get(topic)?.get(&partition));
        let known = marks.into_iter().flatten().filter(|mark| is_known(mark.at_ms, now_ms));
        known.map(|mark| mark.high_watermark).max()
    }
}

/// The watermarks of a topic.
struct OfTopic<'a> {
    young: &'a mut HashMap<i32, Mark>,
    old: Option<&'a HashMap<i32, Mark>>,
    count: &'a mut usize,
    most: usize,
}

impl OfTopic<'_> {
    /// Keep a watermark where there is room, or the larger one that is known; returns it.
    fn raise(&mut self, partition: i32, own: Mark, now_ms: u64) -> i64 {
        let known = [self.young.get(&partition), self.old.and_then(|old| old.get(&partition))].into_iter().flatten();
        let known = known.filter(|mark| is_known(mark.at_ms, now_ms));
        let largest = known.fold(own, |largest, mark| {
            let (other, of_largest) = ((mark.high_watermark, mark.at_ms), (largest.high_watermark, largest.at_ms));
            if other > of_largest { *mark } else { largest }
        });
        if *self.count < self.most || self.young.contains_key(&partition) {
            *self.count = self.count.saturating_add(usize::from(self.young.insert(partition, largest).is_none()));
        }
        largest.high_watermark
    }
}

impl Generations {
    fn topic(&mut self, topic: &Topic<'_>, most: usize) -> OfTopic<'_> {
        let Self { young, old, count, .. } = self;
        let young = young.entry(topic.into()).or_default();
        OfTopic { young, old: old.get(topic), count, most }
    }

    /// Begin a generation where it is time for it; returns the one that is forgotten.
    fn turn(&mut self, most: usize, now_ms: u64) -> Marks {
        let is_over = self.count >= most || !is_known(self.began_ms, now_ms);
        if !is_over {
            return Marks::default();
        }
        (self.count, self.began_ms) = (0, now_ms);
        let ended = mem::take(&mut self.young);
        mem::replace(&mut self.old, ended)
    }
}
