//! Keeps, hashes or drops what is known of a client.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ring::hmac::{HMAC_SHA256, Key, sign};

use super::identity::{Change, Identity, IdentityKey, IdentityKeys, LONGEST_VALUE};
use super::json::text;

/// How many bytes a key has at least; a shorter one could be guessed.
pub const LEAST_KEY_BYTES: usize = 16;
/// The beginning of a hash.
const PREFIX: &str = "hash-";
/// How many hexadecimal digits follow.
const DIGITS: usize = 32;
/// How many characters of a value are hashed.
const MOST_CHARACTERS: usize = 32_767;
const FINGERPRINT_OF: &[u8] = b"fingerprint";

/// The key of an installation, by which a value has one hash in everything that the installation reports.
///
/// `contracts/vectors/identity_hashes.json` holds examples. Nothing that is printed has the key.
#[derive(Clone)]
pub struct HashKey {
    key: Key,
    fingerprint: [u8; 8],
}

impl HashKey {
    /// A key of these bytes, without the line ends after them; `None` where they are too few.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end =
            bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last.saturating_add(1));
        let bytes = bytes.get(..end).filter(|bytes| bytes.len() >= LEAST_KEY_BYTES)?;
        let key = Key::new(HMAC_SHA256, bytes);
        let mut fingerprint = [0; 8];
        fingerprint.iter_mut().zip(sign(&key, FINGERPRINT_OF).as_ref()).for_each(|(to, from)| *to = *from);
        Some(Self { key, fingerprint })
    }

    /// The key in a file; `None` where there is none.
    #[must_use]
    pub fn read(file: &Path) -> Option<Self> {
        Self::from_bytes(&std::fs::read(file).ok()?)
    }

    /// Returns what stands for a value: itself if it is a hash already.
    #[must_use]
    pub fn hash<'a>(&self, field: &str, value: &'a str) -> Cow<'a, str> {
        if is_hash(value) {
            return Cow::Borrowed(value);
        }
        let end = value.char_indices().nth(MOST_CHARACTERS).map_or(value.len(), |(end, _)| end);
        let hashed = value.get(..end).unwrap_or(value);
        let tag = sign(&self.key, &[field.as_bytes(), b"\0", hashed.as_bytes()].concat());
        let digits = tag.as_ref().iter().take(DIGITS / 2).flat_map(|byte| [byte >> 4, byte & 0xf]);
        let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
        Cow::Owned(PREFIX.chars().chain(digits).collect())
    }
}

impl PartialEq for HashKey {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Eq for HashKey {}

impl fmt::Debug for HashKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HashKey")
    }
}

fn is_hash(value: &str) -> bool {
    value.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Selects what is kept, hashed and dropped.
#[derive(Clone, Debug, Default)]
pub struct IdentityPolicy {
    dropped: IdentityKeys,
    hashed: IdentityKeys,
    key: Option<HashKey>,
}

impl IdentityPolicy {
    /// Drop and hash these keys of identities; without a key for hashes both are dropped.
    #[must_use]
    pub const fn new(dropped: IdentityKeys, hashed: IdentityKeys, key: Option<HashKey>) -> Self {
        Self { dropped, hashed, key }
    }

    /// Returns true if the key is not kept.
    #[inline]
    #[must_use]
    pub fn is_of(&self, key: IdentityKey) -> bool {
        self.dropped.contain(key) || self.hashed.contain(key)
    }

    /// Returns true if something is dropped that is to be hashed.
    #[must_use]
    pub fn lacks_key(&self) -> bool {
        self.key.is_none() && IdentityKey::ALL.into_iter().any(|key| self.hashed.contain(key))
    }

    /// Returns what is told in place of a value; `None` for nothing.
    #[inline]
    #[must_use]
    pub fn value<'a>(&self, key: IdentityKey, value: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        if self.is_of(key) { self.treated(key, value) } else { Some(Cow::Borrowed(value)) }
    }

    #[cold]
    fn treated<'a>(&self, key: IdentityKey, value: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        if self.dropped.contain(key) {
            return None;
        }
        let hash_key = self.key.as_ref()?;
        if value.is_empty() {
            return Some(Cow::Borrowed(value));
        }
        Some(Cow::Owned(hash_key.hash(key.name(), &text(value)).into_owned().into_bytes()))
    }

    /// Set what is told in place of a value, if anything is.
    #[inline]
    pub fn set(&self, identity: &mut Arc<Identity>, key: IdentityKey, value: &[u8]) -> Change {
        if !self.is_of(key) {
            return Identity::set(identity, key, value);
        }
        self.treated(key, value).map_or(Change::None, |value| Identity::set(identity, key, &value))
    }

    /// Treat what is known already. A value that may have been cut is dropped: its hash would be another's.
    pub fn apply(&self, identity: &mut Arc<Identity>) {
        Identity::forget(identity, self.dropped);
        for key in IdentityKey::ALL.into_iter().filter(|key| self.hashed.contain(*key)) {
            let Some(known) = identity.get(key) else { continue };
            let is_whole = known.len() < LONGEST_VALUE.saturating_sub(3);
            let hash = self.value(key, known).filter(|_| is_whole).map(Cow::into_owned);
            match hash {
                Some(hash) => _ = Identity::set(identity, key, &hash),
                None => Identity::forget(identity, [key].into_iter().collect()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"a key of sixteen";

    fn keys(keys: &[IdentityKey]) -> IdentityKeys {
        keys.iter().copied().collect()
    }

    #[test]
    fn hashes_are_those_of_the_vectors() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/identity_hashes.json");
        let vectors: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let examples = vectors["hashes"].as_array().unwrap();
        assert!(examples.len() > 5);
        for example in examples {
            let text = |name: &str| example[name].as_str().unwrap();
            let key = HashKey::from_bytes(text("key").as_bytes()).unwrap();
            assert_eq!(key.hash(text("field"), text("value")), text("hash"), "{example}");
        }
        let stays = vectors["stays"].as_array().unwrap();
        assert!(!stays.is_empty());
        for value in stays {
            let value = value.as_str().unwrap();
            assert_eq!(HashKey::from_bytes(KEY).unwrap().hash("client_id", value), value);
        }
    }

    #[test]
    fn a_key_is_long_enough_and_ends_before_its_line() {
        assert_eq!(HashKey::from_bytes(b"fifteen letters\n"), None);
        assert_eq!(HashKey::from_bytes(&[KEY, b"\r\n"].concat()), HashKey::from_bytes(KEY));
        assert_ne!(HashKey::from_bytes(b"another key of 16"), HashKey::from_bytes(KEY));
        assert_eq!(format!("{:?}", HashKey::from_bytes(KEY)), "Some(HashKey)");
    }

    #[test]
    fn each_key_is_kept_hashed_or_dropped() {
        let policy = IdentityPolicy::new(
            keys(&[IdentityKey::Principal]),
            keys(&[IdentityKey::ClientId]),
            HashKey::from_bytes(KEY),
        );

        assert_eq!(policy.value(IdentityKey::Principal, b"User:alice"), None);
        let hash = policy.value(IdentityKey::ClientId, b"orders").unwrap();
        assert_eq!(*hash, *b"hash-bc4633c8d5c8698b449eb2d282f52db2");
        assert_eq!(policy.value(IdentityKey::ClientId, &hash), Some(hash.clone()), "a hash stays");
        assert_eq!(policy.value(IdentityKey::GroupId, b"orders"), Some(Cow::Borrowed(b"orders".as_slice())));
        assert!(!policy.lacks_key());
    }

    #[test]
    fn without_a_key_what_is_to_be_hashed_is_dropped() {
        let policy = IdentityPolicy::new(IdentityKeys::default(), keys(&[IdentityKey::ClientId]), None);
        let mut identity = Arc::new(Identity::default().with(IdentityKey::ClientId, b"orders"));

        policy.apply(&mut identity);

        assert_eq!(policy.value(IdentityKey::ClientId, b"orders"), None);
        assert_eq!(*identity, Identity::default());
        assert!(policy.lacks_key() && !IdentityPolicy::default().lacks_key());
    }

    #[test]
    fn what_is_known_is_hashed_once_and_dropped_where_it_may_have_been_cut() {
        let policy = IdentityPolicy::new(
            IdentityKeys::default(),
            keys(&[IdentityKey::ClientId, IdentityKey::GroupId]),
            HashKey::from_bytes(KEY),
        );
        let known = Identity::default()
            .with(IdentityKey::ClientId, b"orders")
            .with(IdentityKey::GroupId, &[b'x'; LONGEST_VALUE])
            .with(IdentityKey::Principal, b"User:alice");
        let mut identity = Arc::new(known);

        policy.apply(&mut identity);
        let once = identity.clone();
        policy.apply(&mut identity);

        let expected = Identity::default()
            .with(IdentityKey::ClientId, b"hash-bc4633c8d5c8698b449eb2d282f52db2")
            .with(IdentityKey::Principal, b"User:alice");
        assert_eq!((&*once, &*identity), (&expected, &expected));
    }
}
