//! TLS towards brokers and the collector; certificates are read again when their file has changed.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, TlsStream};

use super::explained::explained;
use super::handshake::meaning;
use crate::counters::unpoisoned;

/// The CA certificates that the system trusts.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// What trusts the CA certificates of a file.
#[derive(Default)]
pub(crate) struct Trust {
    /// The file's bytes, and what was made of them.
    made: Mutex<Option<(Vec<u8>, Arc<ClientConfig>)>>,
}

impl Trust {
    /// The configuration that trusts what the file has now; without a file, what the system trusts.
    ///
    /// # Errors
    /// The file cannot be read, or has no certificate; the message names it.
    pub(crate) fn of(&self, file: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
        let file = file.unwrap_or(Path::new(SYSTEM_AUTHORITIES));
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        let bytes = std::fs::read(file).map_err(named)?;
        let mut made = unpoisoned(&self.made);
        if let Some((of, config)) = &*made
            && *of == bytes
        {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(trusting(&bytes).map_err(named)?);
        *made = Some((bytes, Arc::clone(&config)));
        Ok(config)
    }

    /// Make TLS of a connection to this host, whose certificate has to name it; without a file the system's CA certificates
    /// are trusted.
    ///
    /// # Errors
    /// What is wrong with the file, or with what the host shows.
    pub(crate) async fn connect(
        &self,
        file: Option<&Path>,
        host: &str,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connected = TlsConnector::from(self.of(file)?).connect(name, stream).await;
        connected.map(TlsStream::Client).map_err(|error| {
            let trusted = file.unwrap_or(Path::new(SYSTEM_AUTHORITIES)).display().to_string();
            let words = meaning(&error, &trusted, host);
            explained(error, words)
        })
    }
}

fn trusting(pem: &[u8]) -> io::Result<ClientConfig> {
    let invalid = |error: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.map_err(|error| invalid(&error))?).map_err(|error| invalid(&error))?;
    }
    if roots.is_empty() {
        return Err(invalid(&"no certificate in it"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(versions.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth())
}
