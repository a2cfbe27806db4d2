//! Who a client is, as far as its connection told.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The identity keys that a connection knows; the cluster's id is its source's, and the collector knows the pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the contracts say what each is")]
pub enum IdentityKey {
    BrokerId,
    Listener,
    Principal,
    ClientId,
    ClientInstanceId,
    ClientSoftwareName,
    ClientSoftwareVersion,
    ClientAddress,
    ClientSourcePort,
    ClientRack,
    GroupId,
    GroupInstanceId,
    GroupMemberId,
    TransactionalId,
}

impl IdentityKey {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 14] = [
        Self::BrokerId,
        Self::Listener,
        Self::Principal,
        Self::ClientId,
        Self::ClientInstanceId,
        Self::ClientSoftwareName,
        Self::ClientSoftwareVersion,
        Self::ClientAddress,
        Self::ClientSourcePort,
        Self::ClientRack,
        Self::GroupId,
        Self::GroupInstanceId,
        Self::GroupMemberId,
        Self::TransactionalId,
    ];

    /// As every signal spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BrokerId => "broker_id",
            Self::Listener => "listener",
            Self::Principal => "principal",
            Self::ClientId => "client_id",
            Self::ClientInstanceId => "client_instance_id",
            Self::ClientSoftwareName => "client_software_name",
            Self::ClientSoftwareVersion => "client_software_version",
            Self::ClientAddress => "client_address",
            Self::ClientSourcePort => "client_source_port",
            Self::ClientRack => "client_rack",
            Self::GroupId => "group_id",
            Self::GroupInstanceId => "group_instance_id",
            Self::GroupMemberId => "group_member_id",
            Self::TransactionalId => "transactional_id",
        }
    }
}

/// A name that is no identity key of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey(pub String);

impl fmt::Display for UnknownKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} is no identity key that a connection knows", self.0)
    }
}

impl std::error::Error for UnknownKey {}

impl FromStr for IdentityKey {
    type Err = UnknownKey;

    fn from_str(name: &str) -> Result<Self, UnknownKey> {
        Self::ALL.into_iter().find(|key| key.name() == name).ok_or_else(|| UnknownKey(name.into()))
    }
}

/// Some identity keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdentityKeys([bool; IdentityKey::ALL.len()]);

impl IdentityKeys {
    /// Returns true if the key is among them.
    #[inline]
    #[must_use]
    pub fn contain(&self, key: IdentityKey) -> bool {
        self.0.get(key as usize).is_some_and(|is| *is)
    }
}

impl FromIterator<IdentityKey> for IdentityKeys {
    fn from_iter<T: IntoIterator<Item = IdentityKey>>(keys: T) -> Self {
        let mut all = Self::default();
        for key in keys {
            if let Some(is) = all.0.get_mut(key as usize) {
                *is = true;
            }
        }
        all
    }
}

/// How many bytes of a value are kept; Kafka itself sets no bound to most.
pub const LONGEST_VALUE: usize = 256;

/// What is known of one client. Values need not be UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity([Option<Box<[u8]>>; IdentityKey::ALL.len()]);

/// What became of an identity by another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The value is known already.
    None,
    /// Nothing was known in its place.
    Grown,
    /// Something else was known in its place.
    Replaced,
}

impl Identity {
    /// This identity with another value; an empty one is as good as none. Of a long one the first [`LONGEST_VALUE`]
    /// bytes are kept, or up to three fewer, so that no character is divided.
    #[must_use]
    pub fn with(mut self, key: IdentityKey, value: &[u8]) -> Self {
        let value = kept(value);
        if let Some(place) = self.0.get_mut(key as usize).filter(|_| !value.is_empty()) {
            *place = Some(value.into());
        }
        self
    }

    /// The value, if it is known.
    #[must_use]
    pub fn get(&self, key: IdentityKey) -> Option<&[u8]> {
        self.0.get(key as usize)?.as_deref()
    }

    /// What is known, in the order of the keys.
    pub fn known(&self) -> impl Iterator<Item = (IdentityKey, &[u8])> {
        IdentityKey::ALL.into_iter().filter_map(|key| Some((key, self.get(key)?)))
    }

    /// A number that is the same for the same identity, wherever and whenever it is made (64-bit FNV-1a).
    #[must_use]
    pub fn stable_hash(&self) -> u64 {
        let fields = self.known().map(|(key, value)| [key.name().as_bytes(), b"=", value, b"\0"]);
        fields
            .flatten()
            .flatten()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Set a value; only what is new is copied.
    pub fn set(this: &mut Arc<Self>, key: IdentityKey, value: &[u8]) -> Change {
        let value = kept(value);
        let known = this.get(key);
        if value.is_empty() || known == Some(value) {
            return Change::None;
        }
        let change = if known.is_none() { Change::Grown } else { Change::Replaced };
        if let Some(place) = Arc::make_mut(this).0.get_mut(key as usize) {
            *place = Some(value.into());
        }
        change
    }

    /// Whether anything is known of these keys.
    fn knows(&self, keys: IdentityKeys) -> bool {
        self.known().any(|(key, _)| keys.contain(key))
    }

    /// Forget what is known of these keys.
    pub fn forget(this: &mut Arc<Self>, keys: IdentityKeys) {
        if this.knows(keys) {
            for (value, is) in Arc::make_mut(this).0.iter_mut().zip(keys.0) {
                *value = value.take().filter(|_| !is);
            }
        }
    }
}

/// A value as it is kept: of a long one the first [`LONGEST_VALUE`] bytes, or up to three fewer.
#[must_use]
pub fn kept(value: &[u8]) -> &[u8] {
    let Some((start, _)) = value.split_at_checked(LONGEST_VALUE).filter(|(_, rest)| !rest.is_empty()) else {
        return value;
    };
    let is_inside = |place: usize| value.get(place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let cut = (LONGEST_VALUE.saturating_sub(3)..=LONGEST_VALUE).rev().find(|place| !is_inside(*place));
    cut.and_then(|cut| start.get(..cut)).unwrap_or(start)
}

/// The id of a client's instance as Kafka prints it.
#[must_use]
pub fn instance_id(value: &[u8]) -> Option<String> {
    <[u8; 16]>::try_from(value).ok().map(uuid)
}

/// An id as Kafka prints it: base64 for URLs, without padding.
#[must_use]
pub fn uuid(id: [u8; 16]) -> String {
    URL_SAFE_NO_PAD.encode(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(id: &str) -> Identity {
        Identity::default().with(IdentityKey::ClientId, id.as_bytes())
    }

    #[test]
    fn keys_are_known_by_their_names() {
        for key in IdentityKey::ALL {
            assert_eq!(key.name().parse(), Ok(key));
        }
        assert_eq!("k8s_pod".parse::<IdentityKey>(), Err(UnknownKey("k8s_pod".into())));
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let long = format!("{}é{}", "a".repeat(LONGEST_VALUE - 1), "b".repeat(9));
        let exact = "a".repeat(LONGEST_VALUE);

        assert_eq!(client(&long).get(IdentityKey::ClientId), Some("a".repeat(LONGEST_VALUE - 1).as_bytes()));
        assert_eq!(client(&exact).get(IdentityKey::ClientId), Some(exact.as_bytes()));
        assert_eq!(kept(&[0x80; 999]).len(), LONGEST_VALUE);
    }

    #[test]
    fn an_empty_value_is_unknown() {
        assert_eq!(client(""), Identity::default());
    }

    #[test]
    fn what_is_dropped_is_forgotten() {
        let whole = client("a").with(IdentityKey::Principal, b"User:alice");
        let mut identity = Arc::new(whole);

        Identity::forget(&mut identity, [IdentityKey::Principal].into_iter().collect());

        assert_eq!(*identity, client("a"));
    }

    #[test]
    fn the_hash_tells_fields_apart() {
        let hashes = [client("a"), client("b"), Identity::default().with(IdentityKey::GroupId, b"a")];
        let hashes: std::collections::BTreeSet<u64> = hashes.iter().map(Identity::stable_hash).collect();

        assert_eq!(hashes.len(), 3);
        assert_eq!(Identity::default().stable_hash(), 0xcbf2_9ce4_8422_2325);
    }
}
