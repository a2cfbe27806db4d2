//! A bounded map whose entries have numbers, in the order of their first sight.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, Equivalent, HashTable};

use super::capacity::Capacity;

/// Finds an entry's number by its key. Keys come from peers, so their hashes are seeded.
#[derive(Clone, Debug)]
pub struct Series<K, V> {
    capacity: Capacity,
    entries: Vec<(K, V)>,
    numbers: HashTable<u32>,
    hashes: DefaultHashBuilder,
}

impl<K: Hash + Eq, V: Default> Series<K, V> {
    /// An empty one, of at most so many keys that are found by [`Series::place`].
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self::within(Capacity::of_at_most(limit.min(u32::MAX as usize / 2)))
    }

    /// An empty one with this capacity for keys that are found by [`Series::place`].
    #[must_use]
    pub fn within(capacity: Capacity) -> Self {
        Self { capacity, entries: Vec::new(), numbers: HashTable::new(), hashes: DefaultHashBuilder::default() }
    }

    /// The number of this key, which `own` makes if it is new; `None` if it is one too many.
    pub fn place<Q>(&mut self, key: &Q, own: impl FnOnce() -> K) -> Option<u32>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.find(key).or_else(|| self.capacity.has_more_than(self.numbers.len()).then(|| self.push(own())))
    }

    /// The number of this key, although it may be one too many. Only a few keys may be placed so.
    pub fn place_beyond(&mut self, key: K) -> u32 {
        self.find(&key).unwrap_or_else(|| self.push(key))
    }

    /// Give an entry another key, which no entry has.
    pub fn rename(&mut self, number: u32, key: K) {
        let Some((old, _)) = self.entries.get(number as usize) else { return };
        if let Ok(found) = self.numbers.find_entry(self.hashes.hash_one(old), |one| *one == number) {
            found.remove();
        }
        let hash = self.hashes.hash_one(&key);
        if let Some(entry) = self.entries.get_mut(number as usize) {
            entry.0 = key;
        }
        self.index(hash, number);
    }

    /// The number of this key, if it has one.
    pub fn find<Q>(&self, key: &Q) -> Option<u32>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let is = |number: &u32| self.entries.get(*number as usize).is_some_and(|(owned, _)| key.equivalent(owned));
        self.numbers.find(self.hashes.hash_one(key), is).copied()
    }

    fn push(&mut self, key: K) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let hash = self.hashes.hash_one(&key);
        self.entries.push((key, V::default()));
        self.index(hash, number);
        number
    }

    fn index(&mut self, hash: u64, number: u32) {
        let Self { numbers, entries, hashes, .. } = self;
        let rehash = |number: &u32| entries.get(*number as usize).map_or(0, |(key, _)| hashes.hash_one(key));
        numbers.insert_unique(hash, number, rehash);
    }
}

impl<K, V> Series<K, V> {
    /// The key of this number.
    #[must_use]
    pub fn key(&self, number: u32) -> Option<&K> {
        self.entries.get(number as usize).map(|(key, _)| key)
    }

    /// What is kept under this number, to be read.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&V> {
        self.entries.get(number as usize).map(|(_, value)| value)
    }

    /// What is kept under this number.
    pub fn value(&mut self, number: u32) -> Option<&mut V> {
        self.entries.get_mut(number as usize).map(|(_, value)| value)
    }

    /// All entries, in the order of their first sight.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(K, V)> {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_its_number_and_one_too_many_has_none() {
        let mut series: Series<Box<str>, u8> = Series::new(100);
        let names: Vec<String> = (0..100).map(|number| format!("name-{number}")).collect();

        for _ in 0..2 {
            for (number, name) in (0..).zip(&names) {
                assert_eq!(series.place(name.as_str(), || name.as_str().into()), Some(number));
            }
        }
        assert_eq!(series.place("another", || "another".into()), None);
        assert_eq!(series.place_beyond("another".into()), 100);
        assert_eq!(series.place("another", || "another".into()), Some(100));
    }

    #[test]
    fn a_renamed_entry_is_found_by_its_new_key_alone() {
        let mut series: Series<Box<str>, u8> = Series::new(3);
        let number = series.place("old", || "old".into()).unwrap();

        series.rename(number, "new".into());

        assert_eq!((series.find("old"), series.find("new")), (None, Some(number)));
    }
}
