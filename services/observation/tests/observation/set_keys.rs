//! Keys of compact sets are evaluated as the contracts say, and no bytes make a reader fail.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_observation::record_headers::{HeaderTally, MOST_SET_KEYS, Problem, Rules, SET_HEADER, SetEntries};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::contract_vectors::vectors;

type Tallies = BTreeMap<String, HeaderTally>;

fn rules(written: &Value) -> Rules {
    serde_json::from_value(written.clone()).unwrap()
}

fn set<'a>(entries: impl IntoIterator<Item = (u32, &'a [u8])>) -> Vec<u8> {
    let entry = |(number, value): (u32, &[u8])| {
        [&number.to_be_bytes(), &u32::try_from(value.len()).unwrap().to_be_bytes(), value].concat()
    };
    entries.into_iter().flat_map(entry).collect()
}

/// Returns what is counted of one record, without values.
fn counted(rules: &Rules, headers: &[(Vec<u8>, Option<Vec<u8>>)]) -> Tallies {
    let (mut tallies, mut required) = (Tallies::new(), rules.required());
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
    for (name, value) in headers {
        let set = value.as_deref().filter(|_| rules.reads_set(name)).map(|set| rules.evaluate_set(set, &mut required));
        for entry in set.iter().flat_map(|set| rules.set_keys(set)) {
            required.saw(&entry.result);
            tallies.entry(text(&entry.name)).or_default().add(&entry.result, Some(entry.value), false);
        }
        let result = set.map_or_else(|| rules.judge(name, value.as_deref()), |set| set.header);
        required.saw(&result);
        tallies.entry(text(name)).or_default().add(&result, value.as_deref(), false);
    }
    required.missing().for_each(|name| tallies.entry(text(name)).or_default().add_missing());
    tallies
}

fn problems(tally: &HeaderTally) -> Value {
    let named = tally.problems().map(|(problem, count)| (problem.name().to_owned(), json!(count)));
    Value::Object(named.collect::<Map<_, _>>())
}

#[test]
fn keys_of_sets_are_evaluated_as_in_every_runtime() {
    for example in vectors("header_rules.json")["sets"].as_array().unwrap() {
        let header = |header: &Value| {
            let value = header["value_base64"].as_str().map(|text| STANDARD.decode(text).unwrap());
            (header["key"].as_str().unwrap().as_bytes().to_vec(), value)
        };
        let headers: Vec<_> = example["headers"].as_array().unwrap().iter().map(header).collect();

        let found = counted(&rules(&example["rules"]), &headers);

        let keys = example["counted"].as_array().unwrap();
        assert_eq!(found.len(), keys.len(), "{}", example["name"]);
        for key in keys {
            let tally = &found[key["key"].as_str().unwrap()];
            let row = json!([tally.registered, tally.headers, tally.bytes, problems(tally)]);
            let expected = json!([key["registered"], key["headers"], key["bytes"], key["problems"]]);
            assert_eq!(row, expected, "{}: {}", example["name"], key["key"]);
        }
    }
}

#[test]
fn keys_beyond_the_bound_of_a_record_are_not_evaluated_and_none_is_called_missing() {
    let last = json!({"keys": [{"name": "last", "type": "String", "id": 2_147_483_647, "required": true}]});
    let half = MOST_SET_KEYS.div_ceil(2);
    let keys = |count: usize| {
        (SET_HEADER.to_vec(), Some(set((0..u32::try_from(count).unwrap()).map(|number| (number, &b""[..])))))
    };

    let within = counted(&rules(&last), &[keys(half), keys(half)]);
    let beyond = counted(&rules(&last), &[keys(half), keys(half), keys(1)]);

    let headers = |tallies: &Tallies| {
        tallies.iter().filter(|(name, _)| name.starts_with('#')).map(|(_, tally)| tally.headers).sum::<u64>()
    };
    assert_eq!((headers(&within), headers(&beyond)), (MOST_SET_KEYS as u64, MOST_SET_KEYS as u64));
    assert_eq!((problems(&within["kwitness.set"]), problems(&within["last"])), (json!({}), json!({"missing": 1})));
    assert_eq!((problems(&beyond["kwitness.set"]), beyond.get("last")), (json!({"too_large": 1}), None));
}

proptest! {
    #[test]
    fn a_set_has_the_entries_that_were_written(entries: BTreeMap<u16, Vec<u8>>) {
        let written = set(entries.iter().map(|(number, value)| (u32::from(*number), &**value)));

        let read: Vec<_> = SetEntries::new(&written, usize::MAX).collect();

        let expected: Vec<_> = entries.iter().map(|(number, value)| (u32::from(*number), &**value)).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn entries_of_any_bytes_lie_within_them_and_ascend(bytes: Vec<u8>, most in 0_usize..4) {
        let read: Vec<_> = SetEntries::new(&bytes, most).collect();

        prop_assert!(read.len() <= most && read.is_sorted_by_key(|(number, _)| *number));
        prop_assert!(read.iter().map(|(_, value)| value.len() + 8).sum::<usize>() <= bytes.len());
    }

    #[test]
    fn a_set_that_is_cut_anywhere_is_of_the_wrong_type_and_has_the_entries_before(cut in 0_usize..30) {
        let whole = set([(7, &b"one"[..]), (9, &b""[..]), (11, &b"three"[..])]);
        let ends = [0, 11, 19, 32];
        let rules = rules(&json!({"keys": [{"name": "a", "type": "Bytes", "id": 7}]}));
        let mut required = rules.required();

        let evaluated = rules.evaluate_set(&whole[..cut], &mut required);
        let read = rules.set_keys(&evaluated).count();

        let is_end = ends.contains(&cut);
        prop_assert_eq!((evaluated.is_whole, evaluated.header.problems.has(Problem::WrongType)), (is_end, !is_end));
        prop_assert_eq!(read, ends.iter().filter(|end| **end > 0 && **end <= cut).count());
    }
}
