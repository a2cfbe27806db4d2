//! What a connection tells of itself.

use crate::contents::Contents;
use crate::header::Opening;
use crate::identity_field::IdentityField;
use crate::reasons::{Opaque, Unread};
use crate::sasl::{Authenticated, Mechanism};
use crate::side::Side;
use crate::software::Software;
use crate::topic::Topic;

/// Nanoseconds since a moment that the caller chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanos(pub u64);

/// One thing that was understood, or was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A request is complete.
    Request(Request<'a>),
    /// The client said which software it is.
    Software(Software<'a>),
    /// The client chose how it is going to prove who it is.
    Mechanism(Mechanism),
    /// The broker answered who the client said it is.
    Authenticated(Authenticated<'a>),
    /// What one Produce, Fetch or `ShareFetch` did with one partition.
    Partition(PartitionExchange<'a>),
    /// What a topic's id stands for, from a broker's answer.
    TopicName {
        /// The topic's id.
        id: [u8; 16],
        /// Its name.
        name: &'a [u8],
    },
    /// A topic of the connection's fetch session (KIP-227), told whenever a Fetch is answered.
    Presence {
        /// The topic.
        topic: Topic<'a>,
        /// How many of its partitions the session has.
        partitions: u32,
    },
    /// Something that the client calls itself or its group.
    Identity {
        /// What of it.
        field: IdentityField,
        /// Never empty; it need not be UTF-8.
        value: &'a [u8],
    },
    /// The broker ended a transaction as the client asked for (`EndTxn`).
    TransactionEnd(TransactionEnd),
    /// The broker stored an offset of a group.
    Commit(Commit<'a>),
    /// The end of a partition, as a client had it listed (`ListOffsets`).
    End {
        /// The topic.
        topic: Topic<'a>,
        /// The partition's number.
        partition: i32,
        /// Its high watermark, never negative.
        offset: i64,
    },
    /// A response is complete.
    Exchange(Exchange),
    /// A request or a response as a whole, after everything else that it tells; only where that is wanted.
    Message(Message<'a>),
    /// A request or its response was passed on and not, or not wholly, understood.
    Unread {
        /// The API's key, as it came.
        key: i16,
        /// Its version, as it came.
        version: i16,
        /// Why.
        why: Unread,
    },
    /// Nothing of this connection is understood from here on; there is no further event.
    Opaque(Opaque),
}

/// A request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The API's key.
    pub key: i16,
    /// Its version.
    pub version: i16,
    /// What the client calls itself; `None` also where the header was not understood.
    pub client_id: Option<&'a [u8]>,
    /// The length of the frame.
    pub bytes: usize,
    /// Replicas that are to confirm a Produce: 0 for none, 1 for the leader, -1 for all in sync; brokers refuse others.
    /// `None` where it was not read.
    pub acks: Option<i16>,
    /// True for a Produce with a batch of an idempotent producer.
    pub is_idempotent: bool,
}

/// What one Produce, Fetch or `ShareFetch` did with one partition, told when it was answered; a Produce with acks=0 when
/// it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionExchange<'a> {
    /// The API's key.
    pub key: i16,
    /// Its version.
    pub version: i16,
    /// The topic.
    pub topic: Topic<'a>,
    /// The partition's number.
    pub partition: i32,
    /// Kafka's error code; 0 is none.
    pub error: i16,
    /// Whether the broker has said so; false for a Produce with acks=0.
    pub confirmed: bool,
    /// What was written or read, or what a broker refused.
    pub content: Content,
    /// How far a Fetch without an error reads into the log; `None` where its answer leaves that open.
    pub fetched: Option<Fetched>,
}

/// User records alone: control batches count nowhere, and neither does what replicas fetch. Of batches that an idempotent
/// producer sent twice only the first counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Record batches, and messages of the formats before them.
    pub batches: u64,
    /// Records in the batches whose records can be counted.
    pub records: u64,
    /// Batches whose records cannot be counted without decompressing them.
    pub unknown_batches: u64,
    /// The length of the batches, compressed as they are.
    pub bytes: u64,
    /// Batches by compression: none, gzip, snappy, lz4, zstd.
    pub codecs: [u64; 5],
    /// Batches that belong to a transaction.
    pub transactional_batches: u64,
    /// Records in them.
    pub transactional_records: u64,
    /// Records of transactions that were aborted.
    pub aborted_records: u64,
    /// Batches that the broker had already; they are in no other count.
    pub duplicate_batches: u64,
    /// The first offset that was written; for a Fetch the one that was asked for.
    pub first_offset: Option<i64>,
    /// The last offset.
    pub last_offset: Option<i64>,
    /// The earliest timestamp that a batch's head has, in milliseconds since 1970.
    pub min_timestamp_ms: Option<i64>,
    /// The latest timestamp that a batch's head has, in milliseconds since 1970.
    pub max_timestamp_ms: Option<i64>,
}

/// How far a Fetch reads into the log of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The offset after the last batch of the answer, control batches included; without batches that of the request.
    pub next_offset: i64,
    /// The high watermark of the answer, never negative.
    pub high_watermark: i64,
    /// The last stable offset of the answer, never negative; `None` before version 4 and where the broker leaves it out.
    pub last_stable_offset: Option<i64>,
    /// The epoch of the leader that answered, never negative: a leader of another one refuses the request. `None` before
    /// version 9 and where the client leaves it out.
    pub leader_epoch: Option<i32>,
}

/// A transaction that was ended, by the client whose transactional id was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionEnd {
    /// The version of `EndTxn`.
    pub version: i16,
    /// Whether it was committed; else it was aborted.
    pub committed: bool,
}

/// An offset that a client committed for a group, and the broker answered without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit<'a> {
    /// The group's id.
    pub group: &'a [u8],
    /// True if it belongs to a transaction of the client (`TxnOffsetCommit`): the group has the offset when that is
    /// committed.
    pub is_transactional: bool,
    /// The topic.
    pub topic: Topic<'a>,
    /// The partition's number.
    pub partition: i32,
    /// The offset of the next record to process, never negative.
    pub offset: i64,
}

/// A request with its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The API's key.
    pub key: i16,
    /// Its version.
    pub version: i16,
    /// When the request was complete.
    pub asked: Nanos,
    /// When the response was complete.
    pub answered: Nanos,
    /// The length of the request's frame.
    pub request_bytes: usize,
    /// The length of the response's frame.
    pub bytes: usize,
    /// The first error code of the response itself, not of one of its parts; 0 is none.
    pub error: i16,
    /// How long the broker throttles the client, as the response says (KIP-219), in milliseconds; 0 is not at all.
    pub throttle_ms: u32,
    /// Whether the broker waited for records to come: a Fetch or `ShareFetch` that was answered with none, or after nine
    /// tenths of the longest time that it allowed.
    pub waited: bool,
    /// True for a Fetch or `ShareFetch` that was answered without an error and without a record.
    pub is_empty: bool,
}

/// A request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Whose it is.
    pub side: Side,
    /// The number of the exchange: requests of a connection are counted from 1.
    pub exchange: u64,
    /// Key, version and correlation id.
    pub opening: Opening,
    /// The length of the frame.
    pub bytes: usize,
    /// Of a request, whether it may be answered; a response is not.
    pub is_answered: bool,
    /// Of a response: the first error code of its own, not of one of its parts; 0 is none.
    pub error: i16,
    /// Of a response: how many nanoseconds after the request.
    pub took: Option<Nanos>,
    /// What is in it, of APIs whose messages are looked into.
    pub contents: Option<&'a Contents>,
}
