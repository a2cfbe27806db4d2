//! TLS, towards brokers and the collector and towards clients.

mod certificates;
mod explained;
mod handshake;
mod pem;
mod trust;

pub(crate) use certificates::{Certificates, Found, Shown};
pub(crate) use explained::explained;
pub(crate) use handshake::{CERTIFICATE_REQUIRED, Failure, accept, wants_certificate};
pub(crate) use trust::Trust;
