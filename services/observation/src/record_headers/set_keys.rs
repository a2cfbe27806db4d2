//! Evaluates the keys of a compact set as the headers that they are.

use std::borrow::Cow;

use super::compact_set::{SET_HEADER, SetEntries};
use super::policy::Verdict;
use super::required::Required;
use super::rules::Rules;

/// One key of a set.
#[derive(Clone, Debug)]
pub struct SetKey<'a> {
    /// Its number.
    pub number: u32,
    /// The registered name of its number, or the number after a `#`.
    pub name: Cow<'a, [u8]>,
    /// Its value.
    pub value: &'a [u8],
    /// As of a header with this name.
    pub result: Verdict,
}

/// The result for a set as a whole, whose keys are still to be evaluated.
#[derive(Clone, Debug)]
pub struct EvaluatedSet<'a> {
    /// As of a header; where the set could not be read to its end that is among its problems.
    pub header: Verdict,
    /// True if all of its keys are evaluated.
    pub is_whole: bool,
    entries: SetEntries<'a>,
}

impl Rules {
    /// Returns true if this header is a compact set whose keys are evaluated.
    #[must_use]
    pub fn reads_set(&self, name: &[u8]) -> bool {
        self.has_numbers() && name == SET_HEADER
    }

    /// Evaluate a set of the record that `required` follows.
    pub fn evaluate_set<'a>(&self, set: &'a [u8], required: &mut Required<'_>) -> EvaluatedSet<'a> {
        let entries = SetEntries::new(set, required.set_keys_left);
        let mut ahead = entries.clone();
        ahead.by_ref().for_each(drop);
        required.set_keys_left = ahead.room();
        let mut header = self.judge(SET_HEADER, Some(set));
        if let Some(problem) = ahead.problem() {
            header.problems = header.problems.with(problem);
            required.end_of_set(problem);
        }
        EvaluatedSet { header, is_whole: ahead.problem().is_none(), entries }
    }

    /// Evaluate the keys of a set, in their order.
    pub fn set_keys<'a>(&'a self, set: &EvaluatedSet<'a>) -> impl Iterator<Item = SetKey<'a>> {
        set.entries.clone().map(|(number, value)| {
            let (name, result) = match self.name_of(number) {
                Some(name) => (Cow::Borrowed(name), self.judge(name, Some(value))),
                None => (Cow::Owned(format!("#{number}").into_bytes()), self.unregistered()),
            };
            SetKey { number, name, value, result }
        })
    }
}
