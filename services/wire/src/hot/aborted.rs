//! Which records of a Fetch response belong to transactions that were aborted.

use super::batch::Batch;
use super::units::Stop;
use crate::event::Unread;

const MOST: usize = 1_000;

/// The aborted transactions of one partition, as a broker lists them for those who read committed records only.
#[derive(Debug, Default)]
pub(crate) struct Aborted {
    /// Producer and first offset.
    transactions: Vec<(i64, i64)>,
}

impl Aborted {
    pub(crate) fn clear(&mut self) {
        self.transactions.clear();
    }

    pub(crate) fn push(&mut self, producer: i64, first_offset: i64) -> Result<(), Stop> {
        if self.transactions.len() >= MOST {
            return Err(Stop::Unread(Unread::TooMany));
        }
        self.transactions.push((producer, first_offset));
        Ok(())
    }

    /// Whether the next batch of the partition is of an aborted transaction, which ends with its marker.
    pub(crate) fn has(&mut self, batch: &Batch) -> bool {
        let Some(sequence) = batch.sequence.filter(|_| batch.is_transactional) else { return false };
        let is_it = |(producer, first): &(i64, i64)| *producer == sequence.producer && *first <= batch.last_offset;
        let Some(place) = self.transactions.iter().position(is_it) else { return false };
        if batch.is_control {
            self.transactions.swap_remove(place);
        }
        !batch.is_control
    }
}
