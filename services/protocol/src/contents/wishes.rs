//! Says which messages are read for what they say.

use std::sync::Arc;

use crate::identity_field::IdentityFields;
use crate::schema::{Api, api};

const OFFSET_COMMIT: i16 = 8;
const JOIN_GROUP: i16 = 11;
const CREATE_TOPICS: i16 = 19;
const DELETE_TOPICS: i16 = 20;
pub(super) const ALTER_CONFIGS: i16 = 33;
const CONSUMER_GROUP_HEARTBEAT: i16 = 68;

/// The APIs that are looked into. None of them carries a client's secret.
const LOOKED_INTO: [i16; 10] = [
    Api::PRODUCE,
    Api::FETCH,
    Api::METADATA,
    OFFSET_COMMIT,
    JOIN_GROUP,
    CREATE_TOPICS,
    DELETE_TOPICS,
    ALTER_CONFIGS,
    CONSUMER_GROUP_HEARTBEAT,
    Api::SHARE_FETCH,
];

/// What is told of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The keys of APIs whose fields are told.
    fields_of: Vec<i16>,
    /// What of clients is not told in fields.
    pub(super) dropped: IdentityFields,
}

impl Wishes {
    /// Tell messages, without their fields.
    #[must_use]
    pub const fn new(dropped: IdentityFields) -> Self {
        Self { fields_of: Vec::new(), dropped }
    }

    /// Tell the fields of the API of this name, too; `None` where they are never told.
    #[must_use]
    pub fn with_fields_of(mut self, name: &str) -> Option<Self> {
        let key = LOOKED_INTO.into_iter().find(|key| api(*key).is_some_and(|api| api.name == name))?;
        self.fields_of.push(key);
        Some(self)
    }

    pub(super) fn want_fields_of(&self, key: i16) -> bool {
        self.fields_of.contains(&key)
    }
}

/// As many connections share them.
pub type SharedWishes = Arc<Wishes>;

/// Whether messages of this API are looked into.
pub(crate) fn is_looked_into(key: i16) -> bool {
    LOOKED_INTO.contains(&key)
}
