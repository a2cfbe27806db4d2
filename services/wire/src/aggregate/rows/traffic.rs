//! What clients did with partitions, APIs and topics.

use serde::Serialize;

use super::super::identity::uuid;
use super::super::json::{CodecCounts, ErrorCounts, OffsetRanges, ReasonCounts, text};
use super::super::sketch::Sketch;
use super::super::tally::{ApiTally, PartitionTally};
use super::super::topics::TopicNames;
use super::super::window::{Which, Who};
use crate::event::{Topic, Unread};
use crate::schema::api;

#[derive(Serialize)]
pub(super) struct PartitionRow<'a> {
    kind: &'static str,
    api: &'a str,
    #[serde(flatten)]
    topic: Named,
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<i32>,
    overflowed: bool,
    requests: u64,
    batches: u64,
    records: u64,
    unknown_batches: u64,
    bytes: u64,
    transactional_batches: u64,
    transactional_records: u64,
    aborted_records: u64,
    duplicate_batches: u64,
    errors: ErrorCounts<'a>,
    rejected_bytes: u64,
    unconfirmed: u64,
    #[serde(flatten)]
    offsets: Option<Offsets<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_timestamp_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_timestamp_ms: Option<i64>,
    compression: CodecCounts,
}

#[derive(Serialize)]
struct Offsets<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    first_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_offset: Option<i64>,
    offset_ranges: OffsetRanges<'a>,
    offset_ranges_merged: u64,
}

#[derive(Serialize)]
pub(super) struct ApiRow<'a> {
    kind: &'static str,
    api: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<i16>,
    overflowed: bool,
    requests: u64,
    request_bytes: u64,
    response_bytes: u64,
    errors: ErrorCounts<'a>,
    unread: ReasonCounts<'a, Unread>,
    #[serde(skip_serializing_if = "is_zero")]
    committed_transactions: u64,
    #[serde(skip_serializing_if = "is_zero")]
    aborted_transactions: u64,
    response_time: &'a Sketch,
    waited: &'a Sketch,
}

#[derive(Serialize)]
pub(super) struct PresenceRow {
    kind: &'static str,
    api: &'static str,
    #[serde(flatten)]
    topic: Named,
    overflowed: bool,
    partitions: u32,
}

impl<'a> PartitionRow<'a> {
    pub(super) fn new(
        who: Who<'_>,
        which: Which<'_>,
        partition: Option<i32>,
        api: &'a str,
        tally: &'a PartitionTally,
        names: &TopicNames,
    ) -> Self {
        let content = &tally.content;
        // Offsets of several partitions have no meaning.
        let offsets = partition.map(|_| Offsets {
            first_offset: content.first_offset,
            last_offset: content.last_offset,
            offset_ranges: OffsetRanges(&tally.offsets),
            offset_ranges_merged: tally.offsets.merged(),
        });
        Self {
            kind: "partition",
            api,
            topic: Named::of(which, names),
            partition,
            overflowed: is_overflowed(who, which),
            requests: tally.requests,
            batches: content.batches,
            records: content.records,
            unknown_batches: content.unknown_batches,
            bytes: content.bytes,
            transactional_batches: content.transactional_batches,
            transactional_records: content.transactional_records,
            aborted_records: content.aborted_records,
            duplicate_batches: content.duplicate_batches,
            errors: ErrorCounts(&tally.errors),
            rejected_bytes: tally.rejected_bytes,
            unconfirmed: tally.unconfirmed,
            offsets,
            min_timestamp_ms: content.min_timestamp_ms,
            max_timestamp_ms: content.max_timestamp_ms,
            compression: CodecCounts(content.codecs),
        }
    }
}

impl<'a> ApiRow<'a> {
    pub(super) fn new(who: Who<'_>, api: &'a str, api_version: Option<i16>, tally: &'a ApiTally) -> Self {
        Self {
            kind: "api",
            api,
            api_version,
            overflowed: matches!(who, Who::Others) || api_version.is_none(),
            requests: tally.requests,
            request_bytes: tally.request_bytes,
            response_bytes: tally.response_bytes,
            errors: ErrorCounts(&tally.errors),
            unread: ReasonCounts(&tally.unread),
            committed_transactions: tally.committed_transactions,
            aborted_transactions: tally.aborted_transactions,
            response_time: &tally.served,
            waited: &tally.waited,
        }
    }
}

impl PresenceRow {
    pub(super) fn new(who: Who<'_>, which: Which<'_>, partitions: u32, names: &TopicNames) -> Self {
        let (topic, overflowed) = (Named::of(which, names), is_overflowed(who, which));
        Self { kind: "presence", api: "Fetch", topic, overflowed, partitions }
    }
}

/// Of what only one API has, other rows say nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

const fn is_overflowed(who: Who<'_>, which: Which<'_>) -> bool {
    matches!(who, Who::Others) || matches!(which, Which::Others)
}

/// A topic's name, and its id where that is what was named.
#[derive(Serialize)]
pub(in super::super) struct Named {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in super::super) topic_id: Option<String>,
}

impl Named {
    pub(in super::super) fn of(which: Which<'_>, names: &TopicNames) -> Self {
        let name = |bytes: &[u8]| text(bytes).into_owned();
        match which {
            Which::Topic(Topic::Name(bytes)) => Self { topic: Some(name(bytes)), topic_id: None },
            Which::Topic(Topic::Id(id)) => {
                Self { topic: names.name(id).as_deref().map(name), topic_id: Some(uuid(id)) }
            }
            Which::Others | Which::NoneAlone => Self { topic: None, topic_id: None },
        }
    }
}

/// An API in the rows: by its name, by its key where Kafka has no such API, or `other`.
pub(in super::super) fn api_name(key: Option<i16>) -> String {
    key.map_or_else(|| "other".into(), |key| api(key).map_or_else(|| key.to_string(), |api| api.name.into()))
}
