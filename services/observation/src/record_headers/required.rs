//! Which of the required keys a record has.

use super::policy::Verdict;

/// Follows the headers of one record.
#[derive(Clone, Debug)]
pub struct Required<'a> {
    names: &'a [Box<[u8]>],
    seen: Vec<bool>,
}

impl<'a> Required<'a> {
    /// Nothing is allocated where no key is required.
    pub(super) fn new(names: &'a [Box<[u8]>]) -> Self {
        Self { names, seen: vec![false; names.len()] }
    }

    /// The record has the header of this verdict.
    pub fn saw(&mut self, verdict: &Verdict) {
        if let Some(seen) = verdict.required.and_then(|number| self.seen.get_mut(number)) {
            *seen = true;
        }
    }

    /// The keys that it has not.
    pub fn missing(&self) -> impl Iterator<Item = &'a [u8]> {
        self.names.iter().zip(&self.seen).filter(|(_, seen)| !**seen).map(|(name, _)| &**name)
    }
}
