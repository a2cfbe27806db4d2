//! Which batches of a connection are copied.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::gate::{Gate, LeftOut, Room};
use crate::batch::Batch;
use crate::schema::Api;
use crate::topic::{OwnTopic, Topic};

/// A longer batch is not copied, in bytes.
pub const LONGEST_BATCH: usize = 1 << 20;

/// Which batches are copied.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The first of each connection, and of those that follow one in so many, by chance.
    pub every: NonZeroU32,
    /// How much may be copied.
    pub gate: Arc<Gate>,
}

/// A batch's records as they passed.
#[derive(Debug)]
pub struct Sample {
    api: i16,
    topic: OwnTopic,
    codec: usize,
    records: u64,
    bytes: Vec<u8>,
    room: Room,
}

impl Sample {
    /// Returns true if a client wrote it; else a client read it.
    #[must_use]
    pub const fn is_produced(&self) -> bool {
        self.api == Api::PRODUCE
    }

    /// The topic.
    #[must_use]
    pub fn topic(&self) -> Topic<'_> {
        self.topic.as_topic()
    }

    /// How many records there are.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// How the records are compressed, by Kafka's number.
    #[must_use]
    pub const fn codec(&self) -> usize {
        self.codec
    }

    /// The records, compressed as they are.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Keep bytes that pass; false where there is no room for them.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> bool {
        let has_room = self.room.grow(bytes.len());
        if has_room {
            self.bytes.extend_from_slice(bytes);
        }
        has_room
    }
}

/// Chooses among the batches of one connection.
#[derive(Debug)]
pub(crate) struct Sampler {
    sampling: Sampling,
    /// So many are passed before one is chosen.
    gap: u64,
    chance: u64,
    /// The one that was just chosen.
    chosen: Option<Box<Sample>>,
    complete: Vec<Sample>,
}

impl Sampler {
    /// `seed` is another one for each connection: clients that do the same in turns are not to be chosen alike.
    pub(crate) fn new(sampling: Sampling, seed: u64) -> Self {
        let chance = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { sampling, gap: 0, chance, chosen: None, complete: Vec::new() }
    }

    /// Whether the records of this batch, `bytes` of them, are to be copied.
    pub(crate) fn chooses(
        &mut self,
        api: i16,
        batch: &Batch,
        bytes: usize,
        topic: impl FnOnce() -> Option<OwnTopic>,
    ) -> bool {
        if !batch.may_have_headers || batch.is_control || bytes == 0 {
            return false;
        }
        let Some(records) = batch.records.filter(|records| *records > 0) else { return false };
        if let Some(gap) = self.gap.checked_sub(1) {
            self.gap = gap;
            return false;
        }
        self.gap = self.next_gap();
        let gate = &self.sampling.gate;
        if gate.is_shut() {
            gate.leave_out(LeftOut::Budget);
            return false;
        }
        if batch.bytes > LONGEST_BATCH {
            gate.leave_out(LeftOut::TooLarge);
            return false;
        }
        let Some(topic) = topic() else { return false };
        let room = Room::new(Arc::clone(gate));
        self.chosen = Some(Box::new(Sample { api, topic, codec: batch.codec, records, bytes: Vec::new(), room }));
        true
    }

    /// The one that was chosen last, to be copied.
    pub(crate) const fn take_chosen(&mut self) -> Option<Box<Sample>> {
        self.chosen.take()
    }

    /// A copy is complete.
    pub(crate) fn complete(&mut self, sample: Sample) {
        self.complete.push(sample);
    }

    /// The copies that are complete.
    pub(crate) fn take_complete(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.complete)
    }

    /// From none to one less than twice as many as are wanted between two, each as likely.
    fn next_gap(&mut self) -> u64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        let different = u64::from(self.sampling.every.get()).saturating_mul(2).saturating_sub(1);
        self.chance.checked_rem(different).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(every: u32, gate: &Arc<Gate>) -> Sampler {
        Sampler::new(Sampling { every: NonZeroU32::new(every).unwrap(), gate: Arc::clone(gate) }, 7)
    }

    fn batch(bytes: usize) -> Batch {
        Batch {
            first_offset: 0,
            last_offset: 0,
            bytes,
            records: Some(1),
            codec: 0,
            may_have_headers: true,
            is_transactional: false,
            is_control: false,
            sequence: None,
            min_timestamp_ms: None,
            max_timestamp_ms: None,
        }
    }

    fn chosen(sampler: &mut Sampler, batch: &Batch) -> bool {
        sampler.chooses(Api::PRODUCE, batch, 10, || Some((&Topic::Id([1; 16])).into()))
    }

    #[test]
    fn the_first_is_chosen_and_of_the_others_one_in_so_many() {
        let gate = Arc::new(Gate::new(1 << 20));
        let mut all = sampler(1, &gate);
        let mut few = sampler(100, &gate);

        assert_eq!((0..1_000).filter(|_| chosen(&mut all, &batch(71))).count(), 1_000);
        assert!(chosen(&mut few, &batch(71)));
        let by_turns: [usize; 2] =
            [0, 1].map(|turn| (0..200_000).filter(|number| chosen(&mut few, &batch(71)) && number % 2 == turn).count());
        for count in by_turns {
            assert!((800..1_200).contains(&count), "{count} of 100,000 that come in turns");
        }
    }

    #[test]
    fn what_is_not_copied_is_counted() {
        let gate = Arc::new(Gate::new(1 << 20));
        let mut sampler = sampler(1, &gate);

        assert!(!chosen(&mut sampler, &batch(LONGEST_BATCH + 1)));
        assert!(!chosen(&mut sampler, &Batch { may_have_headers: false, ..batch(71) }));
        assert!(!chosen(&mut sampler, &Batch { is_control: true, ..batch(71) }));
        gate.shut(true);
        assert!(!chosen(&mut sampler, &batch(71)));
        gate.shut(false);
        assert!(chosen(&mut sampler, &batch(71)));

        assert_eq!(gate.left_out().map(|(_, count)| count), [1, 0, 1, 0, 0]);
    }
}
