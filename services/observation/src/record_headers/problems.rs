//! What can be wrong with a header.

/// One thing that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// No register has its key.
    Unregistered,
    /// Its value is not of the registered type.
    WrongType,
    /// Its value is larger than registered.
    TooLarge,
    /// Its key is registered as deprecated.
    Deprecated,
    /// Its key has an id for tests, in a namespace not labelled so.
    TestingId,
    /// A record has it not though it is required.
    Missing,
}

impl Problem {
    /// In the order of the contract.
    pub const ALL: [Self; 6] =
        [Self::Unregistered, Self::WrongType, Self::TooLarge, Self::Deprecated, Self::TestingId, Self::Missing];

    /// As records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unregistered => "unregistered",
            Self::WrongType => "wrong_type",
            Self::TooLarge => "too_large",
            Self::Deprecated => "deprecated",
            Self::TestingId => "testing_id",
            Self::Missing => "missing",
        }
    }
}

/// All that is wrong with one header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Problems(u8);

impl Problems {
    /// These, where each comes with whether it is so.
    pub(super) fn of(found: impl IntoIterator<Item = (Problem, bool)>) -> Self {
        Self(found.into_iter().fold(0, |bits, (problem, is_so)| if is_so { bits | bit(problem) } else { bits }))
    }

    /// These, and one more.
    pub(super) const fn with(self, problem: Problem) -> Self {
        Self(self.0 | bit(problem))
    }

    /// Returns true if this is among them.
    #[must_use]
    pub const fn has(self, problem: Problem) -> bool {
        self.0 & bit(problem) != 0
    }

    /// Returns true if nothing is wrong.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them, in the order of [`Problem::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Problem> {
        Problem::ALL.into_iter().filter(move |problem| self.has(*problem))
    }
}

const fn bit(problem: Problem) -> u8 {
    1 << problem as u8
}
