//! Says what is wrong with one header, and what to do about it.

use serde::Deserialize;

use super::problems::{Problem, Problems};

/// What to do about a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Policy {
    /// Count it.
    #[default]
    Report,
    /// Count it, and log it where there is a log.
    Warn,
    /// Count it, and remove it at a producer.
    Deny,
}

/// What is to be said of one header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What is wrong.
    pub problems: Problems,
    /// What to do about it.
    pub policy: Policy,
    /// Whether a register has the key.
    pub registered: bool,
    /// Whether nobody may see its value.
    pub secret: bool,
    pub(super) required: Option<usize>,
}

impl Verdict {
    /// Returns true if a producer's interceptors remove it.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        let removable = [Problem::Unregistered, Problem::WrongType, Problem::TooLarge];
        self.policy == Policy::Deny && removable.into_iter().any(|problem| self.problems.has(problem))
    }
}
