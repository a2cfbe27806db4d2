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

mod administrative;
mod commits;
mod connections;
mod conversations;
mod corpora;
mod division;
mod exchanges;
mod fetched;
mod fuzzing;
mod hostile;
mod identities;
mod json;
mod kafka;
mod many_topics;
mod messages;
mod partition_frames;
mod record_vectors;
mod records;
mod resuming;
mod rewriting;
mod rewriting_order;
mod rewriting_relay;
mod sasl;
mod sign_in;
mod streams;
mod telemetry;
mod telemetry_relay;
mod telemetry_requests;
mod telling;
mod transactions;
mod transcript;
mod vector_files;
mod versions;
