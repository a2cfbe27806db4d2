//! Decides what is answered to `GetTelemetrySubscriptions` and `PushTelemetry` (KIP-714) in a broker's place.
//!
//! Each answer is what Kafka 4.3.1's `ClientMetricsManager` gives, but for one thing: a subscription's id does not hang
//! on the order of a hash table, so that every observer of a cluster takes a push that another one asked for. Times are
//! handed in, and so are random numbers: nothing here has a clock.

mod checksum;
mod client;
mod errors;
mod instance;
mod instances;
mod manager;
mod pushes;
mod subscriptions;

pub use client::Selectors;
pub use errors::Error;
pub use instances::{BYTES_PER_INSTANCE, InstanceId};
pub use manager::{Manager, Matched, Pushed, Settings};
pub use pushes::{Push, PushQueue, Sent};
pub use subscriptions::{Requested, Subscriptions, Unreadable};
