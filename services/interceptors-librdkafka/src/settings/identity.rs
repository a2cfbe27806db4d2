//! Says which identity keys are not reported as they are.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kwitness_observation::{HashKey, IdentityKey, IdentityKeys, IdentityPolicy};
use serde::Deserialize;

/// Keys that are dropped and hashed, and the file with the key of hashes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    #[serde(default)]
    drop: BTreeSet<Key>,
    #[serde(default)]
    hash: BTreeSet<Key>,
    key_file: Option<PathBuf>,
}

/// A key that interceptors know; of librdkafka the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "as the file spells them")]
enum Key {
    ClientId,
    GroupId,
    GroupInstanceId,
    TransactionalId,
}

impl Key {
    const fn key(self) -> IdentityKey {
        match self {
            Self::ClientId => IdentityKey::ClientId,
            Self::GroupId => IdentityKey::GroupId,
            Self::GroupInstanceId => IdentityKey::GroupInstanceId,
            Self::TransactionalId => IdentityKey::TransactionalId,
        }
    }
}

impl Identity {
    /// The field that is wrong, and why.
    pub(super) fn wrong(&self) -> Option<(&'static str, &'static str)> {
        if !self.drop.is_disjoint(&self.hash) {
            return Some(("identity.hash", "has a key of identity.drop; name each key once"));
        }
        let is_alone = self.hash.is_empty() != self.key_file.is_none();
        is_alone.then_some(("identity.key_file", "goes with identity.hash, and only with it"))
    }

    pub(super) fn policy(&self) -> IdentityPolicy {
        let keys = |keys: &BTreeSet<Key>| keys.iter().map(|key| key.key()).collect::<IdentityKeys>();
        let key = self.key_file.as_deref().and_then(HashKey::read);
        IdentityPolicy::new(keys(&self.drop), keys(&self.hash), key)
    }
}
