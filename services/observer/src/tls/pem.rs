//! Certificates of PEM text.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// All certificates, in their order.
///
/// # Errors
/// There is none, or the text is damaged: a sentence without subject, which is the file.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err("has no certificate in PEM".to_owned()),
        Err(error) => Err(format!("is not PEM: {error}")),
    }
}

/// The CA certificates to trust, and how many are left out because they cannot be parsed.
///
/// # Errors
/// As [`certificates`], or none can be parsed.
pub(super) fn root_store(pem: &[u8]) -> Result<(RootCertStore, usize), String> {
    let mut roots = RootCertStore::empty();
    match roots.add_parsable_certificates(certificates(pem)?) {
        (0, _) => Err("has no CA certificate that can be parsed".to_owned()),
        (_, left_out) => Ok((roots, left_out)),
    }
}
