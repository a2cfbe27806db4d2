//! Holds a settings file as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

use kwitness_observation as observation;
use kwitness_observation::record_headers::Rules;
use kwitness_observation::{HashKey, IdentityPolicy};
use kwitness_protocol as protocol;
use kwitness_protocol::Wishes;
use kwitness_recording::event_filter_without;
use kwitness_reporting::{Collector, nullable};
use serde::{Deserialize, Serialize};

use super::address::Address;
use crate::end::End;

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
    #[serde(deserialize_with = "nullable")]
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

impl Settings {
    /// Beside a broker: its node id, where it is known.
    pub(crate) fn own_node(&self) -> Option<i32> {
        let own = self.upstream.bootstrap_servers.first().filter(|_| self.mode == Mode::Broker)?;
        let mut nodes = self.upstream.nodes.iter().filter(|(_, address)| *address == own);
        nodes.next().filter(|_| nodes.next().is_none()).map(|(node, _)| *node)
    }
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
    /// The address of each broker that was known when the file was written, by its node id. Beside a broker it is that
    /// one alone, at the address of `bootstrap_servers`.
    #[serde(default)]
    pub(crate) nodes: BTreeMap<i32, Address>,
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
    pub(crate) fn wishes(&self, policy: &IdentityPolicy) -> Result<Wishes, &str> {
        let with = |wishes: Wishes, name| wishes.with_fields_of(name).ok_or(name);
        self.apis.iter().map(String::as_str).try_fold(event_filter_without(policy), with)
    }
}

/// The identity keys that are not kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    #[serde(default)]
    pub(crate) drop: BTreeSet<IdentityKey>,
    #[serde(default)]
    pub(crate) hash: BTreeSet<IdentityKey>,
    /// The file with the key of hashes; given where something is hashed.
    pub(crate) key_file: Option<PathBuf>,
    /// The key that the file had when it was read last; without one what is to be hashed is dropped.
    #[serde(skip)]
    pub(crate) hash_key: Option<HashKey>,
}

impl Identity {
    pub(crate) fn policy(&self) -> IdentityPolicy {
        let keys = |keys: &BTreeSet<IdentityKey>| keys.iter().map(|key| key.key()).collect();
        IdentityPolicy::new(keys(&self.drop), keys(&self.hash), self.hash_key.clone())
    }

    /// Returns the key that the file has now.
    pub(crate) fn read_key(&self) -> Option<HashKey> {
        self.key_file.as_deref().and_then(HashKey::read)
    }
}

/// A key that may be hashed or dropped.
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
    pub(crate) const fn key(self) -> observation::IdentityKey {
        match self {
            Self::Principal => observation::IdentityKey::Principal,
            Self::ClientId => observation::IdentityKey::ClientId,
            Self::ClientInstanceId => observation::IdentityKey::ClientInstanceId,
            Self::ClientAddress => observation::IdentityKey::ClientAddress,
            Self::GroupId => observation::IdentityKey::GroupId,
            Self::GroupMemberId => observation::IdentityKey::GroupMemberId,
            Self::TransactionalId => observation::IdentityKey::TransactionalId,
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
    /// Bytes that all connections may keep; `None`: a quarter of the container's memory limit.
    #[serde(default)]
    pub(crate) max_buffer_bytes: Option<usize>,
    /// Given if the addresses of connections are those of clients.
    #[serde(default)]
    pub(crate) max_connections_per_address: Option<usize>,
    /// New connections in a second, likewise.
    #[serde(default)]
    pub(crate) max_connection_rate_per_address: Option<usize>,
    /// The time that clients may take to authenticate, where they do by SASL.
    #[serde(default)]
    pub(crate) sign_in_ms: Option<u64>,
    /// The time without a byte after which a connection is closed that waits for no answer.
    #[serde(default)]
    pub(crate) idle_ms: Option<u64>,
}

impl Limits {
    /// Those of what is read of one connection.
    pub(crate) fn of_frames(&self) -> protocol::Limits {
        let (request, held) = (self.max_frame_bytes, self.max_rewrite_bytes);
        protocol::Limits { request, held, ..protocol::Limits::default() }
    }

    /// The figure that was reached where a client is refused for this.
    pub(crate) fn of(&self, end: End) -> Option<usize> {
        match end {
            End::AddressLimit => self.max_connections_per_address,
            End::AddressRate => self.max_connection_rate_per_address,
            _ => Some(self.max_connections),
        }
    }
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
