//! A finished window as the records that go to the platform's topics: one JSON object each.

mod commits;
mod connections;
mod headers;
mod requests;
mod seals;
mod source;
mod traffic;

use std::fmt::Debug;

use kwitness_observation::{KnownKeys, Row};
use serde::Serialize;

use super::ends::keep_ends;
use super::headers::{HeaderRow, Headers};
use super::life::ConnectionEvent;
use super::requests::RequestEvent;
use super::tally::PartitionTally;
use super::topics::TopicNames;
use super::window::{WINDOW_FULL, Who, Window};
use commits::{CommitRow, OFFSET_COMMIT};
use connections::ConnectionRow;
use headers::HeaderKeyRow;
use requests::RequestRow;
use seals::{SealRow, Sealed, Unmade};
use source::connection_id;
use traffic::{ApiRow, PartitionRow, PresenceRow};

pub(super) use commits::committed_lag;
pub(super) use headers::side;
pub use source::Source;
pub(super) use traffic::{Named, api_name, fetch_lag, is_zero};

/// The topics without their prefix.
const TRAFFIC: &str = "traffic";
const CONNECTIONS: &str = "connections";
const REQUESTS: &str = "requests";
const HEADERS: &str = "headers";
const SEALS: &str = "seals";

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
    /// A record that was dropped has its number all the same, and is in the seal. No record is longer than 256 KiB.
    pub fn write(
        &mut self,
        window: &Window,
        names: &TopicNames,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        keep_ends(window, names);
        let mut sealed = Sealed::default();
        for event in &window.connections {
            self.connection(event, &mut sealed, give);
        }
        self.seal(window, CONNECTIONS, &sealed, &[(WINDOW_FULL, window.overflowed.connection_events)], give);
        let mut sealed = Sealed::default();
        for (who, which, partition, key, tally) in window.partitions() {
            let name = api_name(Some(key));
            let behind = fetch_lag(which, partition, key, tally, names, window.end_ms);
            let row = PartitionRow::new(who, which, partition, &name, tally, names, behind);
            self.traffic(window, who, row, &mut sealed, give);
        }
        for (who, api, tally) in window.apis() {
            let name = api_name(api.map(|(key, _)| key));
            let row = ApiRow::new(who, &name, api.map(|(_, version)| version), tally);
            self.traffic(window, who, row, &mut sealed, give);
        }
        for (who, which, tally) in window.presence() {
            let row = PresenceRow::new(who, which, tally, names);
            self.traffic(window, who, row, &mut sealed, give);
        }
        for (who, which, partition, tally) in window.commits() {
            let requests = PartitionTally { requests: tally.commits, ..PartitionTally::default() };
            let row = PartitionRow::new(who, which, Some(partition), OFFSET_COMMIT, &requests, names, None);
            let lag = committed_lag(which, partition, tally, names, window.end_ms);
            self.traffic(window, who, CommitRow::new(row, tally, lag), &mut sealed, give);
        }
        self.seal(window, TRAFFIC, &sealed, &[], give);
        let mut sealed = Sealed::default();
        for event in &window.requests {
            self.request(event, names, &mut sealed, give);
        }
        let unmade: Vec<_> = window.left_out.iter().collect();
        self.seal(window, REQUESTS, &sealed, &unmade, give);
        let mut sealed = Sealed::default();
        for row in window.headers.iter().flat_map(Headers::rows) {
            self.header(window, &row, names, &mut sealed, give);
        }
        self.seal(window, HEADERS, &sealed, &[], give);
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
        let rest = ConnectionRow::new(&self.source, event);
        let who = KnownKeys(Some(&event.identity));
        let line = serde_json::to_vec(&Record { head: self.head("kwitness.connections/1"), who, rest });
        self.give(CONNECTIONS, format!("{:016x}", event.identity.stable_hash()), line, sealed, give);
    }

    fn request(
        &mut self,
        event: &RequestEvent,
        names: &TopicNames,
        sealed: &mut Sealed,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let rest = RequestRow::new(&self.source, event, names);
        let (head, who) = (self.head("kwitness.requests/1"), KnownKeys(Some(&event.identity)));
        let line = serde_json::to_vec(&Record { head, who, rest });
        self.give(REQUESTS, connection_id(&self.source, event.connection), line, sealed, give);
    }

    fn header(
        &mut self,
        window: &Window,
        row: &HeaderRow<'_>,
        names: &TopicNames,
        sealed: &mut Sealed,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let key = row.client.map(|identity| format!("{:016x}", identity.stable_hash()));
        let (head, rest) = (self.head("kwitness.headers/1"), within(window, HeaderKeyRow::new(window, row, names)));
        let line = serde_json::to_vec(&Record { head, who: KnownKeys(row.client), rest });
        self.give(HEADERS, key.unwrap_or_default(), line, sealed, give);
    }

    fn seal(
        &mut self,
        window: &Window,
        topic: &'static str,
        sealed: &Sealed,
        unmade: &Unmade,
        give: &mut impl FnMut(Row) -> Result<(), &'static str>,
    ) {
        let Some(row) = SealRow::new(topic, sealed, unmade, self.next) else { return };
        let rest = within(window, row);
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
        sealed.add(seq, line.map_err(|_| UNWRITABLE).and_then(|line| give(Row { seq, topic, key, line })));
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
