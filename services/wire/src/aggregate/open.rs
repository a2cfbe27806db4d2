//! Connections that are open now, by software (KIP-511).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::Serializer;

use super::identity::{Identity, IdentityKey};
use super::json::text;
use super::tally::grow;

const KEYS: [IdentityKey; 3] =
    [IdentityKey::Listener, IdentityKey::ClientSoftwareName, IdentityKey::ClientSoftwareVersion];

/// What stands for software that did not tell its name, as in brokers' own gauge.
const UNKNOWN: &[u8] = b"unknown";

/// Open connections by listener and software.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenConnections(BTreeMap<[Box<[u8]>; 3], u64>);

impl OpenConnections {
    /// Whether connections are counted by this key.
    pub(crate) fn are_by(key: IdentityKey) -> bool {
        KEYS.contains(&key)
    }

    pub(crate) fn enter(&mut self, identity: &Identity) {
        grow(self.0.entry(place(identity)).or_default(), 1);
    }

    pub(crate) fn leave(&mut self, identity: &Identity) {
        let place = place(identity);
        match self.0.get_mut(&place) {
            Some(count) if *count > 1 => *count = count.saturating_sub(1),
            _ => _ = self.0.remove(&place),
        }
    }

    /// Add those of another recorder.
    pub fn merge(&mut self, other: &Self) {
        for (place, count) in &other.0 {
            grow(self.0.entry(place.clone()).or_default(), *count);
        }
    }
}

fn place(identity: &Identity) -> [Box<[u8]>; 3] {
    KEYS.map(|key| identity.get(key).unwrap_or(UNKNOWN).into())
}

/// A list of counts, as the contracts have it; none of them is zero.
impl Serialize for OpenConnections {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ConnectionCount<'a> {
            listener: Cow<'a, str>,
            client_software_name: Cow<'a, str>,
            client_software_version: Cow<'a, str>,
            connections: u64,
        }
        serializer.collect_seq(self.0.iter().map(|([listener, name, version], connections)| ConnectionCount {
            listener: text(listener),
            client_software_name: text(name),
            client_software_version: text(version),
            connections: *connections,
        }))
    }
}
