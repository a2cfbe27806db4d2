//! What waits for the collector, and what becomes of it: the part of a sender that is the same for every source.
//!
//! Nothing here sends anything: a sender takes what is next from the [`Queue`] and hands in what was answered.
//! [`telemetry`] has what clients push.
#![forbid(unsafe_code)]

mod answer;
mod body;
mod directive;
mod ledger;
mod owner;
mod queue;
mod response;
mod seals;
mod settings;
pub mod telemetry;

pub use answer::Verdicts;
pub use body::Body;
pub use directive::Directive;
pub use ledger::Ledger;
pub use owner::owner_of;
pub use queue::{Item, Queue};
pub use response::{Acknowledging, Failure};
pub use settings::{Collector, Refused, nullable, read_settings, settings_hash};
