//! What a listener shows to clients; the files are read again and again, and the last good ones stay in use.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ring::digest::{self, Digest};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use tokio::sync::watch;

use super::pem::{certificates, root_store};
use super::trust::warn_of_left_out;
use crate::settings::ListenerTls;

/// How often files that are being exchanged are read until they are the same twice.
const READINGS: usize = 3;

/// What connections that come in are shown; `None` where there is nothing good to show, or no TLS is wanted.
pub(crate) type Shown = watch::Receiver<Option<Arc<ServerConfig>>>;

/// The files of a listener.
#[derive(Debug)]
pub(crate) struct Certificates {
    seen: Option<(ListenerTls, Fingerprint)>,
    shown: watch::Sender<Option<Arc<ServerConfig>>>,
}

/// Why files are not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) file: PathBuf,
    pub(crate) reason: String,
}

/// What looking at the files found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing new.
    Unchanged,
    /// New files, which are shown from now on.
    Changed,
    /// New files that cannot be used.
    Refused(Refused),
}

/// By what a reading is known again; keys are not kept.
#[derive(Clone, Debug)]
enum Fingerprint {
    Read(Digest),
    Failed(Refused),
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(one), Self::Read(other)) => one.as_ref() == other.as_ref(),
            (Self::Failed(one), Self::Failed(other)) => one == other,
            _ => false,
        }
    }
}

impl Certificates {
    /// Nothing is read yet.
    pub(crate) fn new() -> (Self, Shown) {
        let (shown, receiver) = watch::channel(None);
        (Self { seen: None, shown }, receiver)
    }

    /// Look at the files; what was refused is not judged again until it changes.
    pub(crate) fn look(&mut self, wanted: Option<&ListenerTls>) -> Found {
        let Some(wanted) = wanted else {
            self.seen = None;
            self.shown.send_replace(None);
            return Found::Unchanged;
        };
        if let Some((_, seen)) = self.seen.as_ref().filter(|(files, _)| files == wanted)
            && *seen == Files::read(wanted).fingerprint()
        {
            return Found::Unchanged;
        }
        let files = Files::read_settled(wanted);
        self.seen = Some((wanted.clone(), files.fingerprint()));
        match files.0.and_then(|files| files.config(wanted)) {
            Ok(config) => {
                self.shown.send_replace(Some(Arc::new(config)));
                Found::Changed
            }
            Err(refused) => Found::Refused(refused),
        }
    }

    /// Whether there is something to show.
    pub(crate) fn are_shown(&self) -> bool {
        self.shown.borrow().is_some()
    }
}

/// One reading of the files.
struct Reading(Result<Files, Refused>);

impl Reading {
    fn fingerprint(&self) -> Fingerprint {
        match &self.0 {
            Ok(files) => Fingerprint::Read(files.digest()),
            Err(refused) => Fingerprint::Failed(refused.clone()),
        }
    }
}

struct Files {
    certificate: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

impl Files {
    fn read(names: &ListenerTls) -> Reading {
        let all = || {
            Ok(Self {
                certificate: read(&names.certificate_file)?,
                key: read(&names.key_file)?,
                client_ca: names.client_ca_file.as_deref().map(read).transpose()?,
            })
        };
        Reading(all())
    }

    /// Read until nothing changes meanwhile: of files that are being exchanged one may be old and one new.
    fn read_settled(names: &ListenerTls) -> Reading {
        let mut last = Self::read(names);
        for _ in 1..READINGS {
            let next = Self::read(names);
            if next.fingerprint() == last.fingerprint() {
                break;
            }
            last = next;
        }
        last
    }

    fn digest(&self) -> Digest {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in [&self.certificate, &self.key].into_iter().chain(&self.client_ca) {
            context.update(digest::digest(&digest::SHA256, part).as_ref());
        }
        context.finish()
    }

    fn config(&self, names: &ListenerTls) -> Result<ServerConfig, Refused> {
        let chain = certificates(&self.certificate).map_err(|reason| refused(&names.certificate_file, reason))?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| {
            let reason = format!("has no private key that can be read ({error}): write one in PEM, not encrypted");
            refused(&names.key_file, reason)
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let versions = versions
            .with_safe_default_protocol_versions()
            .map_err(|error| refused(&names.certificate_file, error.to_string()))?;
        let clients = match names.client_ca_file.as_deref().zip(self.client_ca.as_deref()) {
            None => versions.with_no_client_auth(),
            Some((file, pem)) => {
                let (roots, left_out) = root_store(pem).map_err(|reason| refused(file, reason))?;
                warn_of_left_out(file, left_out);
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                versions.with_client_cert_verifier(verifier.map_err(|error| refused(file, error.to_string()))?)
            }
        };
        clients.with_single_cert(chain, key).map_err(|error| {
            let of = names.certificate_file.display();
            refused(&names.key_file, format!("does not go with the certificate in {of}: {error}"))
        })
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Refused> {
    std::fs::read(file).map_err(|error: io::Error| refused(file, error.to_string()))
}

fn refused(file: &Path, reason: String) -> Refused {
    Refused { file: file.to_owned(), reason }
}
