//! The last offset that each group has in each partition, to find commits that go back.

use std::hash::{BuildHasher, RandomState};
use std::mem;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use kwitness_protocol::Topic;

use crate::lag::between;

/// The last offsets of groups, as any connection of the process has committed them.
///
/// They are found by seeded hashes, so that names of any length take no memory: among 100,000 two are alike in one
/// process of three thousand million. There are two generations, each of at most half of the number that it was made
/// for. When a generation is full, the one before it is forgotten, but for offsets that were committed since.
#[derive(Debug)]
pub(crate) struct Committed {
    half: usize,
    seed: RandomState,
    generations: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, i64>,
    old: HashMap<u64, i64>,
}

impl Committed {
    /// Those of at most so many partitions of groups.
    pub(crate) fn new(limit: usize) -> Self {
        Self { half: limit / 2, seed: RandomState::new(), generations: Mutex::default() }
    }

    /// Keep the offset that a group has now; returns by how many records it is below the last one, if it is.
    pub(crate) fn keep(&self, group: &[u8], topic: &Topic<'_>, partition: i32, offset: i64) -> Option<u64> {
        let key = self.seed.hash_one((group, topic, partition));
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let last = generations.replace(key, offset, self.half)?;
        between(offset, last).filter(|records| *records > 0)
    }
}

impl Generations {
    /// Returns the offset that this key had before.
    fn replace(&mut self, key: u64, offset: i64, most: usize) -> Option<i64> {
        let Self { young, old } = self;
        if let Some(known) = young.get_mut(&key) {
            return Some(mem::replace(known, offset));
        }
        let known = old.get(&key).copied();
        if young.len() >= most {
            *old = mem::take(young);
        }
        if young.len() < most {
            young.insert(key, offset);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOPIC: Topic<'_> = Topic::Name(b"orders");

    fn count(committed: &Committed) -> usize {
        let generations = committed.generations.lock().unwrap();
        generations.young.len().saturating_add(generations.old.len())
    }

    #[test]
    fn a_group_that_commits_again_and_again_outlives_many_others_and_one_that_does_not_is_forgotten() {
        let committed = Committed::new(100);
        committed.keep(b"once", &TOPIC, 0, 500);

        for number in 0..10_000_u32 {
            committed.keep(b"often", &TOPIC, 0, i64::from(number));
            committed.keep(&number.to_be_bytes(), &TOPIC, 0, 1);
        }

        assert_eq!(committed.keep(b"often", &TOPIC, 0, 9_990), Some(9));
        assert_eq!(committed.keep(b"once", &TOPIC, 0, 1), None);
        assert!(count(&committed) <= 100, "{}", count(&committed));
    }

    #[test]
    fn without_places_nothing_is_known() {
        for limit in [0, 1] {
            let committed = Committed::new(limit);
            committed.keep(b"readers", &TOPIC, 0, 10);

            assert_eq!((committed.keep(b"readers", &TOPIC, 0, 5), count(&committed)), (None, 0));
        }
    }

    proptest! {
        #[test]
        fn each_commit_is_compared_with_the_one_before_of_its_group_topic_and_partition(
            commits in prop::collection::vec((0..3_u8, 0..3_u8, 0..3_i32, 0..i64::MAX), 0..200),
        ) {
            let committed = Committed::new(1_000);
            let mut last = HashMap::new();
            for (group, topic, partition, offset) in commits {
                let back = committed.keep(&[group], &Topic::Name(&[topic]), partition, offset);
                let before = last.insert((group, topic, partition), offset).filter(|before| *before > offset);
                prop_assert_eq!(back, before.map(|before| before.abs_diff(offset)));
            }
        }
    }
}
