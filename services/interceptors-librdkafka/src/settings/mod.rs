//! What interceptors are told: the file interceptors.json, read strictly and judged before it is used.

mod identity;
mod interceptor;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use kwitness_observation::IdentityPolicy;
use kwitness_observation::record_headers::Rules;
pub(crate) use kwitness_reporting::Collector;
use kwitness_reporting::{Refused, nullable, read_settings, settings_hash};
use serde::{Deserialize, Serialize};

use identity::Identity;
use interceptor::default_keys_window_ms;
pub(crate) use interceptor::{Interceptor, Stamp, StampFrom};
use texts::{is_attribute, is_label, is_selection};

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    installation: String,
    pub(crate) cluster_id: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) suspend: bool,
    pub(crate) interceptors: Vec<Interceptor>,
    /// Names, or what names begin with and a star; all where there are none.
    #[serde(default)]
    pub(crate) topics: Vec<String>,
    #[serde(default = "default_window_ms")]
    pub(crate) window_ms: u64,
    #[serde(default)]
    pub(crate) limits: Limits,
    #[serde(default)]
    pub(crate) attributes: BTreeMap<String, String>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) collector: Option<Collector>,
    pub(crate) workload: Option<Workload>,
    /// For Python and Java: whoever names this plugin by a setting names the observer by one, too.
    through_observer: Option<ThroughObserver>,
    /// What headers are judged by.
    pub(crate) headers: Option<Rules>,
    identity: Option<Identity>,
    /// Of the bytes of the file, in hexadecimal digits.
    #[serde(skip)]
    pub(crate) hash: String,
}

/// What interceptors may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    pub(crate) topics: usize,
    pub(crate) partitions: usize,
    pub(crate) clients: usize,
    pub(crate) queue_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { topics: 32, partitions: 256, clients: 256, queue_bytes: 1 << 20 }
    }
}

/// A workload of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Workload {
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// How clients connect to the observer of their pod.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThroughObserver {
    bootstrap_servers: Option<String>,
    #[serde(default)]
    addresses: BTreeSet<String>,
    #[serde(default)]
    protocols: BTreeMap<SecurityProtocol, SecurityProtocol>,
}

/// As Kafka spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum SecurityProtocol {
    Plaintext,
    Ssl,
    SaslPlaintext,
    SaslSsl,
}

const fn default_window_ms() -> u64 {
    10_000
}

impl Settings {
    /// Read and judge the bytes of a settings file.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let mut settings: Self = read_settings(bytes)?;
        settings.judge()?;
        settings.hash = settings_hash(bytes);
        Ok(settings)
    }

    /// Returns what keeps, hashes or drops identity keys, with the key that its file has now.
    pub(crate) fn identity_policy(&self) -> IdentityPolicy {
        self.identity.as_ref().map(Identity::policy).unwrap_or_default()
    }

    /// Whether records of this topic are counted.
    pub(crate) fn selects(&self, topic: &[u8]) -> bool {
        let is_selected = |one: &String| match one.strip_suffix('*') {
            Some(beginning) => topic.starts_with(beginning.as_bytes()),
            None => topic == one.as_bytes(),
        };
        self.topics.is_empty() || self.topics.iter().any(is_selected)
    }

    /// The length of the windows in which keys are counted; `None` where they are not.
    pub(crate) fn keys_window_ms(&self) -> Option<u64> {
        self.interceptors.iter().find_map(|one| match one {
            Interceptor::Cardinality { window_ms, .. } => Some(*window_ms),
            _ => None,
        })
    }

    fn judge(&self) -> Result<(), Refused> {
        let refused = |field: &str, reason: String| Err(Refused { field: field.to_owned(), reason });
        if self.cluster_id.is_empty() || self.cluster_id.len() > 64 {
            return refused("cluster_id", "must have 1 to 64 characters".to_owned());
        }
        for (field, value, longest, between) in [
            ("installation", &self.installation, 253, "-."),
            ("namespace", &self.namespace, 63, "-"),
            ("name", &self.name, 253, "-."),
        ] {
            if !is_label(value, longest, between.as_bytes()) {
                return refused(field, format!("{value:?} is no name of Kubernetes"));
            }
        }
        if let Some(wrong) = self.interceptors.iter().find(|one| !one.is_right()) {
            return refused(
                "interceptors",
                format!("{:?} has a name, a class or a header that none can have", wrong.name()),
            );
        }
        if self.topics.len() > 64 {
            return refused("topics", "are more than 64".to_owned());
        }
        if let Some(wrong) = self.topics.iter().find(|topic| !is_selection(topic)) {
            return refused("topics", format!("{wrong:?} is no topic's name, nor what names begin with and a star"));
        }
        if self.attributes.len() > 16 || !self.attributes.iter().all(|(name, value)| is_attribute(name, value)) {
            let rule = "16 at most, names in lower case with digits and underscores, each text 63 characters at most";
            return refused("attributes", rule.to_owned());
        }
        if self.interceptors.is_empty() || self.interceptors.len() > 16 {
            return refused("interceptors", format!("{} of them: there must be 1 to 16", self.interceptors.len()));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = self.interceptors.iter().find(|one| !names.insert(one.name())) {
            return refused("interceptors", format!("two of them have the same name {:?}", twice.name()));
        }
        for (field, value, least, most) in [
            ("window_ms", self.window_ms, 1_000, 3_600_000),
            ("interceptors.window_ms", self.keys_window_ms().unwrap_or_else(default_keys_window_ms), 1_000, 3_600_000),
            ("limits.topics", wide(self.limits.topics), 1, 1_024),
            ("limits.partitions", wide(self.limits.partitions), 1, 1_024),
            ("limits.clients", wide(self.limits.clients), 1, 4_096),
            ("limits.queue_bytes", wide(self.limits.queue_bytes), 65_536, 67_108_864),
        ] {
            if !(least..=most).contains(&value) {
                return refused(field, format!("{value} is not from {least} to {most}"));
            }
        }
        if let Some((field, reason)) = self.identity.as_ref().and_then(Identity::wrong) {
            return refused(field, reason.to_owned());
        }
        if let Some(collector) = &self.collector {
            if !(1..=1_024).contains(&collector.replicas) {
                return refused("collector.replicas", format!("{} is not from 1 to 1024", collector.replicas));
            }
            if !collector.url.starts_with("http://") && !collector.url.starts_with("https://") {
                return refused("collector.url", "begins with neither http:// nor https://".to_owned());
            }
            if collector.replicas > 1 && !collector.url.contains("{ordinal}") {
                return refused("collector.url", "has no {ordinal}, and there are several replicas".to_owned());
            }
        }
        Ok(())
    }
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use kwitness_observation::IdentityKey;

    use super::Settings;

    const GOOD: &str = r#"{"installation":"main","cluster_id":"c","namespace":"shop","name":"orders","suspend":false,
        "interceptors":[{"type":"Audit","name":"audit"},{"type":"Cardinality","name":"keys","window_ms":30000}],
        "topics":["orders","audit-*"],"window_ms":1000,"collector":null}"#;

    #[test]
    fn what_a_file_leaves_out_has_its_default() {
        let settings = Settings::parse(GOOD.as_bytes()).unwrap();

        assert_eq!((settings.limits.topics, settings.limits.queue_bytes), (32, 1 << 20));
        assert_eq!(settings.keys_window_ms(), Some(30_000));
        assert_eq!(settings.hash.len(), 16);
        assert_ne!(settings.hash, Settings::parse(format!("{GOOD}\n").as_bytes()).unwrap().hash);
    }

    #[test]
    fn identities_are_hashed_by_the_key_of_a_file_and_dropped_without() {
        let file = std::env::temp_dir().join(format!("kwitness-key-{}", std::process::id()));
        let identity = serde_json::json!({"drop": ["group_id"], "hash": ["client_id"], "key_file": file});
        let text = GOOD.replace(r#""collector""#, &format!(r#""identity":{identity},"collector""#));
        let settings = Settings::parse(text.as_bytes()).unwrap();
        let shown = || {
            let policy = settings.identity_policy();
            let value = |key| policy.value(key, b"orders").map(|value| String::from_utf8(value.into_owned()).unwrap());
            ([IdentityKey::ClientId, IdentityKey::GroupId].map(value), policy.lacks_key())
        };

        let without = shown();
        std::fs::write(&file, "a key of sixteen\n").unwrap();
        let with = shown();
        std::fs::remove_file(file).unwrap();

        assert_eq!(without, ([None, None], true));
        assert_eq!(with, ([Some("hash-bc4633c8d5c8698b449eb2d282f52db2".to_owned()), None], false));
    }

    #[test]
    fn a_topic_is_selected_by_its_name_or_by_what_it_begins_with() {
        let settings = Settings::parse(GOOD.as_bytes()).unwrap();

        let selected = ["orders", "audit-", "audit-eu"].map(|topic| settings.selects(topic.as_bytes()));
        assert_eq!(selected, [true; 3]);
        let others = ["orders2", "order", "audit"].map(|topic| settings.selects(topic.as_bytes()));
        assert_eq!(others, [false; 3]);
        let of_all = GOOD.replace(r#""topics":["orders","audit-*"],"#, "");
        assert!(Settings::parse(of_all.as_bytes()).unwrap().selects(b"any"));
    }

    #[test]
    fn a_bad_file_is_refused_with_the_name_of_its_field() {
        for (good, bad, field) in [
            (r#""window_ms":1000"#, r#""window_ms":"1 s""#, "window_ms"),
            (r#""window_ms":1000"#, r#""window_ms":1"#, "window_ms"),
            (r#""window_ms":30000"#, r#""window_ms":0"#, "interceptors.window_ms"),
            (r#""suspend":false"#, r#""suspend":false,"limits":{"topics":0}"#, "limits.topics"),
            (r#""type":"Audit""#, r#""type":"Spans""#, "interceptors"),
            (r#""name":"keys""#, r#""name":"audit""#, "interceptors"),
            (r#""cluster_id":"c""#, r#""cluster_id":"""#, "cluster_id"),
            (r#","collector":null"#, "", "."),
            (
                r#""collector":null"#,
                r#""collector":{"url":"https://c","replicas":2,"token_file":"/t"}"#,
                "collector.url",
            ),
        ] {
            let refused = Settings::parse(GOOD.replace(good, bad).as_bytes()).unwrap_err();

            assert!(refused.field.starts_with(field), "{bad}: {refused}");
        }
    }

    #[test]
    fn the_examples_that_all_runtimes_read_are_judged_alike() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/interceptor_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let judged = |example: &serde_json::Value| Settings::parse(example["settings"].to_string().as_bytes());

        for example in examples["valid"].as_array().unwrap() {
            judged(example).unwrap_or_else(|refused| panic!("{}: {refused}", example["name"]));
        }
        let whole = examples["valid"][0]["settings"].as_object().unwrap();
        for example in examples["refused"].as_array().unwrap() {
            let mut changed = whole.clone();
            changed.extend(example["change"].as_object().unwrap().clone());
            let refused = Settings::parse(serde_json::json!(changed).to_string().as_bytes()).unwrap_err().to_string();
            assert!(refused.contains(example["field"].as_str().unwrap()), "{}: {refused}", example["change"]);
        }
        for example in examples["defaults"].as_array().unwrap() {
            let means = serde_json::json!({"settings": example["means"]});
            let (short, mut long) = (judged(example).unwrap(), judged(&means).unwrap());
            long.hash.clone_from(&short.hash);
            assert_eq!(short, long);
        }
        for example in examples["selected"].as_array().unwrap() {
            let mut changed = whole.clone();
            changed.insert("topics".to_owned(), example["topics"].clone());
            let settings = Settings::parse(serde_json::json!(changed).to_string().as_bytes()).unwrap();
            let topic = example["topic"].as_str().unwrap();
            assert_eq!(settings.selects(topic.as_bytes()), example["selected"], "{topic} of {}", example["topics"]);
        }
        for example in examples["hashes"].as_array().unwrap() {
            assert_eq!(super::settings_hash(example["text"].as_str().unwrap().as_bytes()), example["hash"]);
        }
    }
}
