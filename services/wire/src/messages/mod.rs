//! Requests and responses one by one, as KIP-388 has observers see them: what they name, and what they say.
//!
//! Nothing of this is done unless it is wanted. What is looked into is read as it passes: no message is kept, and of
//! record batches only heads are read.

mod contents;
mod fields;
mod looking;
mod walking;

use std::sync::Arc;

use crate::aggregate::IdentityKeys;
use crate::schema::{Api, api};

pub use contents::{Contents, NamedPartition};
pub use fields::Fields;
pub(crate) use looking::Messages;

const OFFSET_COMMIT: i16 = 8;
const JOIN_GROUP: i16 = 11;
const CREATE_TOPICS: i16 = 19;
const DELETE_TOPICS: i16 = 20;
const ALTER_CONFIGS: i16 = 33;
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
    dropped: IdentityKeys,
}

impl Wishes {
    /// Tell messages, without their fields.
    #[must_use]
    pub const fn new(dropped: IdentityKeys) -> Self {
        Self { fields_of: Vec::new(), dropped }
    }

    /// Tell the fields of the API of this name, too; `None` where they are never told.
    #[must_use]
    pub fn with_fields_of(mut self, name: &str) -> Option<Self> {
        let key = LOOKED_INTO.into_iter().find(|key| api(*key).is_some_and(|api| api.name == name))?;
        self.fields_of.push(key);
        Some(self)
    }

    fn want_fields_of(&self, key: i16) -> bool {
        self.fields_of.contains(&key)
    }
}

/// As many connections share them.
pub type SharedWishes = Arc<Wishes>;

/// Whether messages of this API are looked into.
fn is_looked_into(key: i16) -> bool {
    LOOKED_INTO.contains(&key)
}
