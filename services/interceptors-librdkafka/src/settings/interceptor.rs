//! Holds one of a profile's interceptors.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::texts::{is_class, is_header, is_label};

/// One of a profile's interceptors, by the name that the profile has for it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(crate) enum Interceptor {
    Audit {
        name: String,
    },
    Latency {
        name: String,
    },
    Sizes {
        name: String,
    },
    Cardinality {
        name: String,
        #[serde(default = "default_keys_window_ms")]
        window_ms: u64,
    },
    Stats {
        name: String,
    },
    /// A class of the application's image: Python's and Java's interceptors know what to do with it.
    Custom {
        name: String,
        class_name: String,
        #[serde(default)]
        settings: BTreeMap<String, String>,
    },
    Headers {
        name: String,
    },
    Stamp {
        name: String,
        stamps: Vec<Stamp>,
    },
    /// Python's and Java's, as is the next.
    Tracing {
        name: String,
        header: Option<String>,
    },
    Checksum {
        name: String,
        #[serde(default = "default_checksum_header")]
        header: String,
    },
}

/// A header that records get.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    pub(crate) key: String,
    pub(crate) from: StampFrom,
    /// The text of a `Value`, or the name of an `Attribute`.
    pub(crate) value: Option<String>,
}

/// What a stamp says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum StampFrom {
    ClientId,
    ClusterId,
    Pod,
    Namespace,
    Workload,
    UniqueId,
    Value,
    Attribute,
}

impl Interceptor {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Audit { name }
            | Self::Latency { name }
            | Self::Sizes { name }
            | Self::Cardinality { name, .. }
            | Self::Stats { name }
            | Self::Custom { name, .. }
            | Self::Headers { name }
            | Self::Stamp { name, .. }
            | Self::Tracing { name, .. }
            | Self::Checksum { name, .. } => name,
        }
    }
}

impl Interceptor {
    pub(super) fn is_right(&self) -> bool {
        let is_right = match self {
            Self::Custom { class_name, settings, .. } => {
                (3..=255).contains(&class_name.len())
                    && is_class(class_name)
                    && settings.len() <= 64
                    && settings.iter().all(|(name, text)| (1..=128).contains(&name.len()) && text.len() <= 1_024)
            }
            Self::Stamp { stamps, .. } => {
                let mut keys = BTreeSet::new();
                (1..=32).contains(&stamps.len()) && stamps.iter().all(|one| one.is_right() && keys.insert(&one.key))
            }
            Self::Tracing { header, .. } => header.as_deref().is_none_or(is_header),
            Self::Checksum { header, .. } => is_header(header),
            _ => true,
        };
        is_right && is_label(self.name(), 63, b"-")
    }
}

impl Stamp {
    fn is_right(&self) -> bool {
        let needs_value = matches!(self.from, StampFrom::Value | StampFrom::Attribute);
        let has_length = |text: &String| (1..=1_024).contains(&text.chars().count());
        is_header(&self.key) && self.value.is_some() == needs_value && self.value.iter().all(has_length)
    }
}

fn default_checksum_header() -> String {
    "kwitness.checksum".to_owned()
}

pub(super) const fn default_keys_window_ms() -> u64 {
    60_000
}
