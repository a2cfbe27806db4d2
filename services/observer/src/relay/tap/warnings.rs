//! Logs problems that users can solve, once a minute for each source.

use kwitness_protocol::Broken;
use kwitness_recording::Unfollowed;

use super::Tap;
use crate::log::log;
use crate::tls::{CERTIFICATE_REQUIRED, wants_certificate};
use crate::unserved::Unserved;

impl Tap {
    /// Say why this connection is closed.
    pub(crate) fn warn_of(&self, broken: &Broken) {
        if let Some(source) = self.counters.named_in_log(self.source, "rewriting") {
            let reason = broken.to_string();
            let message = match broken {
                Broken::OtherBroker { .. } => "A connection was closed because only another broker could answer",
                Broken::Request { .. } => "A connection was closed because a request of its client cannot be read",
                _ => "A connection was closed because addresses could not be kept back",
            };
            log!(Warning, message, source = source, reason = reason);
        }
    }

    pub(super) fn warn_of_mechanism(&self, unserved: Unserved) {
        self.counters.unserved(unserved);
        if let Some(source) = self.counters.named_in_log(self.source, "unserved") {
            let mechanism = unserved.name();
            let reason = "the mechanism signs the broker's name, which is another here: use the brokers' own addresses, \
                          or PLAIN, SCRAM or OAUTHBEARER";
            let message = "A client is likely to fail to sign in";
            log!(Warning, message, source = source, mechanism = mechanism, reason = reason);
        }
    }

    pub(super) fn warn_of_software(&self) {
        if let Some(source) = self.counters.named_in_log(self.source, "software") {
            let reason = "name and version of its software must match [a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?";
            log!(Warning, "A client is refused by brokers with INVALID_REQUEST", source = source, reason = reason);
        }
    }

    /// Say why a broker ended TLS, where it is one that somebody can do something about.
    pub(crate) fn warn_of_tls(&self, error: &std::io::Error) {
        if wants_certificate(error) {
            self.counters.unserved(Unserved::ClientCertificate);
            if let Some(source) = self.counters.named_in_log(self.source, "unserved") {
                let reason = CERTIFICATE_REQUIRED;
                log!(Warning, "A client was closed because the broker ended TLS", source = source, reason = reason);
            }
        }
    }

    pub(super) fn warn(&self, reason: Unfollowed) {
        if let Some(source) = self.counters.named_in_log(self.source, "opaque") {
            log!(Warning, "A connection is passed on unread", source = source, reason = reason.name());
        }
    }
}
