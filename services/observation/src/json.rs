//! How parts of rows are written.

use std::borrow::Cow;
use std::fmt::Debug;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::counts::Counts;
use super::identity::{Identity, IdentityKey};
use super::ranges::Ranges;
use super::sketch::Sketch;

/// Text that need not be UTF-8, as Python's `errors="replace"` reads it: U+FFFD for each longest piece of a character.
#[must_use]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A reason as records, heartbeats and metrics spell it: `NotKafka` is `not_kafka`.
pub fn reason(reason: impl Debug) -> String {
    let mut name = String::new();
    for letter in format!("{reason:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// What is known of a client; nothing if it is none.
#[derive(Clone, Copy, Debug)]
pub struct KnownKeys<'a>(pub Option<&'a Identity>);

impl Serialize for KnownKeys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.0.into_iter().flat_map(Identity::known) {
            let value = text(value);
            match key {
                IdentityKey::ClientSourcePort => {
                    if let Ok(port) = value.parse::<u16>() {
                        map.serialize_entry(key.name(), &port)?;
                    }
                }
                _ => map.serialize_entry(key.name(), &value)?,
            }
        }
        map.end()
    }
}

/// Counts by error code.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCounts<'a>(pub &'a Counts<i16>);

impl Serialize for ErrorCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (code, count) in self.0.iter() {
            map.serialize_entry(&code, &count)?;
        }
        if self.0.others() > 0 {
            map.serialize_entry("other", &self.0.others())?;
        }
        map.end()
    }
}

/// Counts by reason.
#[derive(Clone, Copy, Debug)]
pub struct ReasonCounts<'a, T>(pub &'a Counts<T>);

impl<T: Copy + Eq + Debug> Serialize for ReasonCounts<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(why, count)| (reason(why), count)))
    }
}

/// Batches by codec: none, gzip, snappy, lz4, zstd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodecCounts(pub [u64; 5]);

impl CodecCounts {
    /// Returns true if there is no batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 5]
    }
}

impl Serialize for CodecCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = ["none", "gzip", "snappy", "lz4", "zstd"].into_iter().zip(self.0);
        serializer.collect_map(named.filter(|(_, count)| *count > 0))
    }
}

/// Offset ranges, as rows have them.
#[derive(Clone, Copy, Debug)]
pub struct OffsetRanges<'a>(pub &'a Ranges);

impl Serialize for OffsetRanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct OffsetRange {
            first: i64,
            last: i64,
        }
        let ranges = self.0.kept().iter();
        serializer.collect_seq(ranges.map(|range| OffsetRange { first: range.first, last: range.last }))
    }
}

impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Buckets<'a>(&'a Sketch);
        impl Serialize for Buckets<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.buckets())
            }
        }
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("buckets", &Buckets(self))?;
        map.serialize_entry("sum_us", &self.sum_us())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_utf8_is_replaced_as_python_replaces_it() {
        // Each as `bytes.decode(errors="replace")` gives it.
        let cases: [(&[u8], &str); 8] = [
            (b"plain", "plain"),
            (b"a\xffb", "a\u{fffd}b"),
            (b"\xe2\x82", "\u{fffd}"),
            (b"\xe2\x82a", "\u{fffd}a"),
            (b"\xf0\x9f\x98", "\u{fffd}"),
            (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
            (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(text(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn reasons_are_lower_case() {
        #[derive(Debug)]
        enum Reason {
            NotKafka,
            Tls,
        }

        assert_eq!(reason(Reason::NotKafka), "not_kafka");
        assert_eq!(reason(Reason::Tls), "tls");
    }
}
