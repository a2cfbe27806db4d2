//! What a collector answers; nothing that it says is believed beyond what was sent.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;

use super::Directive;

/// Of a reason that a collector gives.
const LONGEST_REASON: usize = 64;

/// The body of an answer; members that are not known are ignored.
#[derive(Debug, Deserialize)]
struct Body {
    protocol: u32,
    collector: String,
    replica: u32,
    #[serde(default)]
    accepted: String,
    #[serde(default)]
    duplicates: String,
    #[serde(default)]
    rejected: Vec<Rejection>,
    #[serde(default)]
    retry_after_ms: u64,
    #[serde(default)]
    directives: Directives,
    #[serde(default)]
    wants_connections: bool,
    #[serde(default)]
    subscriptions: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Directives {
    settings: Option<String>,
    suspend: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Rejection {
    seq: u64,
    reason: String,
}

/// What became of each number.
#[derive(Debug)]
pub struct Verdicts {
    /// Who answers: `<namespace>/<name>`.
    pub collector: String,
    /// Which of its replicas.
    pub replica: u32,
    /// How long to wait before the rest is sent again.
    pub retry_after_ms: u64,
    /// What the source is to do before its settings say so.
    pub directive: Option<Directive>,
    /// Whether the next requests are to list open connections.
    pub wants_connections: bool,
    /// The hash of the subscriptions that the cluster has; `None` where the collector does not say.
    pub subscriptions: Option<String>,
    taken: Vec<RangeInclusive<u64>>,
    rejected: BTreeMap<u64, String>,
}

impl Verdicts {
    /// Read an answer; `None` when it is none of a collector's.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let body: Body = serde_json::from_slice(bytes).ok()?;
        if body.protocol < 2 {
            return None;
        }
        let mut taken = ranges(&body.accepted)?;
        taken.extend(ranges(&body.duplicates)?);
        let reason = |text: &str| text.chars().take(LONGEST_REASON).collect();
        let rejected = body.rejected.iter().map(|one| (one.seq, reason(&one.reason))).collect();
        let Body { collector, replica, retry_after_ms, directives, wants_connections, subscriptions, .. } = body;
        let directive = match directives {
            Directives { settings: Some(settings), suspend: Some(is_suspended) } => {
                Some(Directive { settings, is_suspended })
            }
            _ => None,
        };
        Some(Self { collector, replica, retry_after_ms, directive, wants_connections, subscriptions, taken, rejected })
    }

    /// Returns true if the collector has this number, now or since earlier.
    #[must_use]
    pub fn are_taken(&self, seq: u64) -> bool {
        self.taken.iter().any(|range| range.contains(&seq))
    }

    /// Why the collector will never take it.
    #[must_use]
    pub fn rejected(&self, seq: u64) -> Option<&str> {
        self.rejected.get(&seq).map(String::as_str)
    }
}

/// `1-340,342`.
fn ranges(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let part = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some(first.parse().ok()?..=last.parse().ok()?),
        None => part.parse().ok().map(|one| one..=one),
    };
    text.split(',').filter(|part| !part.is_empty()).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{Directive, Verdicts, ranges};

    #[test]
    fn numbers_are_listed_as_ranges() {
        assert_eq!(ranges("1-340,342"), Some(vec![1..=340, 342..=342]));
        assert_eq!(ranges(""), Some(vec![]));
        for wrong in ["x", "1-", "-1", "1;2"] {
            assert_eq!(ranges(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_directive_needs_the_settings_that_it_is_from() {
        let answer = |directives: &str| {
            let body = format!(r#"{{"protocol":2,"collector":"n/c","replica":0,"directives":{directives}}}"#);
            Verdicts::parse(body.as_bytes()).map(|verdicts| verdicts.directive)
        };

        let told = Directive { settings: "a".to_owned(), is_suspended: true };
        assert_eq!(answer(r#"{"settings":"a","suspend":true,"later":1}"#), Some(Some(told)));
        assert_eq!(answer(r#"{"suspend":true}"#), Some(None));
        assert_eq!(answer("{}"), Some(None));
    }

    #[test]
    fn a_page_of_somebody_else_is_no_answer() {
        for body in ["<html>", "{}", "null", r#"{"protocol":1,"collector":"n/c","replica":0}"#] {
            assert!(Verdicts::parse(body.as_bytes()).is_none(), "{body}");
        }
    }
}
