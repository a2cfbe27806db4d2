//! The high watermarks of partitions that any connection of the process has had, and when each was passed.

use std::mem;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use kwitness_protocol::{OwnTopic, Topic};

use crate::history::{Age, History, Sample};

/// A position or watermark that no answer has confirmed for this long is not known any more.
const KNOWN_FOR_MS: u64 = 60_000;

pub(crate) const fn is_known(at_ms: u64, now_ms: u64) -> bool {
    now_ms.saturating_sub(at_ms) < KNOWN_FOR_MS
}

type Marks = HashMap<OwnTopic, HashMap<i32, Mark>>;

/// A high watermark of a partition, as an answer has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) sample: Sample,
    /// The epoch of the leader that answered, where that is known.
    pub(crate) leader_epoch: Option<i32>,
}

impl Watermark {
    /// Returns that of the newer leader epoch; of the same, and where one is not known, the larger one.
    fn or_later(self, other: Self) -> Self {
        let key = |watermark: Self| (watermark.sample.high_watermark, watermark.sample.at_ms);
        let is_other = match self.leader_epoch.zip(other.leader_epoch) {
            Some((own, others)) if own != others => others > own,
            _ => key(other) > key(self),
        };
        let sample = if is_other { other.sample } else { self.sample };
        Self { sample, leader_epoch: self.leader_epoch.max(other.leader_epoch) }
    }
}

/// The latest high watermark of a partition within a minute.
#[derive(Debug)]
struct Mark {
    latest: Watermark,
    history: History,
}

/// The largest high watermark of each partition that any connection of the process has had within a minute; of a newer
/// leader epoch also a smaller one, since an unclean election takes records back.
///
/// There are two generations, each of at most half of the number that it was made for. A generation ends after a minute
/// or when it is full; the one before it is forgotten then, but for samples of partitions that are in both.
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

/// The largest watermark of a partition, and where there was room for them its samples.
pub(crate) struct Raised<'a> {
    pub(crate) high_watermark: i64,
    history: Option<&'a History>,
}

impl Raised<'_> {
    /// Returns how long the record at an offset can be read already; `None` without a sample beyond it.
    pub(crate) fn age(&self, offset: i64, now_ms: u64) -> Option<Age> {
        self.history?.age(offset, now_ms)
    }
}

impl Watermarks {
    /// Those of at most so many partitions.
    pub(crate) fn new(limit: usize) -> Self {
        Self { half: limit / 2, generations: Mutex::default() }
    }

    /// Keep the watermarks of these partitions where they are larger, and hand each partition with the largest to `each`.
    pub(crate) fn raise<T>(
        &self,
        topic: &Topic<'_>,
        partitions: impl Iterator<Item = (i32, Watermark, T)>,
        now_ms: u64,
        mut each: impl FnMut(T, &Raised<'_>),
    ) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let forgotten = generations.turn(self.half, now_ms);
        let mut topic = generations.topic(topic, self.half);
        for (partition, own, what) in partitions {
            each(what, &topic.raise(partition, own, now_ms));
        }
        drop(generations);
        drop(forgotten);
    }

    /// Keep a watermark where it is larger than those known.
    pub(crate) fn keep(&self, topic: &Topic<'_>, partition: i32, high_watermark: i64, now_ms: u64) {
        let own = Watermark { sample: Sample { high_watermark, at_ms: now_ms }, leader_epoch: None };
        self.raise(topic, [(partition, own, ())].into_iter(), now_ms, |(), _| ());
    }

    /// Returns the largest watermark of a partition that was confirmed within a minute.
    pub(crate) fn largest(&self, topic: &Topic<'_>, partition: i32, now_ms: u64) -> Option<i64> {
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let known = generations.marks(topic, partition).map(|mark| mark.latest);
        let known = known.filter(|known| is_known(known.sample.at_ms, now_ms)).reduce(Watermark::or_later);
        known.map(|known| known.sample.high_watermark)
    }

    /// Returns how long the record at an offset of a partition can be read already; `None` without a sample beyond it.
    pub(crate) fn age(&self, topic: &Topic<'_>, partition: i32, offset: i64, now_ms: u64) -> Option<Age> {
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.marks(topic, partition).filter_map(|mark| mark.history.age(offset, now_ms)).max()
    }
}

/// The watermarks of a topic.
struct OfTopic<'a> {
    young: &'a mut HashMap<i32, Mark>,
    old: Option<&'a mut HashMap<i32, Mark>>,
    count: &'a mut usize,
    most: usize,
}

impl OfTopic<'_> {
    /// Keep a watermark where there is room, or the larger one that is known; returns it.
    fn raise(&mut self, partition: i32, own: Watermark, now_ms: u64) -> Raised<'_> {
        let old = self.old.as_mut().and_then(|old| old.get_mut(&partition));
        let known = [self.young.get(&partition), old.as_deref()].into_iter().flatten().map(|mark| mark.latest);
        let latest = known.filter(|known| is_known(known.sample.at_ms, now_ms)).fold(own, Watermark::or_later);
        let high_watermark = latest.sample.high_watermark;
        if *self.count >= self.most && !self.young.contains_key(&partition) {
            return Raised { high_watermark, history: None };
        }
        let count = &mut *self.count;
        let mark = self.young.entry(partition).or_insert_with(|| {
            *count = count.saturating_add(1);
            Mark { latest, history: old.map(|old| mem::take(&mut old.history)).unwrap_or_default() }
        });
        mark.latest = latest;
        mark.history.add(latest.sample);
        Raised { high_watermark, history: Some(&mark.history) }
    }
}

impl Generations {
    fn topic(&mut self, topic: &Topic<'_>, most: usize) -> OfTopic<'_> {
        let Self { young, old, count, .. } = self;
        let young = young.entry(topic.into()).or_default();
        OfTopic { young, old: old.get_mut(topic), count, most }
    }

    fn marks(&self, topic: &Topic<'_>, partition: i32) -> impl Iterator<Item = &Mark> {
        let both = [&self.young, &self.old].map(|marks| marks.get(topic)?.get(&partition));
        both.into_iter().flatten()
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
