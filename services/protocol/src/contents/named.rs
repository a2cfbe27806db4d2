//! What a message names.

use std::collections::BTreeMap;

use super::administrative::{Administrative, Telling};
use super::configs::TOPIC;
use super::fields::Fields;
use super::listed::is_administrative;
use super::wishes::Wishes;
use crate::schema::{Api, Field, Kind, Value, Visitor};
use crate::side::Side;
use crate::topic::{LONGEST_NAME, OwnTopic, Topic};

/// How many topics and partitions of a message are told.
const MOST: usize = 1_024;
/// How many different error codes are counted apart.
const MOST_ERRORS: usize = 255;
/// Of the names of topics, and likewise of partitions with theirs, in bytes.
const MOST_BYTES: usize = 48 << 10;
/// What a partition takes beside its topic's name.
const PARTITION_BYTES: usize = 80;

/// A partition that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPartition {
    /// The topic.
    pub topic: OwnTopic,
    /// Its number.
    pub partition: i32,
    /// The length of its record batches in this message.
    pub bytes: u64,
    /// How many records they have; `None` where they cannot be counted.
    pub records: Option<u64>,
    /// Kafka's error code; 0 is none.
    pub error: i16,
}

/// What a message names, and what it says where that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The topics.
    pub topics: Vec<OwnTopic>,
    /// Of a Produce, Fetch or `ShareFetch`.
    pub partitions: Vec<NamedPartition>,
    /// Error codes that are not 0, wherever they are, with their counts.
    pub errors: BTreeMap<i16, u64>,
    /// Error codes that came after 255 others.
    pub other_errors: u64,
    /// `None` where they are not wanted, are too long, or cannot be read to their end.
    pub fields: Option<Fields>,
    /// Whether something of it is missing.
    pub is_truncated: bool,
    /// How much memory it takes, in bytes.
    pub size: usize,
}

impl Contents {
    fn count_error(&mut self, code: i16) {
        let has_place = self.errors.len() < MOST_ERRORS || self.errors.contains_key(&code);
        let count = if has_place { self.errors.entry(code).or_default() } else { &mut self.other_errors };
        *count = count.saturating_add(1);
    }
}

/// Collects them while a message is walked.
#[derive(Debug)]
pub(crate) struct Collecting {
    key: i16,
    version: i16,
    contents: Contents,
    fields: Option<Fields>,
    topic_bytes: usize,
    partition_bytes: usize,
    inside: Vec<&'static Field>,
    /// The topic whose partitions come.
    topic: Option<OwnTopic>,
    partition: Option<Part>,
    resource: i64,
    /// Follows the message, if it is one.
    administrative: Option<Administrative>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    number: i64,
    bytes: usize,
    records: Option<u64>,
    error: i16,
}

impl Collecting {
    pub(crate) fn new(key: i16, version: i16, side: Side, filter: &Wishes) -> Self {
        let has_fields = filter.want_fields_of(key) || is_administrative(key);
        Self {
            key,
            version,
            contents: Contents::default(),
            fields: has_fields.then(|| Fields::new(filter.dropped)),
            topic_bytes: 0,
            partition_bytes: 0,
            inside: Vec::new(),
            topic: None,
            partition: None,
            resource: 0,
            administrative: Administrative::new(key, side, filter),
        }
    }

    /// Returns true if this field, which comes next, need not be read at all.
    pub(crate) fn passes_over(&self, field: &Field) -> bool {
        self.administrative.as_ref().is_some_and(|listed| listed.passes_over(self.parent(), field))
    }

    /// The structure that it is in.
    fn parent(&self) -> &'static str {
        self.inside.last().map_or("", |field| field.name)
    }

    /// The message has ended, or what is left of it cannot be read.
    pub(crate) fn end(self, is_read: bool) -> Contents {
        let had_fields = self.fields.is_some();
        let fields = self.fields.filter(|_| is_read).and_then(Fields::end);
        let is_truncated = self.contents.is_truncated || !is_read || fields.is_some() != had_fields;
        let lists = self.topic_bytes.saturating_add(self.partition_bytes);
        let size = lists.saturating_add(fields.as_ref().map_or(0, Fields::len));
        Contents { fields, is_truncated, size, ..self.contents }
    }

    /// A field has records.
    pub(crate) fn records(&mut self, field: &'static Field, bytes: usize, records: Option<u64>) {
        if let Some(part) = &mut self.partition {
            (part.bytes, part.records) = (bytes, records);
        }
        if let Some(fields) = &mut self.fields {
            fields.records(field, bytes, records);
        }
    }

    fn name(&mut self, topic: &Topic<'_>) {
        let own: OwnTopic = topic.into();
        if self.contents.topics.last() == Some(&own) {
            return;
        }
        let bytes = self.topic_bytes.saturating_add(length(topic));
        if self.contents.topics.len() < MOST && bytes <= MOST_BYTES && is_possible(topic) {
            self.topic_bytes = bytes;
            self.contents.topics.push(own);
        } else {
            self.contents.is_truncated = true;
        }
    }

    /// The topic of a structure is told, by its name first where it has both.
    fn name_own(&mut self, topic: &Topic<'_>) {
        if self.topic.is_none() {
            self.name(topic);
            self.topic = Some(topic.into()).filter(|_| is_possible(topic));
        }
    }

    fn end_partition(&mut self) {
        let Some(Part { number, bytes, records, error }) = self.partition.take() else { return };
        let size = self.topic.as_ref().map_or(0, |topic| length(&topic.as_topic())).saturating_add(PARTITION_BYTES);
        let size = self.partition_bytes.saturating_add(size);
        let partition = i32::try_from(number).ok().filter(|number| *number >= 0);
        let has_room = self.contents.partitions.len() < MOST && size <= MOST_BYTES;
        if let (Some(topic), Some(partition), true) = (&self.topic, partition, has_room) {
            self.partition_bytes = size;
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            self.contents.partitions.push(NamedPartition { topic: topic.clone(), partition, bytes, records, error });
        } else {
            self.contents.is_truncated = true;
        }
    }

    fn read(&mut self, field: &'static Field, value: Value<'_>) {
        let parent = self.parent();
        match (field.name, value) {
            ("ErrorCode" | "AcknowledgeErrorCode", Value::Int(code)) if code != 0 => {
                let code = i16::try_from(code).unwrap_or_default();
                self.contents.count_error(code);
                if let Some(part) = self.partition.as_mut().filter(|part| part.error == 0) {
                    part.error = code;
                }
            }
            ("ResourceType", Value::Int(kind)) => self.resource = kind,
            ("ResourceName", Value::String(name)) if self.is_topic() => self.name(&Topic::Name(name)),
            ("TopicNames" | "SubscribedTopicNames", Value::String(name)) => self.name(&Topic::Name(name)),
            ("Name" | "Topic", Value::String(name)) if has_topics(parent) => self.name_own(&Topic::Name(name)),
            ("TopicId", Value::Uuid(id)) if has_topics(parent) && id != [0; 16] => self.name_own(&Topic::Id(id)),
            ("Index" | "Partition" | "PartitionIndex", Value::Int(number)) if self.has_partitions(parent) => {
                self.partition = Some(Part { number, bytes: 0, records: Some(0), error: 0 });
            }
            _ => {}
        }
    }

    fn has_partitions(&self, array: &str) -> bool {
        matches!(self.key, Api::PRODUCE | Api::FETCH | Api::SHARE_FETCH)
            && matches!(array, "PartitionData" | "Partitions" | "PartitionResponses")
    }

    /// Returns true if the resource is one topic. Of a permission the name may be that of none, or a part of many.
    fn is_topic(&self) -> bool {
        self.resource == TOPIC && !self.administrative.as_ref().is_some_and(Administrative::is_about_acls)
    }

    /// A structure or an array begins; returns its fields if it is told.
    fn begin(&mut self, field: &Field) -> Option<&mut Fields> {
        let parent = self.parent();
        let is_listed = self.administrative.as_mut().is_none_or(|listed| listed.enters(parent, field));
        self.fields.as_mut().filter(|_| is_listed)
    }

    /// It ended; likewise.
    fn close(&mut self) -> Option<&mut Fields> {
        let is_listed = self.administrative.as_mut().is_none_or(Administrative::leaves);
        self.fields.as_mut().filter(|_| is_listed)
    }
}

impl Visitor for Collecting {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        self.read(field, value);
        let parent = self.parent();
        let telling = self.administrative.as_mut().map_or(Telling::Whole, |listed| listed.value(parent, field, value));
        let Some(fields) = self.fields.as_mut().filter(|_| telling != Telling::Not) else { return };
        match (telling, value) {
            (Telling::Length, Value::String(secret)) => fields.length(field, secret.len()),
            (Telling::Null, _) => fields.value(field, Value::Null),
            _ => fields.value(field, value),
        }
        if let ("TopicId", Value::Uuid(id)) = (field.name, value)
            && let Some(name) = self.inside.last().and_then(|structure| former_name(structure, self.version))
        {
            fields.name_later(name, id);
        }
    }

    fn enter(&mut self, field: &'static Field) {
        if has_topics(field.name) {
            self.topic = None;
        }
        if let Some(fields) = self.begin(field) {
            fields.enter(field);
        }
        self.inside.push(field);
    }

    fn leave(&mut self, field: &'static Field) {
        self.inside.pop();
        if self.has_partitions(field.name) {
            self.end_partition();
        }
        if let Some(fields) = self.close() {
            fields.leave();
        }
    }

    fn array(&mut self, field: &'static Field, _: usize) {
        if let Some(fields) = self.begin(field) {
            fields.array(field);
        }
    }

    fn array_end(&mut self, _: &'static Field) {
        if let Some(fields) = self.close() {
            fields.array_end();
        }
    }
}

/// Whether each element of this array is about one topic that the message asks for or answers.
fn has_topics(array: &str) -> bool {
    matches!(array, "Topics" | "TopicData" | "Responses" | "TopicPartitions")
}

/// What versions that do not name a topic by its id alone call its name.
fn former_name(structure: &Field, version: i16) -> Option<&'static str> {
    let (Kind::Struct(fields) | Kind::Array(&Kind::Struct(fields))) = structure.kind else { return None };
    let is_name = |field: &&Field| matches!((field.name, field.kind), ("Name" | "Topic", Kind::String));
    fields.iter().find(is_name).filter(|field| !field.versions.contain(version)).map(|field| field.name)
}

/// Of the name, or of the longest that an id may stand for.
const fn length(topic: &Topic<'_>) -> usize {
    match topic {
        Topic::Name(name) => name.len(),
        Topic::Id(_) => LONGEST_NAME,
    }
}

/// Whatever a client calls a topic, records have room for what Kafka allows.
fn is_possible(topic: &Topic<'_>) -> bool {
    !matches!(topic, Topic::Name(name) if name.is_empty() || name.len() > LONGEST_NAME)
}
