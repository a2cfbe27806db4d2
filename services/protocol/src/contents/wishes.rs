//! Says which messages are read for what they say.

use std::sync::Arc;

use super::listed::{ALTER_CONFIGS, CREATE_TOPICS, DELETE_TOPICS, is_administrative};
use crate::identity_field::IdentityFields;
use crate::schema::{Api, api};

const OFFSET_COMMIT: i16 = 8;
const JOIN_GROUP: i16 = 11;
const CONSUMER_GROUP_HEARTBEAT: i16 = 68;

/// The APIs whose fields are told where that is wished. None of them carries a client's secret.
const WISHED: [i16; 10] = [
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

/// Selects what is null where administrative requests name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Users and other principals.
    pub principals: bool,
    /// Client ids.
    pub client_ids: bool,
    /// Addresses of clients.
    pub addresses: bool,
}

/// Selects what is reported of messages. Listed fields of administrative requests are, without a wish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The keys of APIs whose fields are told.
    fields_of: Vec<i16>,
    /// What of clients is not told in fields.
    pub(super) dropped: IdentityFields,
    pub(super) hidden: Hidden,
}

impl Wishes {
    /// Tell messages, without their fields.
    #[must_use]
    pub const fn new(dropped: IdentityFields, hidden: Hidden) -> Self {
        Self { fields_of: Vec::new(), dropped, hidden }
    }

    /// Tell the fields of the API of this name, too; `None` where they are never told.
    #[must_use]
    pub fn with_fields_of(mut self, name: &str) -> Option<Self> {
        let key = WISHED.into_iter().find(|key| api(*key).is_some_and(|api| api.name == name))?;
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
    WISHED.contains(&key) || is_administrative(key)
}
