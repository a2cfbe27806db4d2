//! What waits for the collector, and what becomes of it: the part of a sender that is the same for every source.
//!
//! Nothing here sends anything: a sender takes what is next from the [`Queue`] and hands in what was answered.

mod answer;
mod directive;
mod queue;
mod seals;

pub use answer::Verdicts;
pub use directive::Directive;
pub use queue::{Item, Ledger, Queue};
