//! What settings ask to be done with the headers of a client's records.

use std::collections::BTreeMap;
use std::sync::Arc;

use kwitness_observation::record_headers::Rules;

use super::counts::{HeaderCounts, Place};
use super::list::HeaderList;
use super::sets::{SetChanges, evaluate_sets};
use super::stamps::{Stamp, stamp};
use super::unique_id::UniqueIds;
use crate::client::{About, Side};
use crate::settings::{Interceptor, Settings};

/// Most keys that are removed from one record: librdkafka goes through all headers for each.
const MOST_REMOVED: usize = 256;

/// Of one client, in the order of its interceptors.
#[derive(Debug)]
pub(crate) struct Plan {
    settings: Arc<Settings>,
    /// In the place of registers, where there are none.
    without: Rules,
    steps: Vec<Step>,
    /// Of a record, in bytes.
    most_bytes: usize,
    ids: UniqueIds,
}

#[derive(Debug)]
enum Step {
    Judge,
    Stamp(Vec<Stamp>),
}

/// What must be known of a record beside its headers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) topic: &'a [u8],
    /// Of key and value.
    pub(crate) bytes: usize,
    pub(crate) now_ms: u64,
}

/// What could not be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// A header with the same key has to stay, or there are too many.
    pub(crate) is_not_removable: bool,
    /// A stamp would have made the record too large.
    pub(crate) has_no_room: bool,
}

impl Plan {
    /// `None` where there is nothing to be done, or this librdkafka has no functions for it.
    pub(crate) fn of(settings: &Arc<Settings>, about: &About) -> Option<Self> {
        let mut steps = Vec::<Step>::new();
        for interceptor in settings.interceptors.iter().filter(|_| about.has_header_functions) {
            match interceptor {
                // Twice would count twice.
                Interceptor::Headers { .. } if !steps.iter().any(|step| matches!(step, Step::Judge)) => {
                    steps.push(Step::Judge);
                }
                Interceptor::Stamp { stamps, .. } if about.side == Side::Producer => {
                    let known: Vec<_> = stamps.iter().filter_map(|one| Stamp::of(one, settings, about)).collect();
                    steps.extend((!known.is_empty()).then_some(Step::Stamp(known)));
                }
                _ => {}
            }
        }
        let (settings, without, ids) = (Arc::clone(settings), Rules::default(), UniqueIds::new());
        (!steps.is_empty()).then_some(Self { settings, without, steps, most_bytes: about.most_record_bytes, ids })
    }

    /// A record is to be sent: remove what is denied, add stamps, and count what it had when it was judged.
    pub(crate) fn send(
        &mut self,
        record: Record<'_>,
        list: &mut impl HeaderList,
        counts: &mut Option<HeaderCounts>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let Self { settings, without, steps, most_bytes, ids } = self;
        let rules = settings.headers.as_ref().unwrap_or(without);
        for step in steps {
            match step {
                Step::Judge => {
                    let counts = counts.get_or_insert_with(|| HeaderCounts::new(settings.limits.topics));
                    outcome.is_not_removable = !judge_and_remove(rules, record.topic, list, counts);
                }
                Step::Stamp(stamps) => {
                    let have_room = stamp(stamps, list, (record.bytes, *most_bytes), (ids, record.now_ms));
                    outcome.has_no_room |= !have_room;
                }
            }
        }
        outcome
    }

    /// A record is handed to the application: count what it has.
    pub(crate) fn consume(&self, topic: &[u8], list: &impl HeaderList, counts: &mut Option<HeaderCounts>) {
        // Its steps are none but to judge.
        let rules = self.settings.headers.as_ref().unwrap_or(&self.without);
        let counts = counts.get_or_insert_with(|| HeaderCounts::new(self.settings.limits.topics));
        judge(rules, topic, list, counts, |_| {});
    }
}

/// Whether all that is denied is gone. librdkafka removes by name: what is denied stays where a header of the same name
/// is not.
pub(super) fn judge_and_remove(
    rules: &Rules,
    topic: &[u8],
    list: &mut impl HeaderList,
    counts: &mut HeaderCounts,
) -> bool {
    let mut denied = BTreeMap::<Box<[u8]>, u64>::new();
    let (place, sets) = judge(rules, topic, list, counts, |name| {
        let count = denied.entry(name.into()).or_default();
        *count = count.saturating_add(1);
    });
    let are_sets_allowed = sets.make(list, counts, place);
    if denied.is_empty() {
        return are_sets_allowed;
    }
    let all = denied.len();
    for header in list.all() {
        if denied.contains_key(header.name) && !rules.judge(header.name, header.value).is_removed() {
            denied.remove(header.name);
        }
    }
    let mut gone = 0_usize;
    for (name, count) in denied.iter().take(MOST_REMOVED) {
        if list.remove(name) {
            counts.add_removed(place, name, *count);
            gone = gone.saturating_add(1);
        }
    }
    are_sets_allowed && gone == all
}

/// Count the headers of a record; those that a producer has to remove are told.
fn judge(
    rules: &Rules,
    topic: &[u8],
    list: &impl HeaderList,
    counts: &mut HeaderCounts,
    mut tell_removed: impl FnMut(&[u8]),
) -> (Place, SetChanges) {
    let (place, mut required) = (counts.begin(topic), rules.required());
    let mut has_sets = false;
    for header in list.all() {
        if rules.reads_set(header.name) {
            has_sets = true;
            continue;
        }
        let verdict = rules.judge(header.name, header.value);
        required.saw(&verdict);
        counts.add(place, header, &verdict, rules.counts_values(header.name, &verdict));
        if verdict.is_removed() {
            tell_removed(header.name);
        }
    }
    let sets =
        if has_sets { evaluate_sets(rules, list, &mut required, (counts, place)) } else { SetChanges::default() };
    required.missing().for_each(|name| counts.add_missing(place, name));
    (place, sets)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::{HeaderCounts, Outcome, Plan, Record};
    use crate::client::{About, Side};
    use crate::headers::list::tests::{Listed, listed};
    use crate::settings::Settings;

    fn plan(side: Side, interceptors: &Value, headers: &Value) -> Option<Plan> {
        plan_on(true, side, interceptors, headers)
    }

    fn plan_on(has_header_functions: bool, side: Side, interceptors: &Value, headers: &Value) -> Option<Plan> {
        let text = json!({
            "installation": "main", "cluster_id": "c1", "namespace": "shop", "name": "orders", "suspend": false,
            "interceptors": interceptors, "collector": null, "headers": headers, "attributes": {"team": "red"},
        });
        let about = About {
            number: 1,
            handle: 0,
            side,
            client_id: Some("writer".to_owned()),
            group_id: None,
            are_acknowledged: true,
            pod: "shop/orders-1".to_owned(),
            most_record_bytes: 1_000,
            has_header_functions,
        };
        Plan::of(&Arc::new(Settings::parse(text.to_string().as_bytes()).unwrap()), &about)
    }

    fn judging() -> Value {
        json!({"type": "Headers", "name": "headers"})
    }

    fn stamping(stamps: &Value) -> Value {
        json!({"type": "Stamp", "name": "stamp", "stamps": stamps})
    }

    fn tenant() -> Value {
        json!({"keys": [{"name": "tenant", "type": "Int32", "policy": "Deny", "required": true}], "unregistered": "Deny"})
    }

    /// What becomes of a record of so many bytes; what is counted of its headers, as key, headers and removed ones.
    fn sent(plan: &mut Plan, mut list: Listed, bytes: usize) -> (Listed, Outcome, Vec<(String, u64, u64)>) {
        let mut counts = None;
        let outcome = plan.send(Record { topic: b"orders", bytes, now_ms: 1 }, &mut list, &mut counts);
        let counted = counts.iter().flat_map(HeaderCounts::iter);
        let of_key = counted
            .map(|(_, key, counts)| (key.unwrap_or_default().to_owned(), counts.tally.headers, counts.tally.removed));
        let of_key = of_key.collect();
        (list, outcome, of_key)
    }

    #[test]
    fn what_is_denied_is_removed_and_counted() {
        let mut plan = plan(Side::Producer, &json!([judging()]), &tenant()).unwrap();
        let list = listed(&[("tenant", Some("four")), ("x", Some("1")), ("y", None), ("x", Some("2"))]);

        let (left, outcome, counted) = sent(&mut plan, list, 10);

        assert_eq!((left, outcome), (listed(&[("tenant", Some("four"))]), Outcome::default()));
        assert_eq!(counted, [("tenant".to_owned(), 1, 0), ("x".to_owned(), 2, 2), ("y".to_owned(), 1, 1)]);
    }

    #[test]
    fn what_is_denied_stays_where_another_of_its_name_is_allowed() {
        let mut plan = plan(Side::Producer, &json!([judging()]), &tenant()).unwrap();
        let list = listed(&[("tenant", Some("four")), ("tenant", Some("wrong"))]);

        let (left, outcome, counted) = sent(&mut plan, list.clone(), 10);

        assert_eq!((left, outcome), (list, Outcome { is_not_removable: true, has_no_room: false }));
        assert_eq!(counted, [("tenant".to_owned(), 2, 0)]);
    }

    #[test]
    fn a_consumer_removes_nothing_and_has_no_stamps() {
        let entries = json!([judging(), stamping(&json!([{"key": "pod", "from": "Pod"}]))]);
        let plan = plan(Side::Consumer, &entries, &tenant()).unwrap();
        let (list, mut counts) = (listed(&[("x", Some("1"))]), None);

        plan.consume(b"orders", &list, &mut counts);

        let counts = counts.unwrap();
        let counted: Vec<_> = counts.iter().map(|(_, key, of)| (key, of.tally.headers, of.tally.removed)).collect();
        assert_eq!(counted, [(Some("x"), 1, 0), (Some("tenant"), 0, 0)]);
        assert_eq!(list.len(), 1);
    }

    #[test]
    fn a_record_gets_the_stamps_that_it_has_not_and_whose_text_is_known() {
        let stamps = json!([
            {"key": "client", "from": "ClientId"}, {"key": "cluster", "from": "ClusterId"}, {"key": "pod", "from": "Pod"},
            {"key": "namespace", "from": "Namespace"}, {"key": "workload", "from": "Workload"},
            {"key": "stage", "from": "Value", "value": "live"}, {"key": "team", "from": "Attribute", "value": "team"},
            {"key": "other", "from": "Attribute", "value": "no such"}, {"key": "zero\u{0}", "from": "Pod"},
        ]);
        let mut plan = plan(Side::Producer, &json!([stamping(&stamps)]), &Value::Null).unwrap();

        let (stamped, outcome, counted) = sent(&mut plan, listed(&[("pod", None)]), 10);

        let expected = [
            ("pod", None),
            ("client", Some("writer")),
            ("cluster", Some("c1")),
            ("namespace", Some("shop")),
            ("stage", Some("live")),
            ("team", Some("red")),
        ];
        assert_eq!((stamped, outcome, counted), (listed(&expected), Outcome::default(), vec![]));
    }

    #[test]
    fn each_record_gets_a_unique_id_of_its_own() {
        let stamps = json!([{"key": "id", "from": "UniqueId"}]);
        let mut plan = plan(Side::Producer, &json!([stamping(&stamps)]), &Value::Null).unwrap();

        let (one, ..) = sent(&mut plan, listed(&[]), 10);
        let (other, ..) = sent(&mut plan, listed(&[]), 10);

        assert_ne!(one, other);
    }

    #[test]
    fn a_record_never_grows_beyond_what_the_client_may_send() {
        let stamps = json!([
            {"key": "long", "from": "Value", "value": "x".repeat(86)}, {"key": "short", "from": "Value", "value": "y"},
        ]);
        let mut plan = plan(Side::Producer, &json!([stamping(&stamps)]), &Value::Null).unwrap();
        let keys = |list: &Listed| list.0.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();

        // 97 bytes of the record and its batch, 100 and 16 of the two stamps.
        let (both, outcome, _) = sent(&mut plan, listed(&[]), 1_000 - 97 - 116);
        assert_eq!((keys(&both).len(), outcome.has_no_room), (2, false));
        let (first, outcome, _) = sent(&mut plan, listed(&[]), 1_000 - 97 - 115);
        assert_eq!((keys(&first), outcome.has_no_room), (vec![b"long".to_vec()], true));
        let (second, outcome, _) = sent(&mut plan, listed(&[]), 1_000 - 97 - 99);
        assert_eq!((keys(&second), outcome.has_no_room), (vec![b"short".to_vec()], true));
        let (none, outcome, _) = sent(&mut plan, listed(&[("own", Some("header"))]), 1_000 - 97 - 18);
        assert_eq!((keys(&none), outcome.has_no_room), (vec![b"own".to_vec()], true));
    }

    #[test]
    fn interceptors_act_in_their_order() {
        let stamp = stamping(&json!([{"key": "pod", "from": "Pod"}]));
        let list = listed(&[("tenant", Some("four"))]);

        let mut stamped_last = plan(Side::Producer, &json!([judging(), stamp]), &tenant()).unwrap();
        assert_eq!(sent(&mut stamped_last, list.clone(), 10).0.len(), 2);
        let mut judged_last = plan(Side::Producer, &json!([stamp, judging()]), &tenant()).unwrap();
        assert_eq!(sent(&mut judged_last, list.clone(), 10).0, list);
    }

    #[test]
    fn interceptors_of_other_runtimes_are_no_reason_to_look() {
        let others = json!([{"type": "Tracing", "name": "tracing"}, {"type": "Checksum", "name": "checksum"}]);

        assert!(plan(Side::Producer, &others, &tenant()).is_none());
        let stamp = stamping(&json!([{"key": "pod", "from": "Pod"}]));
        assert!(plan(Side::Consumer, &json!([stamp]), &tenant()).is_none());
    }

    #[test]
    fn a_librdkafka_without_functions_for_headers_is_not_asked_for_any() {
        assert!(plan_on(false, Side::Producer, &json!([judging()]), &tenant()).is_none());
    }

    #[test]
    fn no_more_keys_are_removed_than_librdkafka_can_look_for() {
        let mut plan = plan(Side::Producer, &json!([judging()]), &json!({"unregistered": "Deny"})).unwrap();
        let names: Vec<String> = (0..300).map(|number| format!("key {number}")).collect();
        let headers: Vec<_> = names.iter().map(|name| (name.as_str(), None)).collect();

        let (left, outcome, _) = sent(&mut plan, listed(&headers), 10);

        assert_eq!((left.len(), outcome.is_not_removable), (300 - super::MOST_REMOVED, true));
    }
}
