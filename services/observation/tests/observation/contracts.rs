//! Tables that other languages have too are the same here.

use kwitness_observation::{Ranges, Sketch, bounds};

use crate::contract_vectors::vectors;

#[test]
fn durations_have_the_buckets_of_the_contracts() {
    let expected: Vec<u64> = serde_json::from_value(vectors("sketch_bounds.json")["bounds"].clone()).unwrap();

    assert_eq!(bounds(), expected);
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
