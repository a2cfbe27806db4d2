//! Offsets that groups have committed, and those of transactions that are open.

use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::{HashMap, HashSet};
use kwitness_observation::{Identity, IdentityKey};
use kwitness_protocol::{Commit, OwnTopic};

/// The offsets that one client committed for its group in a partition.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommitTally {
    /// Commits that brokers answered without an error, those of transactions included.
    pub commits: u64,
    /// The last offset that the group has.
    pub committed: Option<i64>,
    /// The last offset of a transaction whose end was not seen.
    pub pending: Option<i64>,
}

/// An offset of an open transaction.
#[derive(Clone, Debug)]
pub(crate) struct PendingOffset {
    pub(crate) member: Arc<Identity>,
    pub(crate) topic: OwnTopic,
    pub(crate) partition: i32,
    pub(crate) offset: i64,
}

impl PendingOffset {
    pub(crate) fn new(member: &Arc<Identity>, commit: &Commit<'_>) -> Self {
        let Commit { topic, partition, offset, .. } = *commit;
        Self { member: Arc::clone(member), topic: (&topic).into(), partition, offset }
    }

    /// Returns it as the member's group has it when the transaction is committed.
    pub(crate) fn as_commit(&self) -> Option<Commit<'_>> {
        let Self { member, topic, partition, offset } = self;
        let (group, topic) = (member.get(IdentityKey::GroupId)?, topic.as_topic());
        Some(Commit { group, is_transactional: true, topic, partition: *partition, offset: *offset })
    }
}

/// Open transactions by their transactional ids: a client commits offsets at one broker and ends the transaction at
/// another.
///
/// It has at most the number of offsets that it was made for. With one more all are forgotten, so they stay pending.
#[derive(Debug)]
pub(crate) struct Transactions {
    limit: usize,
    open: Mutex<OpenTransactions>,
}

#[derive(Debug, Default)]
struct OpenTransactions {
    offsets: HashMap<Box<[u8]>, Vec<PendingOffset>>,
    count: usize,
}

impl Transactions {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, open: Mutex::default() }
    }

    pub(crate) fn add(&self, transactional_id: &[u8], offset: PendingOffset) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.count >= self.limit {
            *open = OpenTransactions::default();
        }
        open.count = open.count.saturating_add(1);
        open.offsets.entry(transactional_id.into()).or_default().push(offset);
    }

    /// Remove and return the offsets of a transaction that has ended: the last one of each member and partition.
    pub(crate) fn remove(&self, transactional_id: &[u8]) -> Vec<PendingOffset> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = open.offsets.remove(transactional_id).unwrap_or_default();
        open.count = open.count.saturating_sub(ended.len());
        drop(open);
        let mut seen = HashSet::new();
        let is_last =
            |offset: &PendingOffset| seen.insert((Arc::clone(&offset.member), offset.topic.clone(), offset.partition));
        let mut last: Vec<_> = ended.into_iter().rev().filter(is_last).collect();
        last.reverse();
        last
    }
}
