//! Partitions of requests whose responses are read with them: `OffsetCommit`, `TxnOffsetCommit` and `ListOffsets`.

use std::cell::Cell;
use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::event::{Commit, Event};
use crate::reader::Reader;
use crate::reasons::Unread;
use crate::schema::{Field, Layout, Value, Visitor, walk};
use crate::topic::{OwnTopic, Topic};

const LIST_OFFSETS: i16 = 2;
const OFFSET_COMMIT: i16 = 8;
const TXN_OFFSET_COMMIT: i16 = 28;
/// Memory of all requests that wait on a connection.
const MOST_BYTES: usize = 1 << 20;
/// The timestamp in `ListOffsets`: the offset after the last record.
const LATEST: i64 = -1;

/// Returns true if the partitions of a request of this API are remembered.
pub(super) const fn is_remembered(key: i16) -> bool {
    matches!(key, LIST_OFFSETS | OFFSET_COMMIT | TXN_OFFSET_COMMIT)
}

/// The requests that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct PartitionRequests {
    waiting: VecDeque<PartitionRequest>,
    bytes: usize,
}

/// The partitions of a request, with the offsets that it commits or the timestamps whose offsets it lists.
#[derive(Debug, Default)]
pub(super) struct PartitionRequest {
    group: Option<Vec<u8>>,
    is_transactional: bool,
    /// True if open transactions are left out, or a broker sent it.
    is_limited: bool,
    topics: Vec<(OwnTopic, Vec<(i32, i64)>)>,
}

impl PartitionRequests {
    /// Remember the partitions of a request that begins at its body.
    ///
    /// # Errors
    /// The request cannot be read as a whole, or there is no room for it; nothing is remembered.
    pub(super) fn remember(
        &mut self,
        layout: &'static Layout,
        version: i16,
        reader: &mut Reader<'_>,
    ) -> Result<(), Unread> {
        let mut reading =
            RequestReading { request: PartitionRequest::default(), place: Place::default(), partition: 0 };
        walk(layout, version, reader, &mut reading)?;
        let bytes = self.bytes.saturating_add(reading.request.bytes());
        if bytes > MOST_BYTES {
            return Err(Unread::TooMany);
        }
        self.bytes = bytes;
        self.waiting.push_back(reading.request);
        Ok(())
    }

    /// Take the first request, whose response has come.
    pub(super) fn pop(&mut self) -> Option<PartitionRequest> {
        let request = self.waiting.pop_front()?;
        self.bytes = self.bytes.saturating_sub(request.bytes());
        Some(request)
    }

    /// The memory of the requests that wait, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl PartitionRequest {
    /// Report the offsets of partitions that the response has without an error, as far as it can be read.
    pub(super) fn answered(
        &self,
        layout: &'static Layout,
        version: i16,
        mut reader: Reader<'_>,
        sink: &mut impl FnMut(Event<'_>),
    ) {
        let mut requested = HashMap::new();
        for (topic, partitions) in &self.topics {
            let keyed = partitions.iter().map(|(number, value)| ((topic.as_topic(), *number), Cell::new(Some(*value))));
            requested.extend(keyed);
        }
        let is_transactional = self.is_transactional;
        let keep = |topic: Topic<'_>, partition: i32, listed: i64| {
            // A partition that the response has twice is reported once.
            match (&self.group, requested.get(&(topic, partition)).and_then(Cell::take)) {
                (Some(group), Some(offset)) if offset >= 0 => {
                    sink(Event::Commit(Commit { group, is_transactional, topic, partition, offset }));
                }
                (None, Some(LATEST)) if listed >= 0 && !self.is_limited => {
                    sink(Event::End { topic, partition, offset: listed });
                }
                _ => {}
            }
        };
        let (place, error, listed) = (Place::default(), 0, LATEST);
        let mut reading = ResponseReading { keep, place, topic: None, partition: 0, error, listed };
        // The walk that reads the response's own error returns what is wrong.
        let _ = walk(layout, version, &mut reader, &mut reading);
    }

    fn bytes(&self) -> usize {
        let group = self.group.as_ref().map_or(0, Vec::len);
        let topics = self.topics.iter().map(|entry @ (topic, partitions)| {
            let name = if let OwnTopic::Name(name) = topic { name.len() } else { 0 };
            size_of_val(entry).saturating_add(name).saturating_add(size_of_val(partitions.as_slice()))
        });
        topics.fold(size_of::<Self>().saturating_add(group), usize::saturating_add)
    }
}

/// How deep in the structures of a message a field is.
#[derive(Default)]
struct Place(usize);

impl Place {
    const MESSAGE: usize = 0;
    const TOPIC: usize = 1;
    const PARTITION: usize = 2;

    fn enter(&mut self) {
        self.0 = self.0.saturating_add(1);
    }

    fn leave(&mut self) {
        self.0 = self.0.saturating_sub(1);
    }
}

fn topic_of<'a>(field: &'static Field, value: Value<'a>) -> Option<Topic<'a>> {
    match (field.name, value) {
        ("Name", Value::String(name)) => Some(Topic::Name(name)),
        ("TopicId", Value::Uuid(id)) => Some(Topic::Id(id)),
        _ => None,
    }
}

struct RequestReading {
    request: PartitionRequest,
    place: Place,
    partition: i32,
}

impl Visitor for RequestReading {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        let Self { request, place, partition } = self;
        match (place.0, field.name, value) {
            (Place::MESSAGE, "GroupId", Value::String(group)) => request.group = Some(group.to_vec()),
            (Place::MESSAGE, "IsolationLevel", Value::Int(level)) => request.is_limited |= level != 0,
            (Place::MESSAGE, "ReplicaId", Value::Int(replica)) => request.is_limited |= replica >= 0,
            (Place::MESSAGE, "TransactionalId", _) => request.is_transactional = true,
            (Place::TOPIC, _, value) => {
                request.topics.extend(topic_of(field, value).map(|topic| (OwnTopic::from(&topic), Vec::new())));
            }
            (Place::PARTITION, "PartitionIndex", Value::Int(number)) => {
                *partition = i32::try_from(number).unwrap_or(-1);
            }
            (Place::PARTITION, "CommittedOffset" | "Timestamp", Value::Int(value)) => {
                request.topics.last_mut().into_iter().for_each(|(_, partitions)| partitions.push((*partition, value)));
            }
            _ => {}
        }
    }

    fn enter(&mut self, _: &'static Field) {
        self.place.enter();
    }

    fn leave(&mut self, _: &'static Field) {
        self.place.leave();
    }
}

struct ResponseReading<K> {
    /// Gets each partition without an error, and the offset that is listed.
    keep: K,
    place: Place,
    topic: Option<OwnTopic>,
    partition: i32,
    error: i64,
    listed: i64,
}

impl<K: FnMut(Topic<'_>, i32, i64)> Visitor for ResponseReading<K> {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        match (self.place.0, field.name, value) {
            (Place::TOPIC, _, value) => {
                self.topic = topic_of(field, value).map(|topic| OwnTopic::from(&topic)).or(self.topic.take());
            }
            (Place::PARTITION, "PartitionIndex", Value::Int(number)) => {
                self.partition = i32::try_from(number).unwrap_or(-1);
            }
            (Place::PARTITION, "ErrorCode", Value::Int(code)) => self.error = code,
            (Place::PARTITION, "Offset", Value::Int(offset)) => self.listed = offset,
            _ => {}
        }
    }

    fn enter(&mut self, _: &'static Field) {
        self.place.enter();
    }

    fn leave(&mut self, _: &'static Field) {
        if let (Place::PARTITION, 0, Some(topic)) = (self.place.0, self.error, &self.topic) {
            (self.keep)(topic.as_topic(), self.partition, self.listed);
        }
        self.listed = LATEST;
        self.place.leave();
    }
}
