//! The topics that a connection named, each by a number of its own.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher as _;

use super::units::Stop;
use crate::event::{Topic, Unread};

const MOST: usize = 10_000;
/// Of all names together.
const MOST_BYTES: usize = 1 << 20;

/// A topic of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TopicNumber(u32);

#[derive(Debug)]
enum Known {
    Name(Box<[u8]>),
    Id([u8; 16]),
}

impl Known {
    fn topic(&self) -> Topic<'_> {
        match self {
            Self::Name(name) => Topic::Name(name),
            Self::Id(id) => Topic::Id(*id),
        }
    }
}

/// Numbers for topics, which are never given back: a connection names few.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    known: Vec<Known>,
    numbers: HashTable<TopicNumber>,
    hasher: DefaultHashBuilder,
    bytes: usize,
    last: TopicNumber,
}

impl TopicNumber {
    /// In the place of a topic where none has come yet.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

impl Topics {
    /// The topic's number.
    pub(crate) fn number(&mut self, topic: Topic<'_>) -> Result<TopicNumber, Stop> {
        if self.topic(self.last) == Some(topic) {
            return Ok(self.last);
        }
        let hash = self.hasher.hash_one(topic);
        let found = self.numbers.find(hash, |number| self.topic(*number) == Some(topic)).copied();
        self.last = match found {
            Some(number) => number,
            None => self.add(topic, hash)?,
        };
        Ok(self.last)
    }

    fn add(&mut self, topic: Topic<'_>, hash: u64) -> Result<TopicNumber, Stop> {
        let name = if let Topic::Name(name) = topic { name } else { &[] };
        let bytes = self.bytes.saturating_add(name.len());
        let number = u32::try_from(self.known.len()).ok().filter(|_| self.known.len() < MOST && bytes <= MOST_BYTES);
        let number = TopicNumber(number.ok_or(Stop::Unread(Unread::TooMany))?);
        self.bytes = bytes;
        self.known.push(match topic {
            Topic::Name(name) => Known::Name(name.into()),
            Topic::Id(id) => Known::Id(id),
        });
        let Self { known, hasher, .. } = self;
        self.numbers.insert_unique(hash, number, |number| {
            let place = usize::try_from(number.0).unwrap_or(usize::MAX);
            hasher.hash_one(known.get(place).map_or(Topic::Id([0; 16]), Known::topic))
        });
        Ok(number)
    }

    pub(crate) fn topic(&self, number: TopicNumber) -> Option<Topic<'_>> {
        self.known.get(usize::try_from(number.0).ok()?).map(Known::topic)
    }
}
