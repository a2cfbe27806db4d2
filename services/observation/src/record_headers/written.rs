//! Rules as settings files have them (`HeaderRules` in `contracts/`), read strictly.

use serde::Deserialize;

use super::kinds::Kind;
use super::policy::Policy;
use super::registered::Registered;

const MOST_KEYS: usize = 4_096;
const MOST_PREFIXES: usize = 1_024;
const MOST_VALUES_OF: usize = 16;
/// In characters.
const LONGEST_TEXT: usize = 128;
const LARGEST_VALUE: usize = 1_048_576;
const LARGEST_ID: u32 = 2_147_483_647;

/// The whole of it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default)]
    pub(super) keys: Vec<WrittenKey>,
    #[serde(default)]
    pub(super) prefixes: Vec<WrittenPrefix>,
    #[serde(default)]
    pub(super) unregistered: Policy,
    #[serde(default)]
    pub(super) values_of: Vec<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
enum Sensitivity {
    Public,
    #[default]
    Internal,
    Secret,
}

/// `HeaderRules.keys`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenKey {
    pub(super) name: String,
    r#type: Kind,
    #[serde(default)]
    sensitivity: Sensitivity,
    #[serde(default)]
    policy: Policy,
    max_bytes: Option<usize>,
    #[serde(default)]
    deprecated: bool,
    pub(super) id: Option<u32>,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    testing_id: bool,
}

/// `HeaderRules.prefixes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenPrefix {
    pub(super) prefix: String,
    r#type: Kind,
    #[serde(default)]
    sensitivity: Sensitivity,
    #[serde(default)]
    policy: Policy,
    max_bytes: Option<usize>,
    #[serde(default)]
    deprecated: bool,
}

impl Written {
    /// # Errors
    /// What is too many, too long or too large.
    pub(super) fn judge(&self) -> Result<(), String> {
        for (list, length, most) in [
            ("keys", self.keys.len(), MOST_KEYS),
            ("prefixes", self.prefixes.len(), MOST_PREFIXES),
            ("values_of", self.values_of.len(), MOST_VALUES_OF),
        ] {
            if length > most {
                return Err(format!("{list} are more than {most}"));
            }
        }
        let texts = self.keys.iter().map(|key| &key.name).chain(self.prefixes.iter().map(|one| &one.prefix));
        if let Some(wrong) = texts.chain(&self.values_of).find(|text| !is_text(text)) {
            return Err(format!("{wrong:?} has not 1 to {LONGEST_TEXT} characters"));
        }
        let mut sizes = self.keys.iter().map(|key| key.max_bytes).chain(self.prefixes.iter().map(|one| one.max_bytes));
        if let Some(wrong) = sizes.find_map(|size| size.filter(|size| !(1..=LARGEST_VALUE).contains(size))) {
            return Err(format!("max_bytes {wrong} is not from 1 to {LARGEST_VALUE}"));
        }
        match self.keys.iter().find_map(|key| key.id.filter(|id| *id > LARGEST_ID)) {
            Some(wrong) => Err(format!("id {wrong} is above {LARGEST_ID}")),
            None => Ok(()),
        }
    }
}

impl WrittenKey {
    /// What counts of it; `required` is its number among the required ones.
    pub(super) fn registered(&self, required: Option<usize>) -> Registered {
        Registered {
            kind: self.r#type,
            secret: self.sensitivity == Sensitivity::Secret,
            policy: self.policy,
            max_bytes: self.max_bytes,
            deprecated: self.deprecated,
            testing_id: self.testing_id,
            required,
        }
    }
}

impl WrittenPrefix {
    /// What counts of it.
    pub(super) fn registered(&self) -> Registered {
        Registered {
            kind: self.r#type,
            secret: self.sensitivity == Sensitivity::Secret,
            policy: self.policy,
            max_bytes: self.max_bytes,
            deprecated: self.deprecated,
            testing_id: false,
            required: None,
        }
    }
}

fn is_text(text: &str) -> bool {
    (1..=LONGEST_TEXT).contains(&text.chars().count())
}
