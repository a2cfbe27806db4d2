//! What Produce requests want to write, until the broker says what became of it.

use std::collections::VecDeque;

use super::topics::TopicNumber;
use crate::batch::{Batch, Sequence};
use crate::event::Content;
use crate::reasons::Unread;
use crate::stop::Stop;

/// Over all requests that wait on a connection.
const MOST: usize = 10_000;
/// Room for so many is kept when none waits.
const USUAL: usize = 16;

/// One partition of a Produce request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) topic: TopicNumber,
    pub(crate) partition: i32,
    pub(crate) content: Content,
    /// How many offsets it takes; `None` where that cannot be told.
    pub(crate) span: Option<i64>,
    pub(crate) sequence: Option<Sequence>,
    pub(crate) is_answered: bool,
}

impl Part {
    pub(crate) fn new(topic: TopicNumber, partition: i32) -> Self {
        Self { topic, partition, span: Some(0), ..Self::default() }
    }

    pub(crate) fn add(&mut self, batch: &Batch) {
        if batch.is_control {
            return;
        }
        self.content.count(batch, batch.records);
        self.span = self.span.zip(batch.span()).map(|(sum, span)| sum.saturating_add(span));
        self.sequence = batch.sequence;
    }

    const fn key(&self) -> (TopicNumber, i32) {
        (self.topic, self.partition)
    }
}

/// The parts of all requests that wait, in the order of the requests.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    waiting: VecDeque<Part>,
    /// Where the next answer probably is.
    next: usize,
    /// The parts of the first request by their keys; made when an answer is not where it was expected.
    order: Vec<usize>,
}

impl Parts {
    pub(crate) fn push(&mut self, part: Part) -> Result<(), Stop> {
        if self.waiting.len() >= MOST {
            return Err(Stop::Unread(Unread::TooMany));
        }
        self.waiting.push_back(part);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn topics(&self) -> impl Iterator<Item = TopicNumber> {
        self.waiting.iter().map(|part| part.topic)
    }

    /// The part of the first request, which has `count`, that is answered now; none twice.
    pub(crate) fn answered(&mut self, count: usize, topic: TopicNumber, partition: i32) -> Option<&Part> {
        let key = (topic, partition);
        let is_next = self.next < count && self.waiting.get(self.next).is_some_and(|part| part.key() == key);
        let place = if is_next { self.next } else { self.search(count, key)? };
        let part = self.waiting.get_mut(place).filter(|part| !part.is_answered)?;
        part.is_answered = true;
        self.next = place.saturating_add(1);
        Some(part)
    }

    fn search(&mut self, count: usize, key: (TopicNumber, i32)) -> Option<usize> {
        let key_of = |place: &usize| self.waiting.get(*place).map(Part::key);
        if self.order.is_empty() {
            self.order.extend(0..count.min(self.waiting.len()));
            self.order.sort_unstable_by_key(key_of);
        }
        let found = self.order.binary_search_by_key(&Some(key), key_of).ok()?;
        self.order.get(found).copied()
    }

    /// The first request, which has `count`, is answered.
    pub(crate) fn release(&mut self, count: usize) {
        self.waiting.drain(..count.min(self.waiting.len()));
        self.settle();
    }

    /// The last request, which has `count`, is not answered; its parts.
    pub(crate) fn take_last(&mut self, count: usize) -> impl Iterator<Item = Part> {
        let first = self.waiting.len().saturating_sub(count);
        self.waiting.drain(first..)
    }

    /// The memory of parts that wait, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let order = self.order.capacity().saturating_mul(size_of::<usize>());
        self.waiting.capacity().saturating_mul(size_of::<Part>()).saturating_add(order)
    }

    /// Make ready for the next answer.
    pub(crate) fn settle(&mut self) {
        self.next = 0;
        self.order.clear();
        if self.waiting.is_empty() && self.waiting.capacity() > USUAL {
            self.waiting.shrink_to(USUAL);
            self.order.shrink_to(USUAL);
        }
    }
}
