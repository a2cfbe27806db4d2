//! TLS towards brokers and the collector, whose CA certificates are in a file that changes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, TlsStream};

use super::explained::explained;
use super::handshake::meaning;
use super::pem::root_store;
use crate::log::log;
use crate::sync::lock_ignoring_poison;

/// The CA certificates that the system trusts.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The variable with a file of CA certificates that are trusted beside the system's.
const BUNDLE: &str = "SSL_CERT_FILE";
/// How often the file is read at most, however many connections there are: the system's has 200 KB.
const READ_EVERY: Duration = Duration::from_secs(1);

/// Trusts the CA certificates of a file: those of its last reading that was good.
#[derive(Default)]
pub(crate) struct Trust {
    file: Mutex<Option<CaFile>>,
}

impl Trust {
    /// The configuration that trusts what the file has, as of the last second; without a file, what the system trusts.
    ///
    /// # Errors
    /// The file cannot be read or has no CA certificate, and had none before; the message names it.
    pub(crate) fn config(&self, file: Option<&Path>) -> io::Result<Arc<ClientConfig>> {
        let (path, is_system) = (file.unwrap_or(Path::new(SYSTEM_AUTHORITIES)), file.is_none());
        let mut file = lock_ignoring_poison(&self.file);
        match &mut *file {
            // Of another file nothing is kept: its CA certificates are not those that settings name now.
            Some(file) if file.path == path => file,
            other => {
                let bundle = file_of_environment().filter(|_| is_system);
                other.insert(CaFile::new(path, bundle))
            }
        }
        .config()
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
        let connected = TlsConnector::from(self.config(file)?).connect(name, stream).await;
        connected.map(TlsStream::Client).map_err(|error| {
            let trusted = file.unwrap_or(Path::new(SYSTEM_AUTHORITIES)).display().to_string();
            let words = meaning(&error, &trusted, host);
            explained(error, words)
        })
    }
}

/// The reason for which a file cannot be used, and its kind.
type Refused = (io::ErrorKind, String);

fn file_of_environment() -> Option<PathBuf> {
    std::env::var_os(BUNDLE).map(PathBuf::from)
}

struct CaFile {
    path: PathBuf,
    /// Another file, whose CA certificates are trusted as well.
    bundle: Option<PathBuf>,
    read_at: Option<Instant>,
    /// Its bytes, or why there are none.
    bytes: Result<Vec<u8>, Refused>,
    config: Result<Arc<ClientConfig>, Refused>,
}

impl CaFile {
    fn new(path: &Path, bundle: Option<PathBuf>) -> Self {
        let unread = (io::ErrorKind::NotFound, "was not read yet".to_owned());
        Self { path: path.to_owned(), bundle, read_at: None, bytes: Err(unread.clone()), config: Err(unread) }
    }

    fn config(&mut self) -> io::Result<Arc<ClientConfig>> {
        if self.read_at.is_none_or(|at| at.elapsed() >= READ_EVERY) {
            self.read_at = Some(Instant::now());
            self.read();
        }
        let named = |(kind, reason): &Refused| io::Error::new(*kind, format!("{}: {reason}", self.path.display()));
        self.config.as_ref().map(Arc::clone).map_err(named)
    }

    fn read(&mut self) {
        let bytes = self.content().map_err(|error| (error.kind(), error.to_string()));
        if bytes == self.bytes {
            return;
        }
        match bytes.as_deref().map_err(Clone::clone).and_then(trusting) {
            Ok((config, left_out)) => {
                warn_of_left_out(&self.path, left_out);
                self.config = Ok(Arc::new(config));
            }
            Err(refused) if self.config.is_ok() => {
                let message = "The CA certificates of a file are refused, the last good ones stay";
                log!(Error, message, file = self.path, reason = refused.1);
            }
            Err(refused) => self.config = Err(refused),
        }
        self.bytes = bytes;
    }

    fn content(&self) -> io::Result<Vec<u8>> {
        let mut content = std::fs::read(&self.path)?;
        if let Some(bundle) = &self.bundle {
            content.push(b'\n');
            content.extend(std::fs::read(bundle)?);
        }
        Ok(content)
    }
}

/// Log how many CA certificates were left out, if any.
pub(super) fn warn_of_left_out(file: &Path, count: usize) {
    if count > 0 {
        let message = "CA certificates cannot be parsed and are left out";
        log!(Warning, message, file = file, count = count);
    }
}

fn trusting(pem: &[u8]) -> Result<(ClientConfig, usize), Refused> {
    let (roots, left_out) = root_store(pem).map_err(|reason| (io::ErrorKind::InvalidInput, reason))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let versions = versions.map_err(|error| (io::ErrorKind::Other, error.to_string()))?;
    Ok((versions.with_root_certificates(roots).with_no_client_auth(), left_out))
}
