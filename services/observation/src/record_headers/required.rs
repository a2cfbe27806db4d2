//! Which of the required keys a record has.

use super::compact_set::MOST_SET_KEYS;
use super::policy::Verdict;
use super::problems::Problem;

/// Follows the headers of one record.
#[derive(Clone, Debug)]
pub struct Required<'a> {
    names: &'a [Box<[u8]>],
    seen: Vec<bool>,
    /// How many more keys of its sets are evaluated.
    pub(super) set_keys_left: usize,
}

impl<'a> Required<'a> {
    /// Nothing is allocated where no key is required.
    pub(super) fn new(names: &'a [Box<[u8]>]) -> Self {
        Self { names, seen: vec![false; names.len()], set_keys_left: MOST_SET_KEYS }
    }

    /// The record has the header of this verdict.
    pub fn saw(&mut self, verdict: &Verdict) {
        if let Some(seen) = verdict.required.and_then(|number| self.seen.get_mut(number)) {
            *seen = true;
        }
    }

    /// A set of the record could not be read to its end: keys that were not evaluated may be in it.
    pub(super) fn end_of_set(&mut self, why: Problem) {
        if why == Problem::TooLarge {
            self.seen.fill(true);
        }
    }

    /// The keys that it has not.
    pub fn missing(&self) -> impl Iterator<Item = &'a [u8]> {
        self.names.iter().zip(&self.seen).filter(|(_, seen)| !**seen).map(|(name, _)| &**name)
    }
}
