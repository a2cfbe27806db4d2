//! Tables that other languages have too are the same here.

use std::path::Path;

use kwitness_wire::aggregate::{RESPONSE_TIME_BOUNDS_US, bounds};
use serde_json::Value;

pub fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/vectors").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn durations_have_the_buckets_of_the_contracts() {
    let expected: Vec<u64> = serde_json::from_value(vectors("sketch_bounds.json")["bounds"].clone()).unwrap();

    assert_eq!(bounds(), expected);
}

#[test]
fn response_times_have_the_bounds_of_the_contracts() {
    let expected: Vec<u64> = serde_json::from_value(vectors("response_time_bounds.json")["bounds_us"].clone()).unwrap();

    assert_eq!(RESPONSE_TIME_BOUNDS_US, *expected);
}
