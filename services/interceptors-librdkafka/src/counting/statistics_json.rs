//! The part of librdkafka's statistics that is read, as its STATISTICS.md names it. Counts are since the client's start,
//! times since the statistics before. Partitions are added up while they are read: a client may have any number of them.

use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as Written};

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Document {
    pub(super) msg_cnt: Option<u64>,
    pub(super) msg_size: Option<u64>,
    pub(super) msg_max: Option<u64>,
    pub(super) msg_size_max: Option<u64>,
    pub(super) tx_bytes: Option<u64>,
    pub(super) rx_bytes: Option<u64>,
    pub(super) brokers: BTreeMap<String, Broker>,
    pub(super) topics: BTreeMap<String, Topic>,
    pub(super) cgrp: Option<Group>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Broker {
    pub(super) txretries: u64,
    pub(super) req_timeouts: u64,
    pub(super) disconnects: u64,
    /// From sending to response.
    pub(super) rtt: Elapsed,
    /// From a request's making to its sending.
    pub(super) outbuf_latency: Elapsed,
}

/// In microseconds, since the statistics before.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Elapsed {
    #[serde(deserialize_with = "never_negative")]
    pub(super) sum: u64,
    #[serde(deserialize_with = "never_negative")]
    pub(super) cnt: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub(super) rebalance_cnt: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Topic {
    pub(super) partitions: PartitionSums,
}

#[derive(Debug, Default)]
pub(super) struct PartitionSums {
    pub(super) queued_records: u64,
    pub(super) queued_bytes: u64,
    /// Of the partition that has most. Partitions that are polled together have one queue, and each has its length.
    pub(super) fetched_records: u64,
    pub(super) fetched_bytes: u64,
    pub(super) largest_lag: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Partition {
    /// Records that the thread of the leader has not taken yet. Those that it has taken are `xmit_msgq_cnt`, which is always 0: that
    /// queue is the thread's own.
    #[serde(deserialize_with = "never_negative")]
    msgq_cnt: u64,
    #[serde(deserialize_with = "never_negative")]
    msgq_bytes: u64,
    #[serde(deserialize_with = "never_negative")]
    fetchq_cnt: u64,
    #[serde(deserialize_with = "never_negative")]
    fetchq_size: u64,
    fetch_state: FetchState,
    /// Of the committed offset; -1 where it is not known. Stays what it was when a partition is revoked.
    consumer_lag: Option<i64>,
}

#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum FetchState {
    Active,
    #[default]
    #[serde(other)]
    Other,
}

fn never_negative<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(u64::try_from(i64::deserialize(from)?).unwrap_or_default())
}

impl PartitionSums {
    fn add(&mut self, partition: &Partition) {
        self.queued_records = self.queued_records.saturating_add(partition.msgq_cnt);
        self.queued_bytes = self.queued_bytes.saturating_add(partition.msgq_bytes);
        self.fetched_records = self.fetched_records.max(partition.fetchq_cnt);
        self.fetched_bytes = self.fetched_bytes.max(partition.fetchq_size);
        let lag = partition.consumer_lag.filter(|_| partition.fetch_state == FetchState::Active);
        self.largest_lag = self.largest_lag.max(lag.and_then(|lag| u64::try_from(lag).ok()));
    }
}

impl<'de> Deserialize<'de> for PartitionSums {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Sums;
        impl<'de> Visitor<'de> for Sums {
            type Value = PartitionSums;

            fn expecting(&self, to: &mut Formatter<'_>) -> Written {
                to.write_str("partitions by their number")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut partitions: M) -> Result<PartitionSums, M::Error> {
                let mut sums = PartitionSums::default();
                while let Some((_, partition)) = partitions.next_entry::<IgnoredAny, Partition>()? {
                    sums.add(&partition);
                }
                Ok(sums)
            }
        }
        from.deserialize_map(Sums)
    }
}
