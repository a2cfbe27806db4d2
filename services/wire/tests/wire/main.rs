//! What the crate promises, tried from outside.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test says what it expects by unwrapping it, and nobody imports it"
)]

mod allocations;
mod connections;
mod contracts;
mod conversations;
mod corpora;
mod exchanges;
mod fuzzing;
mod hostile;
mod identities;
mod identity_budget;
mod json;
mod kafka;
mod messages;
mod record_headers;
mod recorder;
mod records;
mod requests;
mod rewriting;
mod samples;
mod sasl;
mod sign_in;
mod streams;
mod telemetry;
mod telemetry_relay;
mod telling;
mod transactions;
mod transcript;
mod versions;
mod windows;
