//! Says why there is nothing to relay.

use std::io;
use std::net::IpAddr;

use crate::counters::Counters;
use crate::end::End;
use crate::log::log;
use crate::tls::{self, Failure};
use crate::unserved::Unserved;

/// A connection that did not come about.
pub(crate) enum Unopened {
    /// The client did not stay.
    Client(End),
    /// TLS with the client failed, for this reason.
    Tls(Failure, String),
    /// There is no way to a broker.
    Broker(io::Error),
    /// Its destination is not known, or is the observer.
    Loop(io::Error),
}

impl Unopened {
    /// Count and log it; returns how it counts among the ends of connections.
    pub(crate) fn end(self, source: IpAddr, counters: &Counters) -> End {
        match self {
            Self::Client(end) => end,
            Self::Loop(reason) => {
                if let Some(source) = counters.named_in_log(source, "loop") {
                    let reason = reason.to_string();
                    let message = "A client was closed because it has nowhere to go";
                    log!(Warning, message, source = source, reason = reason);
                }
                End::Loop
            }
            Self::Tls(failure, reason) => {
                counters.tls_failed(failure);
                if let Some(source) = counters.named_in_log(source, "tls") {
                    let failure = failure.name();
                    let message = "A client was closed because TLS with it failed";
                    log!(Warning, message, source = source, failure = failure, reason = reason);
                }
                if failure == Failure::Deadline { End::Deadline } else { End::Error }
            }
            Self::Broker(error) => {
                if tls::wants_certificate(&error) {
                    counters.unserved(Unserved::ClientCertificate);
                }
                if let Some(source) = counters.named_in_log(source, "unreachable") {
                    let reason = error.to_string();
                    let message = "A client was closed because no broker could be reached";
                    log!(Warning, message, source = source, reason = reason);
                }
                End::Error
            }
        }
    }
}
