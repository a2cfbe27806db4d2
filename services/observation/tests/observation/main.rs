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

mod contract_vectors;
mod contracts;
mod record_headers;
mod set_keys;
