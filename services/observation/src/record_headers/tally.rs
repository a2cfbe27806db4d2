//! What is counted of the headers with one key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::policy::Verdict;
use super::problems::Problem;

/// How many values are told apart.
pub const MOST_VALUES: usize = 32;
/// Of a value that is told apart, in bytes.
pub const LONGEST_VALUE: usize = 64;

/// Headers with one key, or with keys that are too many to be told apart. As JSON, the part of a `HeaderRow` that is
/// counted; zeros are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderTally {
    /// Whether a register has the key.
    pub registered: bool,
    /// Headers.
    pub headers: u64,
    /// Size of their values.
    pub bytes: u64,
    /// Those that the policy Deny removed.
    pub removed: u64,
    /// In the order of [`Problem::ALL`].
    problems: [u64; Problem::ALL.len()],
    values: Vec<(Box<[u8]>, u64)>,
    values_left_out: u64,
}

impl HeaderTally {
    /// Count a header; `counts_values` is what its rules say of its key.
    pub fn add(&mut self, verdict: &Verdict, value: Option<&[u8]>, counts_values: bool) {
        self.registered |= verdict.registered;
        grow(&mut self.headers, 1);
        grow(&mut self.bytes, value.map_or(0, |value| u64::try_from(value.len()).unwrap_or(u64::MAX)));
        for (count, problem) in self.problems.iter_mut().zip(Problem::ALL) {
            grow(count, u64::from(verdict.problems.has(problem)));
        }
        // A null has no text.
        if let Some(value) = value.filter(|_| counts_values) {
            self.add_value(value, 1);
        }
    }

    /// Count a record that has not this key though it is required.
    pub fn add_missing(&mut self) {
        self.registered = true;
        let missing = self.problems.iter_mut().zip(Problem::ALL).filter(|(_, problem)| *problem == Problem::Missing);
        missing.for_each(|(count, _)| grow(count, 1));
    }

    /// Count what another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.registered |= other.registered;
        grow(&mut self.headers, other.headers);
        grow(&mut self.bytes, other.bytes);
        grow(&mut self.removed, other.removed);
        self.problems.iter_mut().zip(other.problems).for_each(|(count, more)| grow(count, more));
        other.values.iter().for_each(|(value, count)| self.add_value(value, *count));
        grow(&mut self.values_left_out, other.values_left_out);
    }

    /// Count what another has counted of other keys: no values, and none of the keys is known.
    pub fn merge_overflowed(&mut self, other: &Self) {
        let is_registered = self.registered;
        self.merge(&Self { values: Vec::new(), values_left_out: 0, ..other.clone() });
        self.registered = is_registered;
    }

    /// Problems that there were, with their counts.
    pub fn problems(&self) -> impl Iterator<Item = (Problem, u64)> {
        Problem::ALL.into_iter().zip(self.problems).filter(|(_, count)| *count > 0)
    }

    /// Values that were told apart: text as it is where it is UTF-8, else base64.
    pub fn values(&self) -> impl Iterator<Item = (String, u64)> {
        self.values.iter().map(|(value, count)| (value_text(value), *count))
    }

    /// What is too long, or one too many, is left out.
    fn add_value(&mut self, value: &[u8], some: u64) {
        if value.len() > LONGEST_VALUE {
            return grow(&mut self.values_left_out, some);
        }
        if let Some((_, count)) = self.values.iter_mut().find(|(own, _)| **own == *value) {
            grow(count, some);
        } else if self.values.len() < MOST_VALUES {
            self.values.push((value.into(), some));
        } else {
            grow(&mut self.values_left_out, some);
        }
    }
}

impl Serialize for HeaderTally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.registered {
            map.serialize_entry("registered", &true)?;
        }
        let counts = [("headers", self.headers), ("bytes", self.bytes), ("removed", self.removed)];
        // Whether a key is registered is said once for all of its headers.
        let problems = self.problems().filter(|(problem, _)| *problem != Problem::Unregistered);
        let problems = problems.map(|(problem, count)| (problem.name(), count));
        for (name, count) in counts.into_iter().chain(problems).chain([("values_left_out", self.values_left_out)]) {
            if count > 0 {
                map.serialize_entry(name, &count)?;
            }
        }
        if !self.values.is_empty() {
            let values: Vec<_> = self.values().map(|(value, records)| Value { value, records }).collect();
            map.serialize_entry("values", &values)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Value {
    value: String,
    records: u64,
}

fn value_text(value: &[u8]) -> String {
    std::str::from_utf8(value).map_or_else(|_| format!("base64:{}", STANDARD.encode(value)), str::to_owned)
}

fn grow(count: &mut u64, by: u64) {
    *count = count.saturating_add(by);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{HeaderTally, MOST_VALUES};
    use crate::record_headers::Rules;

    const NAME: &[u8] = b"tenant";

    fn rules() -> Rules {
        let key = json!({"name": "tenant", "type": "String", "max_bytes": 70, "deprecated": true});
        serde_json::from_value(json!({"keys": [key]})).unwrap()
    }

    fn counted(values: &[Option<&[u8]>]) -> HeaderTally {
        let mut tally = HeaderTally::default();
        for value in values {
            tally.add(&rules().judge(NAME, *value), *value, true);
        }
        tally
    }

    #[test]
    fn it_is_written_as_the_counted_part_of_a_row() {
        let mut tally = counted(&[Some(b"a"), Some(b"\xff"), None, Some(&[b'x'; 71]), Some(b"a")]);
        tally.add_missing();
        tally.removed = 2;

        let expected = json!({
            "registered": true, "headers": 5, "bytes": 74, "removed": 2, "wrong_type": 1, "too_large": 1,
            "deprecated": 5, "missing": 1, "values_left_out": 1,
            "values": [{"value": "a", "records": 2}, {"value": "base64:/w==", "records": 1}],
        });
        assert_eq!(serde_json::to_value(&tally).unwrap(), expected);
    }

    #[test]
    fn two_add_up_and_values_beyond_the_limit_are_left_out() {
        let texts: Vec<String> = (0..MOST_VALUES).map(|number| format!("value {number}")).collect();
        let mut tally = counted(&texts.iter().map(|text| Some(text.as_bytes())).collect::<Vec<_>>());

        tally.merge(&counted(&[Some(b"value 0"), Some(b"another")]));

        let values: Vec<_> = tally.values().collect();
        assert_eq!((values.len(), values[0].1), (MOST_VALUES, 2));
        assert_eq!(serde_json::to_value(&tally).unwrap()["values_left_out"], 1);
        assert_eq!(tally.headers, 34);
    }

    #[test]
    fn keys_that_are_too_many_have_counts_alone() {
        let mut tally = HeaderTally::default();

        tally.merge_overflowed(&counted(&[Some(b"a"), None]));

        assert_eq!(serde_json::to_value(&tally).unwrap(), json!({"headers": 2, "bytes": 1, "deprecated": 2}));
    }
}
