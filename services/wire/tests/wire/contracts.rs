//! Tables that other languages have too are the same here.

use std::path::Path;

use kwitness_wire::aggregate::{RESPONSE_TIME_BOUNDS_US, Ranges, Sketch, bounds};
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

#[test]
fn what_is_summed_up_is_in_the_buckets_of_the_contracts() {
    let all = vectors("interception_aggregates.json");
    let latency_bounds: Vec<u64> = serde_json::from_value(all["latency_bounds_us"].clone()).unwrap();
    for example in all["sketches"].as_array().unwrap() {
        let values: Vec<u64> = serde_json::from_value(example["values"].clone()).unwrap();
        let mut sketch = Sketch::default();
        for value in values {
            sketch.add(value);
        }

        let written = serde_json::to_value(&sketch).unwrap();

        assert_eq!((&written["buckets"], &written["sum_us"]), (&example["buckets"], &example["sum"]));
        let counts: Vec<u64> = serde_json::from_value(example["by_latency_bounds"].clone()).unwrap();
        assert_eq!(sketch.histogram(&latency_bounds), counts, "{example}");
    }
}

#[test]
fn offsets_are_coalesced_as_the_contracts_say() {
    let all = vectors("interception_aggregates.json");
    for example in all["offset_ranges"].as_array().unwrap() {
        let added: Vec<(i64, i64)> = serde_json::from_value(example["added"].clone()).unwrap();
        let mut ranges = Ranges::default();
        for (first, last) in added {
            ranges.add(first, last);
        }

        let kept: Vec<(i64, i64)> = ranges.kept().iter().map(|range| (range.first, range.last)).collect();

        let expected: Vec<(i64, i64)> = serde_json::from_value(example["ranges"].clone()).unwrap();
        assert_eq!(kept, expected, "{example}");
        assert_eq!(Some(ranges.merged()), example["merged"].as_u64(), "{example}");
    }
}
