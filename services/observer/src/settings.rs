//! What an observer is told: the settings file, read strictly and judged before it is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::num::NonZeroU32;
use std::path::PathBuf;

use kwitness_wire::record_headers::Rules;
use kwitness_wire::{Wishes, aggregate};
use ring::digest;
use serde::{Deserialize, Deserializer, Serialize};

const HASH_BYTES: usize = 8;
const MOST_PUSH_BYTES: u32 = 16 << 20;

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) cluster_id: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) mode: Mode,
    pub(crate) reported_by: ReportedBy,
    pub(crate) suspend: bool,
    pub(crate) upstream: Upstream,
    pub(crate) listener: Listener,
    pub(crate) window_ms: u64,
    pub(crate) report: Report,
    pub(crate) identity: Identity,
    pub(crate) limits: Limits,
    #[serde(deserialize_with = "given")]
    pub(crate) collector: Option<Collector>,
    pub(crate) metrics_port: u16,
    /// What made the pod, of a sidecar.
    pub(crate) workload: Option<Workload>,
    /// How clients' telemetry is answered; `None` where that is the brokers'.
    #[serde(default)]
    pub(crate) telemetry: Option<Telemetry>,
    /// Of the bytes of the file, in hexadecimal digits.
    #[serde(skip)]
    pub(crate) hash: String,
}

/// Where an observer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    Gateway,
    Sidecar,
    Broker,
    Laptop,
}

impl Mode {
    /// As records spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Sidecar => "sidecar",
            Self::Broker => "broker",
            Self::Laptop => "laptop",
        }
    }
}

/// Whose observer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReportedBy {
    Gateway,
    Pod,
    Broker,
    Laptop,
}

impl ReportedBy {
    /// As records spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Pod => "pod",
            Self::Broker => "broker",
            Self::Laptop => "laptop",
        }
    }
}

/// The brokers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Upstream {
    pub(crate) bootstrap_servers: Vec<Address>,
    pub(crate) tls: Option<UpstreamTls>,
}

/// TLS towards the brokers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpstreamTls {
    /// CA certificates that are trusted, PEM; without it those of the system.
    pub(crate) ca_file: Option<PathBuf>,
}

/// Where clients come in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listener {
    pub(crate) name: String,
    pub(crate) bind: std::net::IpAddr,
    pub(crate) bootstrap_port: u16,
    pub(crate) advertised_host: String,
    /// The port of each broker, by its node id. Where a sidecar has none, brokers get theirs as they are seen.
    pub(crate) brokers: BTreeMap<i32, u16>,
    /// Without it clients speak plaintext.
    pub(crate) tls: Option<ListenerTls>,
    /// Ports whose connections are redirected to the bootstrap port; where there are some, nothing is changed. A
    /// sidecar gets those that the pod opens, a broker's own observer those that come from outside of it.
    #[serde(default)]
    pub(crate) redirected: BTreeSet<u16>,
}

/// TLS towards clients.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "as the file spells them")]
pub(crate) struct ListenerTls {
    /// The listener's certificate and those that it is signed by, PEM.
    pub(crate) certificate_file: PathBuf,
    /// Its private key, PEM.
    pub(crate) key_file: PathBuf,
    /// CA certificates of those who sign clients' certificates, PEM; without it clients need none.
    pub(crate) client_ca_file: Option<PathBuf>,
}

/// What is reported.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    pub(crate) connections: bool,
    pub(crate) traffic: bool,
    pub(crate) latency: bool,
    /// Requests and responses one by one; `None` where they are not reported.
    pub(crate) requests: Option<Requests>,
    /// Which header keys records have; `None` where nobody looks.
    pub(crate) headers: Option<Headers>,
}

/// How headers of records are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Headers {
    /// What registers say of them.
    #[serde(default)]
    pub(crate) rules: Rules,
    /// One batch in so many is looked into.
    pub(crate) sample_every: NonZeroU32,
    /// Thousandths of a processor core that it may take.
    pub(crate) cpu_permille: u32,
}

/// Which of their fields are reported, and how many events at most.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Requests {
    /// APIs by Kafka's names.
    #[serde(default)]
    pub(crate) apis: BTreeSet<String>,
    pub(crate) events_per_second: u32,
}

impl Requests {
    /// What connections are to tell, or the first API whose fields are never told.
    pub(crate) fn wishes(&self, dropped: aggregate::IdentityKeys) -> Result<Wishes, &str> {
        let with = |wishes: Wishes, name| wishes.with_fields_of(name).ok_or(name);
        self.apis.iter().map(String::as_str).try_fold(Wishes::new(dropped), with)
    }
}

/// Which identity keys are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    #[serde(default)]
    pub(crate) drop: BTreeSet<IdentityKey>,
}

/// A key that may be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IdentityKey {
    Principal,
    ClientId,
    ClientInstanceId,
    ClientAddress,
    GroupId,
    GroupMemberId,
    TransactionalId,
}

impl IdentityKey {
    /// The key among all that a connection knows.
    pub(crate) const fn key(self) -> aggregate::IdentityKey {
        match self {
            Self::Principal => aggregate::IdentityKey::Principal,
            Self::ClientId => aggregate::IdentityKey::ClientId,
            Self::ClientInstanceId => aggregate::IdentityKey::ClientInstanceId,
            Self::ClientAddress => aggregate::IdentityKey::ClientAddress,
            Self::GroupId => aggregate::IdentityKey::GroupId,
            Self::GroupMemberId => aggregate::IdentityKey::GroupMemberId,
            Self::TransactionalId => aggregate::IdentityKey::TransactionalId,
        }
    }
}

/// What an observer may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) max_connections: usize,
    pub(crate) max_frame_bytes: usize,
    pub(crate) max_series: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) max_rewrite_bytes: usize,
}

/// Whom an observer reports to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Collector {
    /// With `{ordinal}` in the place of the replica's number.
    pub(crate) url: String,
    pub(crate) replicas: u32,
    /// CA certificates that are trusted, PEM; without it those of the system.
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) token_file: PathBuf,
}

/// Bounds of clients' telemetry that is answered here, after the broker has let in clients that authenticate by SASL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Telemetry {
    pub(crate) max_instances: usize,
    /// The longest push, compressed.
    pub(crate) max_push_bytes: u32,
    #[serde(default)]
    pub(crate) sasl: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Workload {
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// `host:port`; an IPv6 address stands in brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(to, "[{}]:{}", self.host, self.port)
        } else {
            write!(to, "{}:{}", self.host, self.port)
        }
    }
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not host:port; write, for example, kafka.example.org:9092");
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let in_brackets = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let host = in_brackets.unwrap_or(host);
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
        if host.is_empty() || (in_brackets.is_none() && host.contains(':')) {
            return Err(wrong());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A member that may be null and may not be left out.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// Why a settings file is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The path of the field, as `listener.brokers.0`.
    pub(crate) field: String,
    pub(crate) reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}", self.field, self.reason)
    }
}

impl Settings {
    /// Read and judge the bytes of a settings file.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let mut from = serde_json::Deserializer::from_slice(bytes);
        let mut settings: Self = serde_path_to_error::deserialize(&mut from)
            .map_err(|error| Refused { field: error.path().to_string(), reason: error.inner().to_string() })?;
        from.end().map_err(|error| Refused { field: ".".to_owned(), reason: error.to_string() })?;
        settings.judge()?;
        settings.hash = hash(bytes);
        Ok(settings)
    }

    fn judge(&self) -> Result<(), Refused> {
        let refused = |field: &str, reason: &str| Err(Refused { field: field.to_owned(), reason: reason.to_owned() });
        for (field, value) in [
            ("cluster_id", &self.cluster_id),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("listener.name", &self.listener.name),
            ("listener.advertised_host", &self.listener.advertised_host),
        ] {
            if value.is_empty() {
                return refused(field, "is empty");
            }
        }
        if self.upstream.bootstrap_servers.is_empty() {
            return refused("upstream.bootstrap_servers", "is empty; name at least one broker");
        }
        if self.mode == Mode::Broker {
            if self.upstream.bootstrap_servers.len() != 1 {
                return refused("upstream.bootstrap_servers", "names more than the one broker of the observer's pod");
            }
            if !self.listener.brokers.is_empty() {
                return refused("listener.brokers", "has entries, and a broker's own observer has one port");
            }
        }
        let mut ports = BTreeSet::from([self.listener.bootstrap_port]);
        if self.listener.bootstrap_port == 0 {
            return refused("listener.bootstrap_port", "0 is no port");
        }
        for (node, port) in &self.listener.brokers {
            if *node < 0 || *port == 0 || !ports.insert(*port) {
                let reason = format!("node ids are not negative, ports are distinct and not 0; here {node} has {port}");
                return refused(&format!("listener.brokers.{node}"), &reason);
            }
        }
        if !ports.insert(self.metrics_port) {
            return refused("metrics_port", "is a port of the listener");
        }
        if !self.listener.redirected.is_empty() {
            let field = "listener.redirected";
            let is_in_a_pod = matches!(self.mode, Mode::Sidecar | Mode::Broker);
            if !is_in_a_pod || self.listener.tls.is_some() || self.upstream.tls.is_some() {
                return refused(field, "is for one in the pod of a client or broker, without TLS of its own");
            }
            if self.listener.redirected.iter().any(|port| *port == 0 || ports.contains(port)) {
                return refused(field, "has 0, or a port of the observer itself");
            }
        }
        if !(1_000..=3_600_000).contains(&self.window_ms) {
            return refused("window_ms", "is not from 1000 to 3600000");
        }
        for (field, value) in [
            ("limits.max_connections", self.limits.max_connections),
            ("limits.max_frame_bytes", self.limits.max_frame_bytes),
            ("limits.max_series", self.limits.max_series),
            ("limits.queue_bytes", self.limits.queue_bytes),
            ("limits.max_rewrite_bytes", self.limits.max_rewrite_bytes),
        ] {
            if value == 0 {
                return refused(field, "0 allows nothing; give a positive number");
            }
        }
        self.judge_telemetry()?;
        if let Some(workload) = &self.workload {
            for (field, value) in [("workload.kind", &workload.kind), ("workload.name", &workload.name)] {
                if value.is_empty() {
                    return refused(field, "is empty");
                }
            }
        }
        if let Some(requests) = &self.report.requests {
            if let Err(name) = requests.wishes(aggregate::IdentityKeys::default()) {
                let reason = format!("{name:?} is no API whose fields can be reported");
                return refused("report.requests.apis", &reason);
            }
            if requests.events_per_second == 0 {
                return refused("report.requests.events_per_second", "0 allows nothing; give a positive number");
            }
        }
        if let Some(headers) = &self.report.headers
            && !(1..=1_000).contains(&headers.cpu_permille)
        {
            return refused("report.headers.cpu_permille", "is not from 1 to 1000");
        }
        let Some(collector) = &self.collector else { return Ok(()) };
        if !["https://", "http://"].iter().any(|scheme| collector.url.starts_with(scheme)) {
            return refused("collector.url", "begins with neither https:// nor http://");
        }
        if collector.replicas == 0 {
            return refused("collector.replicas", "is 0");
        }
        if collector.replicas > 1 && !collector.url.contains("{ordinal}") {
            return refused("collector.url", "has no {ordinal}, and there is more than one replica");
        }
        Ok(())
    }
}

impl Settings {
    fn judge_telemetry(&self) -> Result<(), Refused> {
        let refused = |field: &str, reason: &str| Err(Refused { field: field.to_owned(), reason: reason.to_owned() });
        let Some(telemetry) = &self.telemetry else { return Ok(()) };
        if telemetry.max_instances == 0 {
            return refused("telemetry.max_instances", "0 allows nothing; give a positive number");
        }
        if !(1..=MOST_PUSH_BYTES).contains(&telemetry.max_push_bytes) {
            return refused("telemetry.max_push_bytes", "is not from 1 to 16777216");
        }
        if self.collector.is_none() {
            return refused("telemetry", "has nobody to push to: there is no collector");
        }
        Ok(())
    }
}

fn hash(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest::digest(&digest::SHA256, bytes).as_ref().iter().take(HASH_BYTES) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Address, Settings};

    const GOOD: &str = r#"{"cluster_id":"c","namespace":"n","name":"edge","mode":"gateway","reported_by":"gateway","suspend":false,
        "upstream":{"bootstrap_servers":["b1:9092","[::1]:9092"],"tls":null},
        "listener":{"name":"GATEWAY","bind":"0.0.0.0","bootstrap_port":9092,"advertised_host":"h","brokers":{"0":9093,"7":9094}},
        "window_ms":10000,"report":{"connections":true,"traffic":true,"latency":true},"identity":{"drop":["principal"]},
        "limits":{"max_connections":10,"max_frame_bytes":100,"max_series":10,"queue_bytes":10,"max_rewrite_bytes":10},
        "collector":{"url":"https://c-{ordinal}:8443","replicas":2,"ca_file":"/ca","token_file":"/token"},"metrics_port":8080}"#;

    #[test]
    fn a_good_file_is_taken_with_the_hash_of_its_bytes() {
        let settings = Settings::parse(GOOD.as_bytes()).unwrap();

        assert_eq!(settings.listener.brokers[&7], 9094);
        assert_eq!(settings.upstream.bootstrap_servers[1].to_string(), "[::1]:9092");
        assert_eq!(settings.hash.len(), 16);
        assert_ne!(settings.hash, Settings::parse(format!("{GOOD}\n").as_bytes()).unwrap().hash);
    }

    #[test]
    fn a_bad_file_is_refused_with_the_name_of_its_field() {
        for (good, bad, field) in [
            (r#""window_ms":10000"#, r#""window_ms":"10 s""#, "window_ms"),
            (r#""window_ms":10000"#, r#""window_ms":1"#, "window_ms"),
            (r#""7":9094"#, r#""7":9093"#, "listener.brokers.7"),
            (r#""7":9094"#, r#""seven":9094"#, "listener.brokers"),
            (r#""b1:9092","[::1]:9092""#, r#""b1""#, "upstream.bootstrap_servers[0]"),
            (r#""b1:9092","[::1]:9092""#, "", "upstream.bootstrap_servers"),
            (r#""max_series":10"#, r#""max_series":0"#, "limits.max_series"),
            (r#""metrics_port":8080"#, r#""metrics_port":9093"#, "metrics_port"),
            (r#""url":"https://c-{ordinal}:8443""#, r#""url":"https://c:8443""#, "collector.url"),
            (r#""mode":"gateway""#, r#""mode":"Gateway""#, "mode"),
            (
                r#""latency":true"#,
                r#""latency":true,"requests":{"apis":["SaslAuthenticate"],"events_per_second":1}"#,
                "report.requests.apis",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"requests":{"events_per_second":0}"#,
                "report.requests.events_per_second",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{},"sample_every":0,"cpu_permille":10}"#,
                "report.headers.sample_every",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{},"sample_every":1,"cpu_permille":1001}"#,
                "report.headers.cpu_permille",
            ),
            (
                r#""latency":true"#,
                r#""latency":true,"headers":{"rules":{"keys":[{"name":""}]},"sample_every":1,"cpu_permille":1}"#,
                "report.headers.rules",
            ),
            (r#""7":9094}"#, r#""7":9094},"redirected":[9092]"#, "listener.redirected"),
        ] {
            let refused = Settings::parse(GOOD.replace(good, bad).as_bytes()).unwrap_err();

            assert!(refused.field.starts_with(field), "{bad}: {refused}");
        }
    }

    #[test]
    fn a_brokers_own_observer_has_one_broker_and_one_port() {
        let of_broker = GOOD.replace(r#""mode":"gateway""#, r#""mode":"broker""#);
        let of_one = of_broker.replace(r#","[::1]:9092""#, "");

        let refused = |text: &str| Settings::parse(text.as_bytes()).unwrap_err().field;
        assert_eq!(refused(&of_broker), "upstream.bootstrap_servers");
        assert_eq!(refused(&of_one), "listener.brokers");
        let good = of_one.replace(r#""0":9093,"7":9094"#, "");
        assert!(Settings::parse(good.as_bytes()).is_ok());
        let redirected =
            |port: u16| good.replace(r#""brokers":{}"#, &format!(r#""brokers":{{}},"redirected":[{port}]"#));
        assert!(Settings::parse(redirected(9095).as_bytes()).is_ok());
        assert_eq!(refused(&redirected(9092)), "listener.redirected");
        let tls = r#""redirected":[9095],"tls":{"certificate_file":"/c","key_file":"/k","client_ca_file":null}"#;
        assert_eq!(refused(&redirected(9095).replace(r#""redirected":[9095]"#, tls)), "listener.redirected");
    }

    #[test]
    fn the_examples_that_the_operator_reads_too_are_judged_alike() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/observer_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let judged = |example: &serde_json::Value| Settings::parse(example["settings"].to_string().as_bytes());

        for example in examples["valid"].as_array().unwrap() {
            judged(example).unwrap_or_else(|refused| panic!("{}: {refused}", example["name"]));
        }
        for example in examples["refused"].as_array().unwrap() {
            let refused = judged(example).unwrap_err().to_string();
            assert!(refused.contains(example["field"].as_str().unwrap()), "{}: {refused}", example["field"]);
        }
        for example in examples["hashes"].as_array().unwrap() {
            assert_eq!(super::hash(example["text"].as_str().unwrap().as_bytes()), example["hash"]);
        }
    }

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for wrong in ["", "host", ":9092", "host:", "host:0", "host:99999", "::1:9092", "[]:9092"] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong:?}");
        }
    }
}
