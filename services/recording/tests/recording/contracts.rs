//! Tables that other languages have too are the same here.

use kwitness_recording::RESPONSE_TIME_BOUNDS_US;

use crate::contract_vectors::vectors;

#[test]
fn response_times_have_the_bounds_of_the_contracts() {
    let expected: Vec<u64> = serde_json::from_value(vectors("response_time_bounds.json")["bounds_us"].clone()).unwrap();

    assert_eq!(RESPONSE_TIME_BOUNDS_US, *expected);
}
