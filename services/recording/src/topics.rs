//! Topics of a window, and what their ids stand for.

use std::mem;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use kwitness_protocol::{Commit, LONGEST_NAME, Topic};

use crate::commits::Transactions;
use crate::committed::Committed;
use crate::history::Age;
use crate::lag::Behind;
use crate::watermarks::Watermarks;

/// What topic ids stand for, as brokers told it to any connection of this process, the high watermarks of partitions,
/// and the offsets of groups. Ids are never used again, so there is nothing to correct.
///
/// It has at most the number of names that it was made for. When half of them were told since the others
/// were, the others are forgotten.
#[derive(Debug)]
pub struct TopicNames {
    half: usize,
    names: RwLock<Names>,
    pub(crate) watermarks: Watermarks,
    pub(crate) transactions: Transactions,
    committed: Committed,
}

#[derive(Debug, Default)]
struct Names {
    young: Generation,
    old: Generation,
}

#[derive(Debug, Default)]
struct Generation {
    names: HashMap<[u8; 16], Arc<[u8]>>,
    /// The last id that each name had.
    ids: HashMap<Arc<[u8]>, [u8; 16]>,
}

impl TopicNames {
    /// An empty one, of at most so many names.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let (watermarks, transactions) = (Watermarks::new(limit), Transactions::new(limit));
        let committed = Committed::new(limit);
        Self { half: limit / 2, names: RwLock::default(), watermarks, transactions, committed }
    }

    /// Remember what an id stands for. A name that is empty, or longer than Kafka allows, is not believed.
    pub fn tell(&self, id: [u8; 16], name: &[u8]) {
        let is_possible = !name.is_empty() && name.len() <= LONGEST_NAME;
        if !is_possible || self.half == 0 || self.is_young(id) {
            return;
        }
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        if names.young.names.len() >= self.half {
            names.old = mem::take(&mut names.young);
        }
        let name: Arc<[u8]> = name.into();
        names.young.names.insert(id, Arc::clone(&name));
        names.young.ids.insert(name, id);
    }

    fn is_young(&self, id: [u8; 16]) -> bool {
        self.names.read().unwrap_or_else(PoisonError::into_inner).young.names.contains_key(&id)
    }

    /// What an id stands for, if it was told.
    #[must_use]
    pub fn name(&self, id: [u8; 16]) -> Option<Box<[u8]>> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.young.names.get(&id).or_else(|| names.old.names.get(&id)).map(|name| Box::from(&**name))
    }

    /// Returns the last id that a topic of this name had, if it was told.
    fn id(&self, name: &[u8]) -> Option<[u8; 16]> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.young.ids.get(name).or_else(|| names.old.ids.get(name)).copied()
    }

    /// Keep the offset that a group has now; returns by how many records it is below the one before, if it is.
    ///
    /// A topic goes by its id where that is known, however requests name it: one that is recreated has another.
    pub(crate) fn records_back(&self, commit: &Commit<'_>) -> Option<u64> {
        let Commit { group, topic, partition, offset, .. } = *commit;
        let id = if let Topic::Name(name) = topic { self.id(name) } else { None };
        self.committed.keep(group, &id.map_or(topic, Topic::Id), partition, offset)
    }

    /// Returns how far an offset is behind the largest high watermark of the last minute, however answers named the topic.
    pub(crate) fn behind(&self, topic: Topic<'_>, partition: i32, offset: i64, now_ms: u64) -> Option<Behind> {
        let largest = self.largest_of_names(topic, |topic| self.watermarks.largest(topic, partition, now_ms))?;
        Behind::new(offset, largest, || self.age(topic, partition, offset, now_ms))
    }

    /// Returns how long the record at an offset can be read already, however answers named the topic.
    pub(crate) fn age(&self, topic: Topic<'_>, partition: i32, offset: i64, now_ms: u64) -> Option<Age> {
        self.largest_of_names(topic, |topic| self.watermarks.age(topic, partition, offset, now_ms))
    }

    /// Returns the larger value of a topic's name and of its id.
    fn largest_of_names<T: Ord>(&self, topic: Topic<'_>, of: impl Fn(&Topic<'_>) -> Option<T>) -> Option<T> {
        let otherwise = match topic {
            Topic::Name(name) => self.id(name).and_then(|id| of(&Topic::Id(id))),
            Topic::Id(id) => self.name(id).and_then(|name| of(&Topic::Name(&name))),
        };
        of(&topic).max(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> [u8; 16] {
        u128::from(number).to_be_bytes()
    }

    #[test]
    fn a_name_that_is_told_again_and_again_outlives_a_million_others() {
        let names = TopicNames::new(100);

        for number in 1..1_000_000 {
            names.tell(id(0), b"orders");
            names.tell(id(number), b"other");
        }

        assert_eq!(names.name(id(0)).as_deref(), Some(&b"orders"[..]));
        assert_eq!((names.name(id(1)), names.name(id(999_999)).as_deref()), (None, Some(&b"other"[..])));
        let inner = names.names.read().unwrap();
        assert!(inner.young.names.len() + inner.old.names.len() <= 100);
        assert!(inner.young.ids.len() + inner.old.ids.len() <= 100);
    }

    #[test]
    fn a_name_that_no_topic_has_is_not_believed() {
        let names = TopicNames::new(100);

        names.tell(id(1), b"");
        names.tell(id(2), &[b'a'; LONGEST_NAME + 1]);

        assert_eq!((names.name(id(1)), names.name(id(2))), (None, None));
    }
}
