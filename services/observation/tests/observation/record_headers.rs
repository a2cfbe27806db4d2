//! Headers are judged as the contracts say.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_observation::record_headers::{HeaderTally, Kind, Policy, Problem, Rules, Verdict};
use serde_json::{Value, json};

use crate::contract_vectors::vectors;

fn rules(written: &Value) -> Rules {
    serde_json::from_value(written.clone()).unwrap()
}

fn problems(verdict: &Verdict) -> Vec<&'static str> {
    verdict.problems.iter().map(Problem::name).collect()
}

#[test]
fn a_value_is_of_a_type_as_every_runtime_judges_it() {
    for example in vectors("header_types.json").as_array().unwrap() {
        let kind: Kind = serde_json::from_value(example["type"].clone()).unwrap();
        let value = STANDARD.decode(example["value_base64"].as_str().unwrap()).unwrap();

        assert_eq!(kind.has(&value), example["right"], "{example}");
    }
}

#[test]
fn headers_are_judged_as_in_every_runtime() {
    for example in vectors("header_rules.json")["records"].as_array().unwrap() {
        let rules = rules(&example["rules"]);
        let mut required = rules.required();
        for header in example["headers"].as_array().unwrap() {
            let name = header["key"].as_str().unwrap().as_bytes();
            let value = header["value_base64"].as_str().map(|text| STANDARD.decode(text).unwrap());
            let mut tally = HeaderTally::default();

            let verdict = rules.judge(name, value.as_deref());
            required.saw(&verdict);
            tally.add(&verdict, value.as_deref(), rules.counts_values(name, &verdict));

            let case = format!("{}: {header}", example["name"]);
            let judged = json!([verdict.registered, problems(&verdict), verdict.is_removed()]);
            assert_eq!(judged, json!([header["registered"], header["problems"], header["removed"]]), "{case}");
            let counted: Vec<_> = tally.values().map(|(value, _)| Value::from(value)).collect();
            assert_eq!(counted.first().unwrap_or(&Value::Null), &header["counted_value"], "{case}");
        }

        let missing: Vec<_> = required.missing().map(|name| str::from_utf8(name).unwrap()).collect();
        assert_eq!(json!(missing), example["missing"], "{}", example["name"]);
    }
}

#[test]
fn a_key_counts_before_a_prefix_and_a_longer_prefix_before_a_shorter_one() {
    let rules = rules(&json!({
        "keys": [{"name": "ce_id", "type": "Uuid", "policy": "Warn"}],
        "prefixes": [{"prefix": "c", "type": "Int32"}, {"prefix": "ce_", "type": "Int64"}],
        "unregistered": "Deny",
    }));

    let wrong = |name: &str, value: &[u8]| rules.judge(name.as_bytes(), Some(value)).problems.has(Problem::WrongType);
    assert!(!wrong("ce_id", &[0; 16]) && wrong("ce_id", &[0; 8]));
    assert!(!wrong("ce_time", &[0; 8]) && wrong("ce_time", &[0; 4]));
    assert!(!wrong("cx", &[0; 4]));
    let other = rules.judge(b"x", None);
    assert_eq!((other.registered, other.policy, problems(&other)), (false, Policy::Deny, vec!["unregistered"]));
    assert!(other.is_removed());
    assert_eq!(rules.judge(b"ce_id", None).policy, Policy::Warn);
}

#[test]
fn without_rules_every_key_is_unregistered_but_those_of_kwitness() {
    let rules = Rules::default();

    assert_eq!(problems(&rules.judge(b"tenant", None)), ["unregistered"]);
    assert!(!rules.judge(b"tenant", None).is_removed());
    assert!(rules.judge(b"kwitness.checksum", Some(b"\xff")).registered);
}

#[test]
fn a_required_key_is_missing_unless_a_header_has_it() {
    let key = |name: &str| json!({"name": name, "type": "String", "required": true});
    let rules = rules(&json!({"keys": [key("a"), {"name": "b", "type": "Bytes"}, key("c")]}));
    let mut required = rules.required();

    required.saw(&rules.judge(b"c", Some(b"\xff")));
    required.saw(&rules.judge(b"b", None));

    assert_eq!(required.missing().collect::<Vec<_>>(), [b"a"]);
}

#[test]
fn values_of_secret_and_of_unregistered_keys_are_never_counted() {
    let rules = rules(&json!({
        "keys": [
            {"name": "tenant", "type": "String"}, {"name": "card", "type": "String", "sensitivity": "Secret"},
            {"name": "other", "type": "String"},
        ],
        "values_of": ["tenant", "card", "unknown"],
    }));

    let counts = |name: &str| rules.counts_values(name.as_bytes(), &rules.judge(name.as_bytes(), None));
    assert_eq!(["tenant", "card", "unknown", "other"].map(counts), [true, false, false, false]);
}

#[test]
fn rules_that_break_the_contract_are_refused() {
    let key = |more: &Value| {
        let mut key = json!({"name": "a", "type": "Bytes"});
        key.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"keys": [key]})
    };
    for wrong in [
        json!({"keyz": []}),
        key(&json!({"name": ""})),
        key(&json!({"name": "x".repeat(129)})),
        key(&json!({"type": "Float"})),
        key(&json!({"policy": "deny"})),
        key(&json!({"max_bytes": 0})),
        key(&json!({"max_bytes": 1_048_577})),
        key(&json!({"id": 2_147_483_648_u32})),
        key(&json!({"id": -1})),
        json!({"prefixes": [{"prefix": "a", "type": "Bytes", "required": true}]}),
        json!({"values_of": vec!["a"; 17]}),
    ] {
        assert!(serde_json::from_value::<Rules>(wrong.clone()).is_err(), "{wrong}");
    }
    let nulls = key(&json!({"max_bytes": null, "id": null, "name": "x".repeat(128)}));
    assert!(serde_json::from_value::<Rules>(nulls).is_ok());
}
