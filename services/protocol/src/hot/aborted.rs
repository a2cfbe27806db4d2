//! Which records of a Fetch response belong to transactions that were aborted.

use crate::batch::Batch;

const MOST: usize = 1_000;

/// The aborted transactions of one partition, as a broker lists them for those who read committed records only.
#[derive(Debug, Default)]
pub(crate) struct Aborted {
    /// Producer and first offset.
    transactions: Vec<(i64, i64)>,
    /// There are more than are remembered, so none of them is known.
    are_too_many: bool,
}

impl Aborted {
    pub(crate) fn clear(&mut self) {
        self.transactions.clear();
        self.are_too_many = false;
    }

    pub(crate) fn push(&mut self, producer: i64, first_offset: i64) {
        if self.transactions.len() >= MOST {
            self.are_too_many = true;
        } else {
            self.transactions.push((producer, first_offset));
        }
    }

    /// True if there are so many that [`Self::has`] knows none.
    pub(crate) const fn are_too_many(&self) -> bool {
        self.are_too_many
    }

    /// Returns true if the next batch of the partition is of an aborted transaction, which ends with its marker.
    pub(crate) fn has(&mut self, batch: &Batch) -> bool {
        let Some(sequence) = batch.sequence.filter(|_| batch.is_transactional && !self.are_too_many) else {
            return false;
        };
        let is_it = |(producer, first): &(i64, i64)| *producer == sequence.producer && *first <= batch.last_offset;
        let Some(place) = self.transactions.iter().position(is_it) else { return false };
        if batch.is_control {
            self.transactions.swap_remove(place);
        }
        !batch.is_control
    }
}
