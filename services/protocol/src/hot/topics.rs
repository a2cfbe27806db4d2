//! Gives each topic that a connection names a number of its own, and forgets topics when room is short.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher as _;

use crate::side::Side;
use crate::topic::{OwnTopic, Topic};

const MOST: usize = 10_000;
/// Of all names together.
const MOST_BYTES: usize = 1 << 20;

/// A topic of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TopicNumber(u32);

/// Numbers for topics. A number is given again only after [`Self::forget_others`].
#[derive(Debug, Default)]
pub(crate) struct Topics {
    known: Vec<Option<OwnTopic>>,
    /// Numbers without a topic.
    free: Vec<TopicNumber>,
    numbers: HashTable<TopicNumber>,
    hasher: DefaultHashBuilder,
    bytes: usize,
    /// The topics that the messages which pass named last.
    current: Current,
    /// The place that [`Self::but_next`] begins with.
    hand: usize,
}

#[derive(Debug, Default)]
struct Current {
    client: TopicNumber,
    broker: TopicNumber,
}

/// Values of topics, by their numbers. Its memory stays when it is cleared.
#[derive(Clone, Debug)]
pub(crate) struct TopicValues<T>(Vec<Option<T>>);

/// A set of topics.
pub(crate) type TopicSet = TopicValues<()>;

impl<T> Default for TopicValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> TopicValues<T> {
    pub(crate) fn insert(&mut self, number: TopicNumber, value: T) {
        let place = number.place();
        if (self.0.len()..MOST).contains(&place) {
            self.0.resize_with(place.saturating_add(1), || None);
        }
        if let Some(known) = self.0.get_mut(place) {
            *known = Some(value);
        }
    }

    pub(crate) fn has(&self, number: TopicNumber) -> bool {
        self.get(number).is_some()
    }

    pub(crate) fn get(&self, number: TopicNumber) -> Option<&T> {
        self.0.get(number.place())?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: TopicNumber) -> Option<&mut T> {
        self.0.get_mut(number.place())?.as_mut()
    }

    pub(crate) fn remove(&mut self, number: TopicNumber) {
        if let Some(known) = self.0.get_mut(number.place()) {
            *known = None;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn retain(&mut self, others: &TopicSet) {
        for (place, value) in self.0.iter_mut().enumerate() {
            if !others.0.get(place).is_some_and(Option::is_some) {
                *value = None;
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (TopicNumber, &T)> {
        let numbers = (0..).map(TopicNumber);
        numbers.zip(&self.0).filter_map(|(number, value)| Some((number, value.as_ref()?)))
    }

    /// Its memory, in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.0.capacity().saturating_mul(size_of::<Option<T>>())
    }
}

impl TopicNumber {
    /// In the place of a topic where none has come yet.
    pub(crate) const NONE: Self = Self(u32::MAX);

    fn place(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Topics {
    /// The number of a topic in the message that `side` sends; `None` without room.
    #[inline]
    pub(crate) fn number(&mut self, side: Side, topic: Topic<'_>) -> Option<TopicNumber> {
        let current = *self.current(side);
        if self.topic(current) == Some(topic) {
            return Some(current);
        }
        let hash = self.hasher.hash_one(topic);
        let found = self.numbers.find(hash, |number| self.topic(*number) == Some(topic)).copied();
        let number = found.or_else(|| self.add(topic, hash))?;
        *self.current(side) = number;
        Some(number)
    }

    const fn current(&mut self, side: Side) -> &mut TopicNumber {
        match side {
            Side::Client => &mut self.current.client,
            Side::Broker => &mut self.current.broker,
        }
    }

    fn add(&mut self, topic: Topic<'_>, hash: u64) -> Option<TopicNumber> {
        let bytes = self.bytes.saturating_add(length(topic));
        if self.numbers.len() >= MOST || bytes > MOST_BYTES {
            return None;
        }
        let number = match self.free.pop() {
            Some(number) => number,
            None => TopicNumber(u32::try_from(self.known.len()).ok()?),
        };
        let own = Some(OwnTopic::from(&topic));
        match self.known.get_mut(number.place()) {
            Some(known) => *known = own,
            None => self.known.push(own),
        }
        self.bytes = bytes;
        let Self { known, hasher, .. } = self;
        self.numbers.insert_unique(hash, number, |number| {
            let own = known.get(number.place()).and_then(Option::as_ref);
            hasher.hash_one(own.map_or(Topic::Id([0; 16]), OwnTopic::as_topic))
        });
        Some(number)
    }

    /// The memory of all topics, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let known = self.known.capacity().saturating_mul(size_of::<Option<OwnTopic>>());
        self.bytes.saturating_add(known).saturating_add(self.numbers.allocation_size())
    }

    pub(crate) fn topic(&self, number: TopicNumber) -> Option<Topic<'_>> {
        self.known.get(number.place())?.as_ref().map(OwnTopic::as_topic)
    }

    /// The topics that a message names while it passes.
    pub(crate) fn passing(&self) -> TopicSet {
        let mut set = TopicSet::default();
        set.insert(self.current.client, ());
        set.insert(self.current.broker, ());
        set
    }

    /// Returns true if an eighth of all room is free.
    pub(crate) fn is_roomy(&self) -> bool {
        self.numbers.len() <= most_after(MOST) && self.bytes <= most_after(MOST_BYTES)
    }

    /// Forget the topics that are not in the set; nothing may hold their numbers.
    pub(crate) fn forget_others(&mut self, kept: &TopicSet) {
        let Self { known, free, numbers, bytes, .. } = self;
        numbers.retain(|number| {
            let is_kept = kept.has(*number);
            if !is_kept && let Some(own) = known.get_mut(number.place()).and_then(Option::take) {
                *bytes = bytes.saturating_sub(length(own.as_topic()));
                free.push(*number);
            }
            is_kept
        });
    }

    /// All topics but those which are next to be forgotten, enough to be roomy; never one of `held`.
    pub(crate) fn but_next(&mut self, held: &TopicSet) -> TopicSet {
        let (mut kept, mut count, mut bytes) = (TopicSet::default(), self.numbers.len(), self.bytes);
        let places = self.known.len();
        let first = self.hand.checked_rem(places).unwrap_or_default();
        for place in (first..places).chain(0..first) {
            let number = TopicNumber(u32::try_from(place).unwrap_or(u32::MAX));
            let Some(topic) = self.topic(number) else { continue };
            if held.has(number) || (count <= most_after(MOST) && bytes <= most_after(MOST_BYTES)) {
                kept.insert(number, ());
            } else {
                (count, bytes) = (count.saturating_sub(1), bytes.saturating_sub(length(topic)));
                self.hand = place.saturating_add(1);
            }
        }
        kept
    }
}

/// How much of this is taken when an eighth is free.
pub(super) const fn most_after(most: usize) -> usize {
    most.saturating_sub(most / 8)
}

const fn length(topic: Topic<'_>) -> usize {
    match topic {
        Topic::Name(name) => name.len(),
        Topic::Id(_) => 0,
    }
}
