//! One request to the collector.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use ureq::Agent;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::settings::Collector;

const CONNECT_WITHIN: Duration = Duration::from_secs(3);
const ANSWER_WITHIN: Duration = Duration::from_secs(15);
const LONGEST_ANSWER: u64 = 1 << 20;
/// The CA certificates that the system trusts, as Debian and Red Hat have them.
const SYSTEM_AUTHORITIES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// Posts to the collector. Token and CA certificates are read again for each request: they are exchanged while we run.
#[derive(Default)]
pub(super) struct Http {
    /// The bytes of the CA certificates, and what trusts them.
    made: Option<(Vec<u8>, Agent)>,
}

impl Http {
    /// Post a body to the replica with this ordinal; the status, and what it answers.
    ///
    /// `None` where a file cannot be read, there is no connection, or no whole answer in time. Why is told to nobody: the
    /// application's output is not ours, and the collector cannot be told.
    pub(super) fn post(&mut self, to: &Collector, ordinal: u32, body: &[u8]) -> Option<(u16, Vec<u8>)> {
        let token = std::fs::read_to_string(&to.token_file).ok()?;
        let url = format!("{}/v1/events", to.url.replace("{ordinal}", &ordinal.to_string()).trim_end_matches('/'));
        let request = self
            .agent(to)?
            .post(&url)
            .header("Authorization", format!("Bearer {}", token.trim()))
            .header("Content-Type", "application/x-ndjson")
            .header("Content-Encoding", "gzip")
            .header("Kwitness-Protocol", "2")
            .header("Kwitness-Owner", ordinal.to_string());
        let mut answer = request.send(&gzip(body)[..]).ok()?;
        let status = answer.status().as_u16();
        let content = answer.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
        Some((status, content.ok()?))
    }

    fn agent(&mut self, to: &Collector) -> Option<&Agent> {
        let certificates = match &to.ca_file {
            Some(file) => std::fs::read(file).ok()?,
            // A system without any trusts nobody: plain HTTP works all the same.
            None => SYSTEM_AUTHORITIES.iter().find_map(|file| std::fs::read(file).ok()).unwrap_or_default(),
        };
        self.made.take_if(|(of, _)| *of != certificates);
        let (_, agent) = self.made.get_or_insert_with(|| {
            let agent = trusting(&certificates);
            (certificates, agent)
        });
        Some(agent)
    }
}

fn trusting(pem: &[u8]) -> Agent {
    let certificates: Vec<Certificate<'static>> = parse_pem(pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::from(certificates))
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        // The application's proxy is for the application.
        .proxy(None)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_idle_connections(1)
        .timeout_connect(Some(CONNECT_WITHIN))
        .timeout_global(Some(ANSWER_WITHIN))
        .user_agent(concat!("kwitness-librdkafka/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Memory takes everything.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
