//! Requests and responses one by one.

use std::collections::BTreeMap;

use kwitness_protocol::{Contents, NamedPartition, Opening, OwnTopic, Side};
use serde::Serialize;
use serde_json::value::RawValue;

use super::source::{Source, connection_id};
use super::traffic::{Named, api_name};
use crate::requests::RequestEvent;
use crate::topics::TopicNames;
use crate::window::Which;

#[derive(Serialize)]
pub(super) struct RequestRow {
    kind: &'static str,
    connection_id: String,
    connection_seq: u64,
    occurred_at_ms: u64,
    api_key: i16,
    api: String,
    api_version: i16,
    correlation_id: i32,
    size_bytes: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topics: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    errors: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_time_us: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partitions: Vec<PartitionPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Box<RawValue>>,
    truncated: bool,
}

#[derive(Serialize)]
struct PartitionPart {
    topic: String,
    partition: i32,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<i16>,
}

impl RequestRow {
    pub(super) fn new(source: &Source, event: &RequestEvent, names: &TopicNames) -> Self {
        let Opening { key, version, correlation } = event.opening;
        let contents = event.contents.as_ref();
        let topics = contents.into_iter().flat_map(|contents| &contents.topics);
        let partitions = contents.into_iter().flat_map(|contents| &contents.partitions);
        let fields = contents.and_then(|contents| contents.fields.as_ref());
        Self {
            kind: match event.side {
                Side::Client => "request",
                Side::Broker => "response",
            },
            connection_id: connection_id(source, event.connection),
            connection_seq: event.number,
            occurred_at_ms: event.occurred_at_ms,
            api_key: key,
            api: api_name(Some(key)),
            api_version: version,
            correlation_id: correlation,
            size_bytes: event.bytes,
            topics: topics.map(|topic| name(topic, names)).collect(),
            errors: errors(event.error, contents),
            response_time_us: event.took_us,
            partitions: partitions.map(|one| PartitionPart::new(one, names)).collect(),
            fields: fields.and_then(|fields| RawValue::from_string(fields.json(|id| names.name(id))).ok()),
            truncated: contents.is_some_and(|contents| contents.is_truncated),
        }
    }
}

impl PartitionPart {
    fn new(one: &NamedPartition, names: &TopicNames) -> Self {
        let NamedPartition { topic, partition, bytes, records, error } = one;
        let error = Some(*error).filter(|error| *error != 0);
        Self { topic: name(topic, names), partition: *partition, bytes: *bytes, records: *records, error }
    }
}

/// A topic by its name, or by its id while no name is known.
fn name(topic: &OwnTopic, names: &TopicNames) -> String {
    let Named { topic, topic_id } = Named::of(Which::Topic(topic.as_topic()), names);
    topic.or(topic_id).unwrap_or_default()
}

/// Error codes that are not 0: all that were met, or that of the message itself where nothing else was looked at.
fn errors(own: i16, contents: Option<&Contents>) -> BTreeMap<String, u64> {
    let met = contents.filter(|contents| !contents.errors.is_empty());
    match met {
        Some(contents) => {
            let others = Some(("other".to_owned(), contents.other_errors)).filter(|(_, count)| *count > 0);
            contents.errors.iter().map(|(code, count)| (code.to_string(), *count)).chain(others).collect()
        }
        None => Some((own.to_string(), 1)).into_iter().filter(|_| own != 0).collect(),
    }
}
