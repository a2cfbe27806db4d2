//! How values are encoded.

use serde::Deserialize;

use super::json_text::is_json;

/// The type that a register has for a key's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Kind {
    /// Text in UTF-8.
    String,
    /// Anything.
    Bytes,
    /// Four bytes.
    Int32,
    /// Eight bytes.
    Int64,
    /// Sixteen bytes, or 36 characters with hyphens.
    Uuid,
    /// Eight bytes: milliseconds since 1970.
    Timestamp,
    /// A JSON text (RFC 8259) in UTF-8, nested 64 deep at most.
    Json,
}

/// Where a UUID's text has hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

impl Kind {
    /// Returns true if these bytes are of the type.
    #[must_use]
    pub fn has(self, value: &[u8]) -> bool {
        match self {
            Self::String => std::str::from_utf8(value).is_ok(),
            Self::Bytes => true,
            Self::Int32 => value.len() == 4,
            Self::Int64 | Self::Timestamp => value.len() == 8,
            Self::Uuid => value.len() == 16 || is_uuid_text(value),
            Self::Json => std::str::from_utf8(value).is_ok_and(is_json),
        }
    }
}

fn is_uuid_text(value: &[u8]) -> bool {
    let is_right = |(at, byte): (usize, &u8)| {
        if HYPHENS.contains(&at) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    value.len() == 36 && value.iter().enumerate().all(is_right)
}
