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
mod commits;
mod commits_back;
mod contracts;
mod corpora;
mod fuzzing;
mod hashed_identities;
mod header_rows;
mod identity_budget;
mod lag;
mod recorder;
mod recorder_connections;
mod recorder_limits;
mod requests;
mod samples;
mod sasl;
mod scene;
mod telemetry;
mod window_steps;
mod window_totals;
mod windows;
mod written_rows;

#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../observation/tests/observation/contract_vectors.rs"]
mod contract_vectors;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/division.rs"]
mod division;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/json.rs"]
mod json;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/partition_frames.rs"]
mod partition_frames;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/record_vectors.rs"]
mod record_vectors;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/telemetry_requests.rs"]
mod telemetry_requests;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/transcript.rs"]
mod transcript;
#[allow(dead_code, reason = "another crate's tests need the rest")]
#[path = "../../../protocol/tests/protocol/vector_files.rs"]
mod vector_files;
