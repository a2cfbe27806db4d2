//! The registers of a profile in one, and how a header is judged by them.

use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Deserialize;

use super::compact_set::SET_HEADER;
use super::kinds::Kind;
use super::policy::{Policy, Verdict};
use super::problems::{Problem, Problems};
use super::registered::Registered;
use super::required::Required;
use super::written::Written;

/// Keys that begin so are kwitness' own: they count as registered, where no register says more of them.
const OWN: &[u8] = b"kwitness.";

/// Of a key of ours.
const OF_OWN: Registered = Registered {
    kind: Kind::Bytes,
    secret: false,
    policy: Policy::Report,
    max_bytes: None,
    deprecated: false,
    testing_id: false,
    required: None,
};

/// `HeaderRules`: without any, every key is unregistered. Of two entries with the same name the first counts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Rules {
    keys: HashMap<Box<[u8]>, Registered>,
    /// Of keys, by number.
    names: HashMap<u32, Box<[u8]>>,
    prefixes: HashMap<Box<[u8]>, Registered>,
    /// Of prefixes, in bytes, the longest first; each length once.
    lengths: Vec<usize>,
    required: Vec<Box<[u8]>>,
    unregistered: Policy,
    values_of: Vec<Box<[u8]>>,
}

impl Rules {
    /// Judge a header; `value` is `None` where it is null, which is of any type and has no size.
    #[must_use]
    pub fn judge(&self, name: &[u8], value: Option<&[u8]>) -> Verdict {
        let Some(registered) = self.find(name) else { return self.unregistered() };
        let is_larger = |most| value.is_some_and(|value| value.len() > most);
        let problems = Problems::of([
            (Problem::WrongType, value.is_some_and(|value| !registered.kind.has(value))),
            (Problem::TooLarge, registered.max_bytes.is_some_and(is_larger)),
            (Problem::Deprecated, registered.deprecated),
            (Problem::TestingId, registered.testing_id),
        ]);
        let Registered { policy, secret, required, .. } = *registered;
        Verdict { problems, policy, registered: true, secret, required }
    }

    /// Follows which of the required keys a record has.
    #[must_use]
    pub fn required(&self) -> Required<'_> {
        Required::new(&self.required)
    }

    /// Whether values of this key are counted: never those of a secret one, or of one that nobody has registered.
    #[must_use]
    pub fn counts_values(&self, name: &[u8], verdict: &Verdict) -> bool {
        verdict.registered && !verdict.secret && self.values_of.iter().any(|one| **one == *name)
    }

    /// The result for a header that no register has.
    pub(super) fn unregistered(&self) -> Verdict {
        let problems = Problems::of([(Problem::Unregistered, true)]);
        Verdict { problems, policy: self.unregistered, registered: false, secret: false, required: None }
    }

    /// Returns true if any key has a number.
    pub(super) fn has_numbers(&self) -> bool {
        !self.names.is_empty()
    }

    /// The key with this number.
    pub(super) fn name_of(&self, number: u32) -> Option<&[u8]> {
        self.names.get(&number).map(|name| &**name)
    }

    /// The key's own entry, else that of the longest prefix.
    fn find(&self, name: &[u8]) -> Option<&Registered> {
        self.keys.get(name).or_else(|| {
            let mut beginnings = self.lengths.iter().filter_map(|length| name.get(..*length));
            beginnings.find_map(|beginning| self.prefixes.get(beginning))
        })
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::of(&Written::default())
    }
}

impl TryFrom<Written> for Rules {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        written.judge().map(|()| Self::of(&written))
    }
}

impl Rules {
    fn of(written: &Written) -> Self {
        let (mut keys, mut required) = (HashMap::<Box<[u8]>, _>::new(), Vec::<Box<[u8]>>::new());
        let mut names = HashMap::<u32, Box<[u8]>>::new();
        for key in &written.keys {
            let name: Box<[u8]> = key.name.as_bytes().into();
            if keys.contains_key(&name) {
                continue;
            }
            let number = key.required.then_some(required.len());
            required.extend(number.map(|_| name.clone()));
            if let Some(id) = key.id {
                names.entry(id).or_insert_with(|| name.clone());
            }
            keys.insert(name, key.registered(number));
        }
        let mut prefixes = HashMap::<Box<[u8]>, _>::new();
        for prefix in &written.prefixes {
            prefixes.entry(prefix.prefix.as_bytes().into()).or_insert_with(|| prefix.registered());
        }
        let names_set = |prefix: &[u8]| prefix.len() >= OWN.len() && SET_HEADER.starts_with(prefix);
        if !names.is_empty() && !prefixes.keys().any(|prefix| names_set(prefix)) {
            // What cannot be read may be anything.
            keys.entry(SET_HEADER.into()).or_insert(Registered { policy: written.unregistered, ..OF_OWN });
        }
        prefixes.entry(OWN.into()).or_insert(OF_OWN);
        let mut lengths: Vec<_> = prefixes.keys().map(|prefix| prefix.len()).collect();
        lengths.sort_unstable_by_key(|length| Reverse(*length));
        lengths.dedup();
        let values_of = written.values_of.iter().map(|name| name.as_bytes().into()).collect();
        Self { keys, names, prefixes, lengths, required, unregistered: written.unregistered, values_of }
    }
}
