//! Evaluates the keys in compact sets of a record, and takes out of a producer's what is denied.

use std::collections::BTreeMap;

use kwitness_observation::record_headers::{MOST_SET_KEYS, Required, Rules, SET_HEADER, SetEntries};

use super::counts::{HeaderCounts, Place};
use super::list::{Header, HeaderList};

/// The changes that a producer makes to a record's sets.
#[derive(Debug, Default)]
pub(super) struct SetChanges {
    /// Of each set the numbers that are denied, none where it is denied itself.
    sets: Vec<Option<Vec<u32>>>,
    /// How many headers of a key these are.
    denied: BTreeMap<Box<[u8]>, u64>,
}

/// Count the sets of a record and their keys, of which a value counts where the key has no header of its own.
pub(super) fn evaluate_sets(
    rules: &Rules,
    list: &impl HeaderList,
    required: &mut Required<'_>,
    (counts, place): (&mut HeaderCounts, Place),
) -> SetChanges {
    let mut changes = SetChanges::default();
    for header in list.all().filter(|header| rules.reads_set(header.name)) {
        let evaluated = rules.evaluate_set(header.value.unwrap_or_default(), required);
        let result = if header.value.is_some() { evaluated.header } else { rules.judge(header.name, None) };
        counts.add(place, header, &result, rules.counts_values(header.name, &result));
        let is_removed = result.is_removed();
        let mut denied = Vec::new();
        for entry in rules.set_keys(&evaluated) {
            required.saw(&entry.result);
            let has_own = || list.all().any(|own| *own.name == *entry.name);
            let counts_value = rules.counts_values(&entry.name, &entry.result) && !has_own();
            counts.add(place, Header { name: &entry.name, value: Some(entry.value) }, &entry.result, counts_value);
            if entry.result.is_removed() && evaluated.is_whole && !is_removed {
                denied.push(entry.number);
                changes.deny(&entry.name);
            }
        }
        if is_removed {
            changes.deny(SET_HEADER);
        }
        changes.sets.push((!is_removed).then_some(denied));
    }
    changes
}

impl SetChanges {
    /// Returns true if all that is denied is gone. The sets are behind all other headers then; one without a value cannot
    /// be put there.
    pub(super) fn make(&self, list: &mut impl HeaderList, counts: &mut HeaderCounts, place: Place) -> bool {
        if self.denied.is_empty() {
            return true;
        }
        let sets = list.all().filter(|header| header.name == SET_HEADER);
        let left: Option<Vec<_>> = sets
            .zip(&self.sets)
            .filter_map(|(header, denied)| Some((header.value, denied.as_deref()?)))
            .map(|(set, denied)| Some(without(set?, denied)))
            .collect();
        let Some(left) = left else { return false };
        if !list.remove(SET_HEADER) {
            return false;
        }
        self.denied.iter().for_each(|(name, count)| counts.add_removed(place, name, *count));
        left.iter().filter_map(Option::as_ref).all(|set| list.add(SET_HEADER, set))
    }

    fn deny(&mut self, name: &[u8]) {
        let count = self.denied.entry(name.into()).or_default();
        *count = count.saturating_add(1);
    }
}

/// The set without these numbers, which ascend; none where nothing is left of it.
fn without(set: &[u8], numbers: &[u32]) -> Option<Vec<u8>> {
    if numbers.is_empty() {
        return Some(set.to_vec());
    }
    let mut left = Vec::new();
    for (number, value) in SetEntries::new(set, MOST_SET_KEYS) {
        if numbers.binary_search(&number).is_err() {
            left.extend_from_slice(&number.to_be_bytes());
            left.extend_from_slice(&u32::try_from(value.len()).unwrap_or_default().to_be_bytes());
            left.extend_from_slice(value);
        }
    }
    (!left.is_empty()).then_some(left)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use kwitness_observation::record_headers::{Problem, Rules, SET_HEADER};
    use serde_json::{Map, Value, json};

    use super::{HeaderCounts, MOST_SET_KEYS};
    use crate::headers::list::tests::Listed;
    use crate::headers::plan::judge_and_remove;

    fn examples() -> Vec<Value> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/header_rules.json");
        let vectors: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        vectors["sets"].as_array().unwrap().clone()
    }

    fn rules(written: &Value) -> Rules {
        serde_json::from_value(written.clone()).unwrap()
    }

    fn list(headers: &Value) -> Listed {
        let value = |header: &Value| header["value_base64"].as_str().map(|text| STANDARD.decode(text).unwrap());
        let name = |header: &Value| header["key"].as_str().unwrap().as_bytes().to_vec();
        Listed(headers.as_array().unwrap().iter().map(|header| (name(header), value(header))).collect())
    }

    fn set(entries: impl IntoIterator<Item = (u32, &'static str)>) -> (Vec<u8>, Option<Vec<u8>>) {
        let entry = |(number, value): (u32, &str)| {
            [&number.to_be_bytes(), &u32::try_from(value.len()).unwrap().to_be_bytes(), value.as_bytes()].concat()
        };
        (SET_HEADER.to_vec(), Some(entries.into_iter().flat_map(entry).collect()))
    }

    /// The headers that a producer sends, true if it could remove all that is denied, and the rows of what was counted.
    fn sent(written: &Value, mut list: Listed) -> (Listed, bool, Vec<Value>) {
        let mut counts = HeaderCounts::new(1);
        let is_done = judge_and_remove(&rules(written), b"orders", &mut list, &mut counts);
        let rows = counts.iter().map(|(_, key, counts)| {
            let tally = counts.tally;
            let problems: Map<_, _> =
                tally.problems().map(|(problem, count)| (problem.name().to_owned(), json!(count))).collect();
            json!({
                "key": key, "registered": tally.registered, "headers": tally.headers, "bytes": tally.bytes,
                "problems": problems, "removed": tally.removed,
                "values": tally.values().map(|(value, count)| (value, json!(count))).collect::<Map<_, _>>(),
            })
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|row| row["key"].to_string());
        (list, is_done, rows)
    }

    #[test]
    fn keys_of_sets_are_evaluated_counted_and_removed_as_elsewhere() {
        for example in examples() {
            let mut expected = example["counted"].as_array().unwrap().clone();
            expected.sort_by_key(|row| row["key"].to_string());

            let (left, is_done, rows) = sent(&example["rules"], list(&example["headers"]));

            assert!(is_done, "{}", example["name"]);
            assert_eq!(
                (left, Value::from(rows)),
                (list(&example["left"]), Value::from(expected)),
                "{}",
                example["name"]
            );
        }
    }

    #[test]
    fn a_set_that_has_changed_is_behind_other_headers() {
        let denies = json!({"keys": [{"name": "a", "type": "String", "id": 7}], "unregistered": "Deny"});
        let own = (b"a".to_vec(), Some(b"x".to_vec()));

        let (left, ..) = sent(&denies, Listed(vec![set([(7, "y"), (9, "")]), own.clone()]));

        assert_eq!(left, Listed(vec![own, set([(7, "y")])]));
    }

    #[test]
    fn sets_beside_a_null_one_stay_as_they_are() {
        let denies = json!({"keys": [{"name": "a", "type": "String", "id": 7}], "unregistered": "Deny"});
        let headers = Listed(vec![set([(9, "")]), (SET_HEADER.to_vec(), None)]);

        let (left, is_done, rows) = sent(&denies, headers.clone());

        assert_eq!((left, is_done), (headers, false));
        assert!(rows.iter().all(|row| row["removed"] == 0), "{rows:?}");
    }

    #[test]
    fn a_set_with_more_keys_than_are_evaluated_is_not_sent_where_unregistered_keys_are_denied() {
        let most = u32::try_from(MOST_SET_KEYS).unwrap();
        let denies = json!({"keys": [{"name": "a", "type": "Bytes", "id": 7}], "unregistered": "Deny"});

        let (left, is_done, rows) = sent(&denies, Listed(vec![set((0..=most).map(|number| (number, "")))]));

        assert_eq!((left.len(), is_done), (0, true));
        // Keys beyond those with a row share one; the set is not among them.
        let whole = rows.iter().find(|row| row["key"] == "kwitness.set").unwrap();
        assert_eq!((&whole["problems"], &whole["removed"]), (&json!({Problem::TooLarge.name(): 1}), &json!(1)));
    }
}
