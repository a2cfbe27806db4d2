//! What is counted by topic: some have an entry of their own, the rest shares one.

use kwitness_observation::Series;

/// Adds what another has counted.
pub(crate) trait Merge {
    fn merge(&mut self, other: &Self);
}

/// Entries by topic.
#[derive(Clone, Debug)]
pub(crate) struct Topics<T> {
    own: Series<Box<[u8]>, T>,
    /// Of topics that are too many.
    rest: Option<T>,
    /// The last one asked for: the next is likely to be it, too.
    last: Option<u32>,
}

impl<T: Default> Topics<T> {
    /// With room for so many topics.
    pub(crate) fn new(most: usize) -> Self {
        Self { own: Series::new(most), rest: None, last: None }
    }

    /// The entry of a topic.
    pub(crate) fn of(&mut self, topic: &[u8]) -> &mut T {
        let is_last = |number: &u32| self.own.key(*number).is_some_and(|key| **key == *topic);
        let number = self.last.filter(is_last).or_else(|| self.own.place(topic, || topic.into()));
        self.last = number;
        match number.and_then(|number| self.own.value(number)) {
            Some(value) => value,
            None => self.rest.get_or_insert_default(),
        }
    }

    /// Every topic with its entry; none for the rest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<&[u8]>, &T)> {
        let own = self.own.iter().map(|(topic, value)| (Some(&**topic), value));
        own.chain(self.rest.iter().map(|value| (None, value)))
    }
}

impl<T: Default + Merge> Merge for Topics<T> {
    fn merge(&mut self, other: &Self) {
        for (topic, value) in other.iter() {
            match topic {
                Some(topic) => self.of(topic).merge(value),
                None => self.rest.get_or_insert_default().merge(value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Merge, Topics};

    impl Merge for u64 {
        fn merge(&mut self, other: &Self) {
            *self = self.saturating_add(*other);
        }
    }

    fn counted(topics: &Topics<u64>) -> Vec<(Option<&[u8]>, u64)> {
        topics.iter().map(|(topic, count)| (topic, *count)).collect()
    }

    #[test]
    fn topics_beyond_the_limit_share_one_entry() {
        let mut topics = Topics::<u64>::new(2);
        for topic in ["a", "b", "c", "a", "d", "b"] {
            *topics.of(topic.as_bytes()) += 1;
        }

        assert_eq!(counted(&topics), [(Some(&b"a"[..]), 2), (Some(&b"b"[..]), 2), (None, 2)]);
    }

    #[test]
    fn two_add_up_within_the_limit_of_the_first() {
        let (mut one, mut other) = (Topics::<u64>::new(2), Topics::<u64>::new(2));
        *one.of(b"a") += 1;
        for topic in ["b", "c", "d"] {
            *other.of(topic.as_bytes()) += 10;
        }

        one.merge(&other);

        assert_eq!(counted(&one), [(Some(&b"a"[..]), 1), (Some(&b"b"[..]), 10), (None, 20)]);
    }
}
