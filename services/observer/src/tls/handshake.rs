//! Begins TLS with a client, and says why it did not come about.

use std::io;
use std::sync::Arc;

use rustls::{AlertDescription, CertificateError, Error, ServerConfig};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::{TlsAcceptor, TlsStream};

use super::explained::cause;

/// The first byte of every client's handshake.
const HANDSHAKE: u8 = 0x16;

/// Why a client was closed before its first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// It sent something else than TLS.
    Plaintext,
    /// It has no certificate and needs one.
    CertificateMissing,
    /// Its certificate is not signed by an authority that is trusted, or is not valid any more.
    CertificateRefused,
    /// It does not trust the certificate that it was shown.
    Distrusted,
    /// There is no version or cipher suite that both sides know.
    Incompatible,
    /// There is no certificate to show.
    NotReady,
    /// It did not finish in time.
    Deadline,
    /// It broke off, or sent what is no TLS.
    Broken,
}

impl Failure {
    /// As metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plaintext => "plaintext",
            Self::CertificateMissing => "certificate_missing",
            Self::CertificateRefused => "certificate_refused",
            Self::Distrusted => "distrusted",
            Self::Incompatible => "incompatible",
            Self::NotReady => "not_ready",
            Self::Deadline => "deadline",
            Self::Broken => "broken",
        }
    }

    /// What to do about it.
    const fn remedy(self) -> &'static str {
        match self {
            Self::Plaintext => "set the client's security.protocol to SSL or SASL_SSL",
            Self::CertificateMissing => "give the client a certificate (ssl.keystore.location)",
            Self::CertificateRefused => "give the client a certificate that an authority of client_ca_file has signed",
            Self::Distrusted => {
                "have the client trust the authority of this certificate (ssl.truststore.location), and call the \
                 listener by a name that the certificate has"
            }
            Self::Incompatible => "let the client speak TLS 1.2 or 1.3",
            Self::NotReady => "see the line that says why the certificate is refused",
            Self::Deadline | Self::Broken => "see the client's own log",
        }
    }
}

/// Begin TLS with a client that has sent something.
///
/// # Errors
/// Why it did not come about, and a sentence that says what to do; `None` if the client has only gone.
pub(crate) async fn accept(
    shown: Option<Arc<ServerConfig>>,
    stream: TcpStream,
    by: Instant,
) -> Result<TlsStream<TcpStream>, Option<(Failure, String)>> {
    let failed = |failure: Failure, cause: &str| Some((failure, format!("{cause}: {}", failure.remedy())));
    let mut first = [0];
    match stream.peek(&mut first).await {
        Ok(1) if first == [HANDSHAKE] => {}
        Ok(1) => return Err(failed(Failure::Plaintext, "the listener takes TLS, and these bytes are none")),
        _ => return Err(None),
    }
    let Some(shown) = shown else {
        return Err(failed(Failure::NotReady, "the listener has no certificate to show"));
    };
    match timeout_at(by, TlsAcceptor::from(shown).accept(stream)).await {
        Ok(Ok(stream)) => Ok(TlsStream::Server(stream)),
        Ok(Err(error)) => Err(failed(failure(&error), &error.to_string())),
        Err(_) => Err(failed(Failure::Deadline, "the handshake took too long")),
    }
}

fn failure(error: &io::Error) -> Failure {
    match cause(error) {
        Some(Error::NoCertificatesPresented) => Failure::CertificateMissing,
        Some(Error::InvalidCertificate(_)) => Failure::CertificateRefused,
        Some(Error::PeerIncompatible(_)) => Failure::Incompatible,
        Some(Error::AlertReceived(alert)) => match alert {
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::UnsupportedCertificate => Failure::Distrusted,
            AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure => Failure::Incompatible,
            _ => Failure::Broken,
        },
        _ => Failure::Broken,
    }
}

/// Why a broker is out of reach, and what to do.
pub(crate) const CERTIFICATE_REQUIRED: &str = "the broker requires a client certificate, which nobody can show in the \
                                               client's place: name a listener that requires none";

/// Whether a broker closes TLS because it was shown no client certificate: nobody can show one in a client's place.
pub(crate) fn wants_certificate(error: &io::Error) -> bool {
    // Java's brokers send either; they send no other of a certificate that does not exist.
    let alerts = [AlertDescription::CertificateRequired, AlertDescription::BadCertificate];
    matches!(cause(error), Some(Error::AlertReceived(alert)) if alerts.contains(alert))
}

/// What a broker's or collector's TLS error means, where its own words do not say.
pub(super) fn meaning(error: &io::Error, trusted: &str, host: &str) -> String {
    let remedy = match cause(error) {
        _ if wants_certificate(error) => CERTIFICATE_REQUIRED.to_owned(),
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            format!("no authority in {trusted} has signed the certificate of {host}: put the right one there")
        }
        Some(Error::InvalidMessage(_)) => format!("{host} speaks no TLS there: name its port for TLS"),
        _ => return error.to_string(),
    };
    format!("{error} ({remedy})")
}
