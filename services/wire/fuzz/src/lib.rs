//! The properties that are tried; the tests of kwitness-wire have them, and try what was found.

#[path = "../../tests/wire/fuzzing.rs"]
pub mod fuzzing;
#[path = "../../tests/wire/transcript.rs"]
pub mod transcript;
