//! Offsets that clients committed for their groups, in rows of partitions.

use serde::Serialize;

use super::traffic::PartitionRow;
use crate::commits::CommitTally;
use crate::lag::between;
use crate::topics::TopicNames;
use crate::window::Which;

/// The API of these rows, also where a transaction committed the offset.
pub(super) const OFFSET_COMMIT: &str = "OffsetCommit";

#[derive(Serialize)]
pub(super) struct CommitRow<'a> {
    #[serde(flatten)]
    row: PartitionRow<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_lag: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_offset: Option<i64>,
}

impl<'a> CommitRow<'a> {
    pub(super) const fn new(row: PartitionRow<'a>, tally: CommitTally, committed_lag: Option<u64>) -> Self {
        let CommitTally { committed: committed_offset, pending: pending_offset, .. } = tally;
        Self { row, committed_offset, committed_lag, pending_offset }
    }
}

/// Returns how many records lie between a group's offset and the end of a partition, as far as its watermark is known.
pub(crate) fn committed_lag(
    which: Which<'_>,
    partition: i32,
    tally: CommitTally,
    names: &TopicNames,
    now_ms: u64,
) -> Option<u64> {
    let Which::Topic(topic) = which else { return None };
    between(tally.committed?, names.watermark(topic, partition, now_ms)?)
}
