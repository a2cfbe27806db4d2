//! A finished window as the records that go to the platform's topics: one JSON object each.

use std::fmt::Debug;

use serde::Serialize;

use super::counts::Counts;
use super::identity::uuid;
use super::json::{CodecCounts, ErrorCounts, KnownKeys, OffsetRanges, ReasonCounts, reason, text};
use super::life::{ConnectionEvent, Happened, Unfollowed};
use super::sketch::Sketch;
use super::tally::{ApiTally, PartitionTally};
use super::topics::TopicNames;
use super::window::{Which, Who, Window};
use crate::event::{Topic, Unread};
use crate::schema::api;

/// Who writes records. A source numbers them, without a gap, within its epoch.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, `<namespace>/<pod>`.
    pub name: String,
    /// Its start, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Which cluster it observes.
    pub cluster_id: String,
    /// Where it runs.
    pub reported_by: String,
    /// How it comes between client and broker.
    pub observer_mode: String,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number within the source's epoch.
    pub seq: u64,
    /// Its topic, without the prefix.
    pub topic: &'static str,
    /// The key by which it has its partition.
    pub key: String,
    /// The record: one JSON object, without a line feed.
    pub line: Vec<u8>,
}

/// The topics without their prefix.
const TRAFFIC: &str = "traffic";
const CONNECTIONS: &str = "connections";
const SEALS: &str = "seals";

/// Why an event of a connection is not among the rows: the window had no room.
const WINDOW_FULL: &str = "window_full";
const UNWRITABLE: &str = "unwritable";

/// Turns windows into records, and numbers them.
#[derive(Debug)]
pub struct Writer {
    source: Source,
    next: u64,
}

#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    event_source: &'a str,
    event_epoch: u64,
    event_seq: u64,
    reported_by: &'a str,
    observer_mode: &'a str,
    cluster_id: &'a str,
}

#[derive(Serialize)]
struct Record<'a, T> {
    #[serde(flatten)]
    head: Head<'a>,
    #[serde(flatten)]
    who: KnownKeys<'a>,
    #[serde(flatten)]
    rest: T,
}

#[derive(Serialize)]
struct Within<T> {
    window_start_ms: u64,
    window_end_ms: u64,
    #[serde(flatten)]
    rest: T,
}

#[derive(Serialize)]
struct PartitionRow<'a> {
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
struct ApiRow<'a> {
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
struct PresenceRow {
    kind: &'static str,
    api: &'static str,
    #[serde(flatten)]
    topic: Named,
    overflowed: bool,
    partitions: u32,
}

#[derive(Serialize)]
struct ConnectionRow {
    kind: &'static str,
    connection_id: String,
    occurred_at_ms: u64,
    security_protocol: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    succeeded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opaque: Option<String>,
}

#[derive(Serialize)]
struct SealRow<'a> {
    topic: &'static str,
    first_seq: u64,
    last_seq: u64,
    count: u64,
    dropped: Dropped<'a>,
}

struct Dropped<'a>(&'a Counts<&'static str>, u64);

impl Serialize for Dropped<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let unmade = Some((WINDOW_FULL, self.1)).filter(|(_, count)| *count > 0);
        serializer.collect_map(self.0.iter().chain(unmade))
    }
}

/// A topic's name, and its id where that is what was named.
#[derive(Serialize)]
pub(super) struct Named {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) topic_id: Option<String>,
}

impl Named {
    pub(super) fn of(which: Which<'_>, names: &TopicNames) -> Self {
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
pub(super) fn api_name(key: Option<i16>) -> String {
    key.map_or_else(|| "other".into(), |key| api(key).map_or_else(|| key.to_string(), |api| api.name.into()))
}

/// The numbers of one topic's records in a window.
#[derive(Default)]
struct Sealed {
    first: Option<u64>,
    last: u64,
    given: u64,
    dropped: Counts<&'static str>,
}

impl Writer {
    /// A writer whose first record has this number.
    #[must_use]
    pub const fn new(source: Source, first_seq: u64) -> Self {
        Self { source, next: first_seq }
    }

    /// The number of the record that comes next.
    #[must_use]
    pub const fn next_seq(&self) -> u64 {
        self.next
    }

    pub(super) const fn skip_to(&mut self, next: u64) {
        self.next = next;
    }

    /// Hand each record of a window to `give`, which says why if it drops it; then a seal for each topic that had any.
    ///
    /// A record that was dropped has its number all the same, and is in the seal. No record is longer than 128 KiB.
    pub fn write(
        &mut self,
        window: &Window,
        names: &TopicNames,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let mut sealed = Sealed::default();
        for event in &window.connections {
            self.connection(event, &mut sealed, give);
        }
        self.seal(window, CONNECTIONS, &sealed, window.overflowed.connection_events, give);
        let mut sealed = Sealed::default();
        for (who, which, partition, key, tally) in window.partitions() {
            let name = api_name(Some(key));
            let row = partition_row(who, which, partition, &name, tally, names);
            self.traffic(window, who, row, &mut sealed, give);
        }
        for (who, api, tally) in window.apis() {
            let name = api_name(api.map(|(key, _)| key));
            let row = api_row(who, &name, api.map(|(_, version)| version), tally);
            self.traffic(window, who, row, &mut sealed, give);
        }
        for (who, which, partitions) in window.presence() {
            let overflowed = is_overflowed(who, which);
            let topic = Named::of(which, names);
            let row = PresenceRow { kind: "presence", api: "Fetch", topic, overflowed, partitions };
            self.traffic(window, who, row, &mut sealed, give);
        }
        self.seal(window, TRAFFIC, &sealed, 0, give);
    }

    fn traffic(
        &mut self,
        window: &Window,
        who: Who<'_>,
        row: impl Serialize,
        sealed: &mut Sealed,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let identity = who.client();
        let key = identity.map(|identity| format!("{:016x}", identity.stable_hash()));
        let (head, rest) = (self.head("kwitness.traffic/1"), within(window, row));
        let line = serde_json::to_vec(&Record { head, who: KnownKeys(identity), rest });
        self.give(TRAFFIC, key.unwrap_or_default(), line, sealed, give);
    }

    fn connection(
        &mut self,
        event: &ConnectionEvent,
        sealed: &mut Sealed,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let rest = connection_row(&self.source, event);
        let who = KnownKeys(Some(&event.identity));
        let line = serde_json::to_vec(&Record { head: self.head("kwitness.connections/1"), who, rest });
        self.give(CONNECTIONS, format!("{:016x}", event.identity.stable_hash()), line, sealed, give);
    }

    fn seal(
        &mut self,
        window: &Window,
        topic: &'static str,
        sealed: &Sealed,
        unmade: u64,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        if sealed.first.is_none() && unmade == 0 {
            return;
        }
        // Where no record has a number there is only the seal's own.
        let (first_seq, last_seq) = sealed.first.map_or((self.next, self.next), |first| (first, sealed.last));
        let dropped = Dropped(&sealed.dropped, unmade);
        let rest = within(window, SealRow { topic, first_seq, last_seq, count: sealed.given, dropped });
        let head = self.head("kwitness.seals/1");
        let line = serde_json::to_vec(&Record { head, who: KnownKeys(None), rest });
        self.give(SEALS, self.source.name.clone(), line, &mut Sealed::default(), give);
    }

    fn give(
        &mut self,
        topic: &'static str,
        key: String,
        line: Result<Vec<u8>, impl Debug>,
        sealed: &mut Sealed,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let seq = self.next;
        self.next = seq.saturating_add(1);
        sealed.first = sealed.first.or(Some(seq));
        sealed.last = seq;
        match line.map_err(|_| UNWRITABLE).and_then(|line| give(Row { seq, topic, key, line })) {
            Ok(()) => sealed.given = sealed.given.saturating_add(1),
            Err(reason) => sealed.dropped.add(reason),
        }
    }

    fn head(&self, schema: &'static str) -> Head<'_> {
        Head {
            schema,
            event_source: &self.source.name,
            event_epoch: self.source.epoch_ms,
            event_seq: self.next,
            reported_by: &self.source.reported_by,
            observer_mode: &self.source.observer_mode,
            cluster_id: &self.source.cluster_id,
        }
    }
}

const fn within<T>(window: &Window, rest: T) -> Within<T> {
    Within { window_start_ms: window.start_ms, window_end_ms: window.end_ms, rest }
}

/// Of what only one API has, other rows say nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

const fn is_overflowed(who: Who<'_>, which: Which<'_>) -> bool {
    matches!(who, Who::Others) || matches!(which, Which::Others)
}

fn partition_row<'a>(
    who: Who<'_>,
    which: Which<'_>,
    partition: Option<i32>,
    api: &'a str,
    tally: &'a PartitionTally,
    names: &TopicNames,
) -> PartitionRow<'a> {
    let content = &tally.content;
    // Offsets of several partitions have no meaning.
    let offsets = partition.map(|_| Offsets {
        first_offset: content.first_offset,
        last_offset: content.last_offset,
        offset_ranges: OffsetRanges(&tally.offsets),
        offset_ranges_merged: tally.offsets.merged(),
    });
    PartitionRow {
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

fn api_row<'a>(who: Who<'_>, api: &'a str, api_version: Option<i16>, tally: &'a ApiTally) -> ApiRow<'a> {
    ApiRow {
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

fn connection_row(source: &Source, event: &ConnectionEvent) -> ConnectionRow {
    let row = ConnectionRow {
        kind: "opened",
        connection_id: format!("{}-{}", source.epoch_ms, event.connection),
        occurred_at_ms: event.occurred_at_ms,
        security_protocol: event.security.protocol(),
        mechanism: None,
        principal_source: event.is_anonymous.then(|| "none".into()),
        succeeded: None,
        duration_ms: None,
        end: None,
        last_error: None,
        opaque: event.opaque.map(Unfollowed::name),
    };
    match event.kind {
        Happened::Opened => row,
        Happened::Authenticated { mechanism, source, succeeded } => ConnectionRow {
            kind: "authenticated",
            mechanism: Some(mechanism.name()),
            principal_source: Some(source.map_or_else(|| "none".into(), reason)),
            succeeded: Some(succeeded),
            ..row
        },
        Happened::Closed { end, duration_ms, last_error } => {
            ConnectionRow { kind: "closed", duration_ms: Some(duration_ms), end: Some(end.name()), last_error, ..row }
        }
    }
}
