//! Offsets that clients committed for their groups, in rows of partitions.

use serde::Serialize;

use super::traffic::PartitionRow;
use crate::commits::CommitTally;
use crate::history::Basis;
use crate::lag::Behind;
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
    committed_lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_lag_basis: Option<Basis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_offset: Option<i64>,
}

impl<'a> CommitRow<'a> {
    pub(super) fn new(row: PartitionRow<'a>, tally: CommitTally, behind: Option<Behind>) -> Self {
        let CommitTally { committed: committed_offset, pending: pending_offset, .. } = tally;
        let (age, committed_lag) = (behind.and_then(|behind| behind.age), behind.map(|behind| behind.records));
        let (committed_lag_ms, committed_lag_basis) = (age.map(|age| age.ms), age.map(|age| age.basis));
        Self { row, committed_offset, committed_lag, committed_lag_ms, committed_lag_basis, pending_offset }
    }
}

/// Returns how far a group's offset is behind the end of a partition, as far as its watermark is known.
pub(crate) fn committed_lag(
    which: Which<'_>,
    partition: i32,
    tally: CommitTally,
    names: &TopicNames,
    now_ms: u64,
) -> Option<Behind> {
    let Which::Topic(topic) = which else { return None };
    names.behind(topic, partition, tally.committed?, now_ms)
}
