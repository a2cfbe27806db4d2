//! Holds what a register says of one key.

use super::kinds::Kind;
use super::policy::Policy;

/// What a register says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) kind: Kind,
    pub(super) secret: bool,
    pub(super) policy: Policy,
    pub(super) max_bytes: Option<usize>,
    pub(super) deprecated: bool,
    pub(super) testing_id: bool,
    /// Its number among the required ones.
    pub(super) required: Option<usize>,
}
