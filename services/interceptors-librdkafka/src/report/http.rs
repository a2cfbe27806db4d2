//! One request to the collector.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
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
/// The authorities that the system trusts, as Debian and Red Hat have them.
const SYSTEM_AUTHORITIES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// Posts to the collector. Token and authorities are read again for each request: they are exchanged while we run.
#[derive(Default)]
pub(super) struct Http {
    /// The bytes of the authorities, and what trusts them.
    made: Option<(Vec<u8>, Agent)>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl Http {
    /// Post a body to the replica with this ordinal; the status, and what it answers.
    ///
    /// # Errors
    /// A file cannot be read, there is no connection, or no whole answer in time.
    pub(super) fn post(&mut self, to: &Collector, ordinal: u32, body: &[u8]) -> Result<(u16, Vec<u8>), NoAnswer> {
        let token = std::fs::read_to_string(&to.token_file).map_err(|error| named(&to.token_file, error))?;
        let url = format!("{}/v1/events", to.url.replace("{ordinal}", &ordinal.to_string()).trim_end_matches('/'));
        let request = self
            .agent(to)?
            .post(&url)
            .header("Authorization", format!("Bearer {}", token.trim()))
            .header("Content-Type", "application/x-ndjson")
            .header("Content-Encoding", "gzip")
            .header("Kwitness-Protocol", "2")
            .header("Kwitness-Owner", ordinal.to_string());
        // What goes wrong is told with the address; the token is in none of it.
        let failed = |error: &dyn fmt::Display| NoAnswer(format!("{url}: {error}"));
        let mut answer = request.send(&gzip(body)[..]).map_err(|error| failed(&error))?;
        let status = answer.status().as_u16();
        let content = answer.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
        Ok((status, content.map_err(|error| failed(&error))?))
    }

    fn agent(&mut self, to: &Collector) -> Result<&Agent, NoAnswer> {
        let authorities = authorities(to.ca_file.as_deref())?;
        let is_made = self.made.as_ref().is_some_and(|(of, _)| *of == authorities);
        if !is_made {
            self.made = None;
        }
        if self.made.is_none() {
            let agent = trusting(&authorities);
            self.made = Some((authorities, agent));
        }
        self.made.as_ref().map(|(_, agent)| agent).ok_or_else(|| NoAnswer("no client could be made".to_owned()))
    }
}

fn authorities(file: Option<&Path>) -> Result<Vec<u8>, NoAnswer> {
    match file {
        Some(file) => std::fs::read(file).map_err(|error| named(file, error)),
        // A system without any trusts nobody: plain HTTP works all the same.
        None => Ok(SYSTEM_AUTHORITIES.iter().find_map(|file| std::fs::read(file).ok()).unwrap_or_default()),
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

fn named(file: &Path, error: impl fmt::Display) -> NoAnswer {
    NoAnswer(format!("{}: {error}", file.display()))
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Memory takes everything.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
