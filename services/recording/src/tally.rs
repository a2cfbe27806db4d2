//! What is added up for one row.

use kwitness_observation::{Counts, Ranges, Sketch};
use kwitness_protocol::{Content, Exchange, Fetched, PartitionExchange, Request, TransactionEnd, Unread};
use serde::{Serialize, Serializer};

use super::lag::TopicLag;

/// What one client did with one partition.
#[derive(Clone, Debug, Default)]
pub struct PartitionTally {
    /// Answers that named the partition; requests where none was wanted.
    pub requests: u64,
    /// What was written or read. First and last are those of all; times are those of what counts.
    pub content: Content,
    /// Answers by Kafka's error code.
    pub errors: Counts<i16>,
    /// The length of batches that were refused.
    pub rejected_bytes: u64,
    /// Records sent with acks=0. They are in no other count.
    pub unconfirmed: u64,
    /// The offsets.
    pub offsets: Ranges,
    /// How far the last answer reads; `None` where its high watermark is below that.
    pub fetched: Option<Fetched>,
    /// Answers whose high watermark is below what they read.
    pub watermarks_below: u64,
}

/// A topic that a client asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct PresenceTally {
    /// The most partitions of it that one connection asked for at once.
    pub partitions: u32,
    /// The most records that the client was behind; `None` where that is not known.
    pub lag: Option<TopicLag>,
}

impl PartitionTally {
    /// Add what was told once.
    pub fn add(&mut self, exchange: &PartitionExchange<'_>) {
        let content = &exchange.content;
        grow(&mut self.requests, 1);
        if let Some(fetched) = exchange.fetched {
            self.fetched = Some(fetched).filter(|fetched| fetched.next_offset <= fetched.high_watermark);
            if self.fetched.is_none() {
                grow(&mut self.watermarks_below, 1);
            }
        }
        if exchange.error != 0 {
            self.errors.add(exchange.error);
            grow(&mut self.rejected_bytes, content.bytes);
        } else if exchange.confirmed {
            self.add_content(content);
        } else {
            grow(&mut self.unconfirmed, content.records);
        }
    }

    fn add_content(&mut self, new: &Content) {
        let all = &mut self.content;
        grow(&mut all.batches, new.batches);
        grow(&mut all.records, new.records);
        grow(&mut all.bytes, new.bytes);
        // Few have any of these.
        let transactional = new.transactional_batches | new.transactional_records | new.aborted_records;
        if transactional | new.unknown_batches | new.duplicate_batches > 0 {
            grow(&mut all.unknown_batches, new.unknown_batches);
            grow(&mut all.transactional_batches, new.transactional_batches);
            grow(&mut all.transactional_records, new.transactional_records);
            grow(&mut all.aborted_records, new.aborted_records);
            grow(&mut all.duplicate_batches, new.duplicate_batches);
        }
        grow_all(&mut all.codecs, new.codecs);
        all.min_timestamp_ms = lower(all.min_timestamp_ms, possible(new.min_timestamp_ms));
        all.max_timestamp_ms = all.max_timestamp_ms.max(possible(new.max_timestamp_ms));
        // Offsets are believed where they are a range.
        if let (Some(first), Some(last)) = (new.first_offset, new.last_offset)
            && (0..=last).contains(&first)
        {
            all.first_offset = lower(all.first_offset, Some(first));
            all.last_offset = all.last_offset.max(Some(last));
            self.offsets.add(first, last);
        }
    }
}

/// Produce requests by acks: of no replica, of the leader, of all in sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckCounts(pub [u64; 3]);

impl AckCounts {
    pub(crate) fn add(&mut self, acks: i16) {
        let place = match acks {
            0 => 0,
            1 => 1,
            -1 => 2,
            _ => return,
        };
        self.0.get_mut(place).into_iter().for_each(|count| grow(count, 1));
    }

    /// Returns true if there is no request.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 3]
    }
}

impl Serialize for AckCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = ["0", "1", "all"].into_iter().zip(self.0);
        serializer.collect_map(named.filter(|(_, count)| *count > 0))
    }
}

/// What one client did with one API in one version.
#[derive(Clone, Debug, Default)]
pub struct ApiTally {
    /// Requests.
    pub requests: u64,
    /// The length of their frames.
    pub request_bytes: u64,
    /// The length of the responses' frames.
    pub response_bytes: u64,
    /// Responses by their own error code.
    pub errors: Counts<i16>,
    /// Responses that throttle the client.
    pub throttled_responses: u64,
    /// How long they do, in milliseconds.
    pub throttle_ms: u64,
    /// Requests that were not, or not wholly, understood.
    pub unread: Counts<Unread>,
    /// Of Produce alone.
    pub acks: AckCounts,
    /// Produce requests of idempotent producers.
    pub idempotent: u64,
    /// Responses to a Fetch or `ShareFetch` that had no record and no error.
    pub empty: u64,
    /// The longest time from the answer to a Fetch to the next Fetch of the same connection, in microseconds.
    pub longest_gap_us: u64,
    /// Transactions that were committed.
    pub committed_transactions: u64,
    /// Transactions that were aborted.
    pub aborted_transactions: u64,
    /// Response times, but of what waited.
    pub served: Sketch,
    /// Response times of a Fetch or `ShareFetch` for which the broker waited.
    pub waited: Sketch,
}

impl ApiTally {
    pub(crate) fn add_request(&mut self, request: &Request<'_>) {
        grow(&mut self.requests, 1);
        grow(&mut self.request_bytes, size(request.bytes));
        request.acks.into_iter().for_each(|acks| self.acks.add(acks));
        if request.is_idempotent {
            grow(&mut self.idempotent, 1);
        }
    }

    pub(crate) fn add(&mut self, exchange: &Exchange, microseconds: Option<u64>) {
        grow(&mut self.response_bytes, size(exchange.bytes));
        if exchange.error != 0 {
            self.errors.add(exchange.error);
        }
        if exchange.throttle_ms > 0 {
            grow(&mut self.throttled_responses, 1);
            grow(&mut self.throttle_ms, exchange.throttle_ms.into());
        }
        if exchange.is_empty {
            grow(&mut self.empty, 1);
        }
        match microseconds {
            Some(microseconds) if exchange.waited => self.waited.add(microseconds),
            Some(microseconds) => self.served.add(microseconds),
            None => {}
        }
    }

    pub(crate) const fn add_end(&mut self, end: TransactionEnd) {
        let all = if end.committed { &mut self.committed_transactions } else { &mut self.aborted_transactions };
        grow(all, 1);
    }
}

/// What one client did with one topic, or without naming one topic alone.
#[derive(Clone, Debug, Default)]
pub struct TopicTally {
    /// Exchanges that named the topic, once for each.
    pub requests: u64,
    /// Response times of exchanges that named no other topic, but of what waited.
    pub served: Sketch,
}

/// The highest count, and the latest time, that records have.
pub(crate) const HIGHEST: u64 = 1 << 62;

/// Add, and stop at the highest count.
pub(crate) const fn grow(all: &mut u64, new: u64) {
    let sum = all.saturating_add(new);
    *all = if sum < HIGHEST { sum } else { HIGHEST };
}

/// Add each to its own.
pub(crate) fn grow_all<const N: usize>(all: &mut [u64; N], new: [u64; N]) {
    for (all, new) in all.iter_mut().zip(new) {
        grow(all, new);
    }
}

pub(crate) fn size(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn lower(all: Option<i64>, new: Option<i64>) -> Option<i64> {
    all.into_iter().chain(new).min()
}

/// A time that a record may have: clients write what they like.
fn possible(time_ms: Option<i64>) -> Option<i64> {
    time_ms.filter(|time| u64::try_from(*time).is_ok_and(|time| time <= HIGHEST))
}
