//! Holds what is given on the command line.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::settings::{Address, Identity, Limits, Listener, Mode, Report, ReportedBy, Settings, Upstream, UpstreamTls};
use crate::tls::Trust;

/// Between two tables, and the length of a window.
pub(super) const EVERY: Duration = Duration::from_secs(2);
/// What is given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Brokers to begin with.
    pub(crate) bootstrap: Vec<Address>,
    /// Where clients begin; brokers get the ports after it.
    pub(crate) listen: SocketAddr,
    /// Whom to trust where brokers speak TLS.
    pub(crate) tls: Option<UpstreamTls>,
}

impl Options {
    /// # Errors
    /// An option has a value that cannot be used.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.listen.ip().is_unspecified() || self.listen.port() == 0 {
            let reason = format!(
                "--listen {} is no address that clients can be told; name one, such as 127.0.0.1:19092",
                self.listen
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        match &self.tls {
            Some(tls) => Trust::default().config(tls.ca_file.as_deref()).map(drop),
            None => Ok(()),
        }
    }

    /// Returns them as a settings file would have them.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            cluster_id: "laptop".to_owned(),
            namespace: "laptop".to_owned(),
            name: "laptop".to_owned(),
            mode: Mode::Laptop,
            reported_by: ReportedBy::Laptop,
            suspend: false,
            upstream: Upstream {
                bootstrap_servers: self.bootstrap.clone(),
                nodes: std::collections::BTreeMap::new(),
                tls: self.tls.clone(),
            },
            listener: Listener {
                name: "LAPTOP".to_owned(),
                bind: self.listen.ip(),
                bootstrap_port: self.listen.port(),
                advertised_host: self.listen.ip().to_string(),
                brokers: std::collections::BTreeMap::new(),
                tls: None,
                redirected: std::collections::BTreeSet::new(),
            },
            window_ms: u64::try_from(EVERY.as_millis()).unwrap_or(u64::MAX),
            report: Report { connections: true, traffic: true, latency: true, requests: None, headers: None },
            identity: Identity::default(),
            limits: Limits {
                max_connections: 10_000,
                max_frame_bytes: 100 << 20,
                max_series: 10_000,
                queue_bytes: 64 << 20,
                max_rewrite_bytes: 16 << 20,
                max_buffer_bytes: None,
                max_connections_per_address: None,
                max_connection_rate_per_address: None,
                sign_in_ms: None,
                idle_ms: None,
            },
            collector: None,
            metrics_port: 0,
            workload: None,
            telemetry: None,
            hash: String::new(),
        }
    }
}
