//! What the program promises, tried from outside.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test says what it expects by unwrapping it, and nobody imports it"
)]

mod collector;
mod hostile;
mod listing;
mod own_broker;
mod ports;
mod probes;
mod process;
mod relaying;
mod reporting;
mod reporting_faults;
mod resuming;
mod scratch;
mod settings;
mod sidecar;
mod transparent;
