//! Headers of records (KIP-82): what registers say of them, how one is judged, and what is counted of those of a key.
//!
//! `contracts/vectors/header_rules.json` and `header_types.json` hold what Python, Java and Rust judge alike.

mod compact_set;
mod json_text;
mod kinds;
mod policy;
mod problems;
mod registered;
mod required;
mod rules;
mod set_keys;
mod tally;
mod written;

use std::borrow::Cow;

pub use compact_set::{MOST_SET_KEYS, SET_HEADER, SetEntries};
pub use kinds::Kind;
pub use policy::{Policy, Verdict};
pub use problems::{Problem, Problems};
pub use required::Required;
pub use rules::Rules;
pub use set_keys::{EvaluatedSet, SetKey};
pub use tally::{HeaderTally, LONGEST_VALUE, MOST_VALUES};

/// In characters.
const LONGEST_KEY: usize = 128;

/// What a key is called in rows: its first 128 characters.
#[must_use]
pub fn key_text(name: &[u8]) -> Cow<'_, str> {
    if name.len() <= LONGEST_KEY {
        return String::from_utf8_lossy(name);
    }
    // A character has four bytes at most; what is cut off within one is beyond the 128.
    let first = name.get(..LONGEST_KEY.saturating_mul(4)).unwrap_or(name);
    String::from_utf8_lossy(first).chars().take(LONGEST_KEY).collect()
}

#[cfg(test)]
mod tests {
    use super::key_text;

    #[test]
    fn a_key_has_its_first_128_characters_in_rows() {
        assert_eq!(key_text(b"trace \xff"), "trace \u{fffd}");
        assert_eq!(key_text("ä".repeat(1_000).as_bytes()), "ä".repeat(128));
        assert_eq!(key_text("\u{1f600}".repeat(129).as_bytes()), "\u{1f600}".repeat(128));
    }
}
