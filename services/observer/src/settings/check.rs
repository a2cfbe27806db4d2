//! Checks what types cannot say of settings.

use std::collections::BTreeSet;

use kwitness_observation::IdentityPolicy;

use super::Refused;
use super::model::{Identity, IdentityKey, Mode, Settings};

const MOST_PUSH_BYTES: u32 = 16 << 20;

fn refused(field: &str, reason: &str) -> Result<(), Refused> {
    Err(Refused { field: field.to_owned(), reason: reason.to_owned() })
}

impl Settings {
    /// # Errors
    /// The field that is wrong, and why.
    pub(super) fn check(&self) -> Result<(), Refused> {
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
        self.check_limits()?;
        self.check_telemetry()?;
        self.check_identity()?;
        if let Some(workload) = &self.workload {
            for (field, value) in [("workload.kind", &workload.kind), ("workload.name", &workload.name)] {
                if value.is_empty() {
                    return refused(field, "is empty");
                }
            }
        }
        if let Some(requests) = &self.report.requests {
            if let Err(name) = requests.wishes(&IdentityPolicy::default()) {
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

    fn check_limits(&self) -> Result<(), Refused> {
        let limits = &self.limits;
        for (field, value) in [
            ("limits.max_connections", limits.max_connections),
            ("limits.max_frame_bytes", limits.max_frame_bytes),
            ("limits.max_series", limits.max_series),
            ("limits.queue_bytes", limits.queue_bytes),
            ("limits.max_rewrite_bytes", limits.max_rewrite_bytes),
            ("limits.max_buffer_bytes", limits.max_buffer_bytes.unwrap_or(1)),
            ("limits.max_connections_per_address", limits.max_connections_per_address.unwrap_or(1)),
            ("limits.max_connection_rate_per_address", limits.max_connection_rate_per_address.unwrap_or(1)),
        ] {
            if value == 0 {
                return refused(field, "0 allows nothing; give a positive number");
            }
        }
        for (field, value) in [("limits.sign_in_ms", limits.sign_in_ms), ("limits.idle_ms", limits.idle_ms)] {
            if value == Some(0) {
                return refused(field, "0 leaves no time; give a positive number");
            }
        }
        Ok(())
    }

    fn check_identity(&self) -> Result<(), Refused> {
        let Identity { drop, hash, key_file, .. } = &self.identity;
        if !drop.is_disjoint(hash) {
            return refused("identity.hash", "has a key of identity.drop; name each key once");
        }
        if hash.is_empty() != key_file.is_none() {
            return refused("identity.key_file", "goes with identity.hash, and only with it");
        }
        if self.telemetry.is_some() && hash.contains(&IdentityKey::ClientInstanceId) {
            return refused("telemetry", "needs client_instance_id, which identity.hash has");
        }
        Ok(())
    }

    fn check_telemetry(&self) -> Result<(), Refused> {
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
