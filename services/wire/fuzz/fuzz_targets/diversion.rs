#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kwitness_wire_fuzz::fuzzing::diversion(bytes));
