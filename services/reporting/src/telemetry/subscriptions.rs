//! Which subscriptions a cluster has, and what they ask of a client together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::checksum::crc32c;
use super::client::Selectors;
use super::instances::InstanceId;

/// Kafka's default, which is also the longest interval that a broker asks for.
const LONGEST_INTERVAL_MS: u32 = 300_000;
const SHORTEST_INTERVAL_MS: u32 = 100;
const ALL_METRICS: &str = "*";
/// What a compiled pattern may take; more has only one that was written to.
const PATTERN_BYTES: usize = 1 << 20;
/// How many different sets are remembered: clients choose by what they call themselves which they hit.
const MOST_REQUESTED: usize = 4_096;

/// A subscription as the collector writes it.
#[derive(Debug, Deserialize)]
struct Written {
    id: String,
    #[serde(default)]
    metrics: Vec<String>,
    #[serde(default = "longest")]
    interval_ms: u32,
    #[serde(default, rename = "match")]
    patterns: BTreeMap<String, String>,
}

const fn longest() -> u32 {
    LONGEST_INTERVAL_MS
}

#[derive(Debug)]
struct Subscription {
    metrics: Vec<Arc<str>>,
    interval_ms: u32,
    patterns: Vec<(String, Regex)>,
}

impl Subscription {
    fn matches(&self, client: &Selectors<'_>) -> bool {
        let fits = |(name, pattern): &(String, Regex)| client.get(name).is_some_and(|value| pattern.is_match(value));
        self.patterns.iter().all(fits)
    }
}

/// What is asked of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requested {
    /// Prefixes, in order; exactly `*` for all metrics, and none for nothing.
    pub metrics: Vec<Arc<str>>,
    /// How often to push, in milliseconds.
    pub interval_ms: u32,
    checksum: u32,
}

impl Requested {
    fn new(metrics: BTreeSet<Arc<str>>, interval_ms: u32) -> Self {
        let is_all = metrics.iter().any(|prefix| &**prefix == ALL_METRICS);
        let metrics: Vec<_> = if is_all { vec![ALL_METRICS.into()] } else { metrics.into_iter().collect() };
        let text = format!("[{}]{interval_ms}", metrics.join(", "));
        Self { metrics, interval_ms, checksum: crc32c(text.as_bytes()) }
    }

    /// The subscription id of an instance that is asked for this.
    #[must_use]
    pub fn id(&self, instance: InstanceId) -> i32 {
        (self.checksum ^ instance.java_hash()).cast_signed()
    }
}

/// Subscriptions that cannot be read here are left out; each has a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The id of the subscription.
    pub id: String,
    /// What is wrong, for people.
    pub reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "subscription {:?}: {}", self.id, self.reason)
    }
}

/// All subscriptions of a cluster.
#[derive(Debug, Default)]
pub struct Subscriptions {
    all: Vec<Subscription>,
    /// Those that are left out.
    pub unreadable: Vec<Unreadable>,
    requested: Vec<Arc<Requested>>,
    /// Numbers in `requested`, by which subscriptions match.
    numbers: HashMap<Box<[u32]>, u32>,
}

impl Subscriptions {
    /// Read them from JSON: an array of objects with `id`, `metrics`, `interval_ms` and `match`.
    ///
    /// # Errors
    /// It is no such array.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        let written: Vec<Written> = serde_json::from_str(json)?;
        let mut all = Self::default();
        for one in written {
            match compiled(&one) {
                Ok(subscription) => all.all.push(subscription),
                Err(reason) => all.unreadable.push(Unreadable { id: one.id, reason }),
            }
        }
        Ok(all)
    }

    /// None that asks for anything, until the real ones are known; clients come back after this time.
    #[must_use]
    pub fn unknown(interval_ms: u32) -> Self {
        let mut none = Self::default();
        none.requested.push(Arc::new(Requested::new(BTreeSet::new(), interval_ms)));
        none.numbers.insert(Box::default(), 0);
        none
    }

    /// How many can be read.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if there is none that can be read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of what is asked of a client; `None` where there were too many different ones, and all have to be
    /// found again.
    pub(super) fn number(&mut self, client: &Selectors<'_>) -> Option<u32> {
        let matching = |(number, one): (usize, &Subscription)| {
            one.matches(client).then(|| u32::try_from(number).unwrap_or(u32::MAX))
        };
        let matching: Box<[u32]> = self.all.iter().enumerate().filter_map(matching).collect();
        if let Some(number) = self.numbers.get(&matching) {
            return Some(*number);
        }
        if self.requested.len() >= MOST_REQUESTED {
            return None;
        }
        let found = || matching.iter().filter_map(|number| self.all.get(*number as usize));
        let metrics = found().flat_map(|one| one.metrics.iter().cloned()).collect();
        let interval_ms = found().map(|one| one.interval_ms).fold(LONGEST_INTERVAL_MS, u32::min);
        let number = u32::try_from(self.requested.len()).ok()?;
        self.requested.push(Arc::new(Requested::new(metrics, interval_ms)));
        self.numbers.insert(matching, number);
        Some(number)
    }

    /// What has this number.
    pub(super) fn requested(&self, number: u32) -> Option<&Arc<Requested>> {
        self.requested.get(number as usize)
    }

    /// Forget which clients are asked for what.
    pub(super) fn begin_again(&mut self) {
        self.requested.clear();
        self.numbers.clear();
    }
}

fn compiled(written: &Written) -> Result<Subscription, String> {
    let interval_ms = written.interval_ms;
    if interval_ms < SHORTEST_INTERVAL_MS {
        return Err(format!("its interval is {interval_ms} ms, less than {SHORTEST_INTERVAL_MS}"));
    }
    let pattern = |(name, text): (&String, &String)| {
        // The whole value has to match, as in the broker.
        RegexBuilder::new(&format!(r"\A(?:{text})\z"))
            .size_limit(PATTERN_BYTES)
            .build()
            .map(|pattern| (name.clone(), pattern))
            .map_err(|_| format!("its pattern {text:?} for {name} cannot be read here"))
    };
    let patterns = written.patterns.iter().map(pattern).collect::<Result<_, _>>()?;
    Ok(Subscription {
        metrics: written.metrics.iter().map(|prefix| prefix.as_str().into()).collect(),
        interval_ms,
        patterns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(json: &str, client: &Selectors<'_>) -> Requested {
        let mut subscriptions = Subscriptions::parse(json).unwrap();
        let number = subscriptions.number(client).unwrap();
        (**subscriptions.requested(number).unwrap()).clone()
    }

    fn prefixes(requested: &Requested) -> Vec<&str> {
        requested.metrics.iter().map(|prefix| &**prefix).collect()
    }

    const JSON: &str = r#"[
        {"id": "a", "metrics": ["p.", "c."], "interval_ms": 60000, "match": {"client_id": "orders-\\d+"}},
        {"id": "b", "metrics": ["c."], "interval_ms": 10000, "match": {"client_software_name": "java|apache-.*"}},
        {"id": "c", "metrics": ["*"], "interval_ms": 600000, "match": {"client_source_port": "9"}},
        {"id": "d", "metrics": ["z."], "match": {"client_id": "(?=x)"}}
    ]"#;

    #[test]
    fn what_matches_is_united_and_the_shortest_interval_counts() {
        let client =
            Selectors { client_id: Some("orders-7"), client_software_name: Some("java"), ..Default::default() };

        let both = requested(JSON, &client);

        assert_eq!((prefixes(&both), both.interval_ms), (vec!["c.", "p."], 10_000));
        let longer = Selectors { client_id: Some("orders-7x"), ..client };
        assert_eq!(prefixes(&requested(JSON, &longer)), ["c."], "the whole value has to match");
    }

    #[test]
    fn all_metrics_are_one_prefix_and_no_interval_is_longer_than_kafkas() {
        let client = Selectors { client_source_port: Some("9"), client_id: Some("orders-7"), ..Default::default() };

        let all = requested(JSON, &client);

        assert_eq!((prefixes(&all), all.interval_ms), (vec!["*"], 60_000));
        let alone = requested(JSON, &Selectors { client_source_port: Some("9"), ..Default::default() });
        assert_eq!(alone.interval_ms, 300_000);
    }

    #[test]
    fn a_selector_of_which_nothing_is_known_never_matches() {
        let nobody = requested(JSON, &Selectors::default());

        assert_eq!((prefixes(&nobody), nobody.interval_ms), (vec![], 300_000));
    }

    #[test]
    fn a_pattern_that_only_java_reads_leaves_its_subscription_out() {
        let subscriptions = Subscriptions::parse(JSON).unwrap();

        assert_eq!((subscriptions.len(), subscriptions.unreadable.len()), (3, 1));
        assert_eq!(subscriptions.unreadable[0].id, "d");
    }

    #[test]
    fn an_id_is_the_same_wherever_it_is_made() {
        let (one, other) = (Subscriptions::parse(JSON).unwrap(), Subscriptions::parse(JSON).unwrap());
        let client = Selectors { client_id: Some("orders-1"), ..Default::default() };
        let id = |mut subscriptions: Subscriptions| {
            let number = subscriptions.number(&client).unwrap();
            subscriptions.requested(number).unwrap().id(InstanceId([7; 16]))
        };

        assert_eq!(id(one), id(other));
    }

    #[test]
    fn the_number_of_sets_is_bounded_whatever_clients_call_themselves() {
        let all: Vec<_> = (0..14)
            .map(|bit| format!(r#"{{"id":"{bit}","metrics":["m{bit}."],"match":{{"client_id":".{{{bit}}}1.*"}}}}"#))
            .collect();
        let mut subscriptions = Subscriptions::parse(&format!("[{}]", all.join(","))).unwrap();

        let refused = (0..1 << 14).filter(|number| {
            let client_id = format!("{number:014b}");
            subscriptions.number(&Selectors { client_id: Some(&client_id), ..Default::default() }).is_none()
        });

        assert_eq!(refused.count(), (1 << 14) - MOST_REQUESTED);
    }
}
