//! The properties that are tried; the tests of the crates have them, and try what was found.

#[path = "../../tests/protocol/fuzzing.rs"]
pub mod fuzzing;
#[path = "../../../recording/tests/recording/fuzzing.rs"]
pub mod fuzzing_samples;
#[path = "../../tests/protocol/transcript.rs"]
pub mod transcript;
