//! What clients did with partitions, APIs and topics.

use kwitness_observation::{CodecCounts, ErrorCounts, OffsetRanges, ReasonCounts, Sketch, text, uuid};
use kwitness_protocol::schema::{Api, api};
use kwitness_protocol::{Topic, Unread};
use serde::Serialize;

use crate::history::Basis;
use crate::lag::{Behind, held};
use crate::tally::{AckCounts, ApiTally, PartitionTally, PresenceTally};
use crate::topics::TopicNames;
use crate::window::{Which, Who};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    high_watermark: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag_basis: Option<Basis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by_transaction: Option<u64>,
    #[serde(skip_serializing_if = "is_zero")]
    watermarks_below: u64,
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
    throttled_responses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    throttle_ms: u64,
    #[serde(skip_serializing_if = "AckCounts::is_empty")]
    acks: AckCounts,
    #[serde(skip_serializing_if = "is_zero")]
    idempotent_requests: u64,
    #[serde(skip_serializing_if = "is_zero")]
    empty_responses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    longest_gap_us: u64,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag_basis: Option<Basis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetch_lag_partitions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by_transaction: Option<u64>,
}

impl<'a> PartitionRow<'a> {
    pub(super) fn new(
        who: Who<'_>,
        which: Which<'_>,
        partition: Option<i32>,
        api: &'a str,
        tally: &'a PartitionTally,
        names: &TopicNames,
        behind: Option<Behind>,
    ) -> Self {
        let content = &tally.content;
        let age = behind.and_then(|behind| behind.age);
        // Offsets of several partitions have no meaning.
        let offsets = partition.map(|_| Offsets {
            first_offset: content.first_offset,
            last_offset: content.last_offset,
            offset_ranges: OffsetRanges(&tally.offsets),
            offset_ranges_merged: tally.offsets.merged(),
            high_watermark: tally.fetched.map(|fetched| fetched.high_watermark),
            fetch_lag: behind.map(|behind| behind.records),
            fetch_lag_ms: age.map(|age| age.ms),
            fetch_lag_basis: age.map(|age| age.basis),
            held_by_transaction: tally.fetched.as_ref().and_then(held),
            watermarks_below: tally.watermarks_below,
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
            throttled_responses: tally.throttled_responses,
            throttle_ms: tally.throttle_ms,
            acks: tally.acks,
            idempotent_requests: tally.idempotent,
            empty_responses: tally.empty,
            longest_gap_us: tally.longest_gap_us,
            committed_transactions: tally.committed_transactions,
            aborted_transactions: tally.aborted_transactions,
            response_time: &tally.served,
            waited: &tally.waited,
        }
    }
}

impl PresenceRow {
    pub(super) fn new(who: Who<'_>, which: Which<'_>, tally: PresenceTally, names: &TopicNames) -> Self {
        let PresenceTally { partitions, lag } = tally;
        let age = lag.and_then(|lag| lag.age);
        Self {
            kind: "presence",
            api: "Fetch",
            topic: Named::of(which, names),
            overflowed: is_overflowed(who, which),
            partitions,
            fetch_lag: lag.map(|lag| lag.records),
            fetch_lag_ms: age.map(|age| age.ms),
            fetch_lag_basis: age.map(|age| age.basis),
            fetch_lag_partitions: lag.map(|lag| lag.partitions),
            held_by_transaction: lag.and_then(|lag| lag.held),
        }
    }
}

/// Returns how far the answers of a window leave a client behind the end of a partition, as far as that is known.
///
/// Answers to a `ShareFetch` have no watermark: the distance is that of the last offset acquired to one that another
/// request has.
pub(crate) fn fetch_lag(
    which: Which<'_>,
    partition: Option<i32>,
    api: i16,
    tally: &PartitionTally,
    names: &TopicNames,
    now_ms: u64,
) -> Option<Behind> {
    let (Which::Topic(topic), Some(partition)) = (which, partition) else { return None };
    if api == Api::SHARE_FETCH {
        return names.behind(topic, partition, tally.content.last_offset?.checked_add(1)?, now_ms);
    }
    let fetched = tally.fetched?;
    let next_offset = fetched.next_offset;
    Behind::new(next_offset, fetched.high_watermark, || names.age(topic, partition, next_offset, now_ms))
}

/// Of what few rows have, others say nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) const fn is_zero(count: &u64) -> bool {
    *count == 0
}

const fn is_overflowed(who: Who<'_>, which: Which<'_>) -> bool {
    matches!(who, Who::Others) || matches!(which, Which::Others)
}

/// A topic's name, and its id where that is what was named.
#[derive(Serialize)]
pub(crate) struct Named {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) topic_id: Option<String>,
}

impl Named {
    pub(crate) fn of(which: Which<'_>, names: &TopicNames) -> Self {
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
pub(crate) fn api_name(key: Option<i16>) -> String {
    key.map_or_else(|| "other".into(), |key| api(key).map_or_else(|| key.to_string(), |api| api.name.into()))
}
