#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kwitness_protocol_fuzz::fuzzing::sasl(bytes));
