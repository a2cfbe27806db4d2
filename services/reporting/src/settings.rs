//! The settings file of a source: read strictly, and what all of them say of the collector.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use ring::digest;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

const HASH_BYTES: usize = 8;

/// The collector that a source reports to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collector {
    /// With `{ordinal}` in the place of the replica's number.
    pub url: String,
    /// How many replicas it has.
    pub replicas: u32,
    /// CA certificates that are trusted, PEM; without it those of the system.
    pub ca_file: Option<PathBuf>,
    /// The token by which it knows the pod.
    pub token_file: PathBuf,
}

/// A settings file that is not used: the field that is wrong, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The path of the field, as `listener.brokers.0`.
    pub field: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}", self.field, self.reason)
    }
}

/// Read the bytes of a settings file.
///
/// # Errors
/// The field that is wrong, and why.
pub fn read_settings<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let settings = serde_path_to_error::deserialize(&mut from)
        .map_err(|error| Refused { field: error.path().to_string(), reason: error.inner().to_string() })?;
    from.end().map_err(|error| Refused { field: ".".to_owned(), reason: error.to_string() })?;
    Ok(settings)
}

/// The hash by which the collector knows the file: 16 hexadecimal digits of SHA-256 over its bytes.
#[must_use]
pub fn settings_hash(bytes: &[u8]) -> String {
    let digest = digest::digest(&digest::SHA256, bytes);
    digest.as_ref().iter().take(HASH_BYTES).fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Read a member that may be null and may not be left out.
///
/// # Errors
/// It is of another type.
pub fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}
