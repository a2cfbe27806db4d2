//! Names a topic as messages do: by its name or its id.

use std::hash::{Hash, Hasher};

use hashbrown::Equivalent;

/// The longest name that Kafka allows.
pub const LONGEST_NAME: usize = 249;

/// A topic as a message names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic<'a> {
    /// By its name, which need not be UTF-8.
    Name(&'a [u8]),
    /// By its id (KIP-516).
    Id([u8; 16]),
}

/// A topic that owns what names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnTopic {
    /// By its name, which need not be UTF-8.
    Name(Box<[u8]>),
    /// By its id (KIP-516).
    Id([u8; 16]),
}

impl OwnTopic {
    /// The topic, borrowed.
    #[must_use]
    pub fn as_topic(&self) -> Topic<'_> {
        match self {
            Self::Name(name) => Topic::Name(name),
            Self::Id(id) => Topic::Id(*id),
        }
    }
}

impl From<&Topic<'_>> for OwnTopic {
    fn from(topic: &Topic<'_>) -> Self {
        match topic {
            Topic::Name(name) => Self::Name((*name).into()),
            Topic::Id(id) => Self::Id(*id),
        }
    }
}

impl Hash for OwnTopic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_topic().hash(state);
    }
}

impl Equivalent<OwnTopic> for Topic<'_> {
    fn equivalent(&self, own: &OwnTopic) -> bool {
        *self == own.as_topic()
    }
}
