//! By what clients authenticate that cannot stand an observer in between which has addresses of its own.

use kwitness_protocol::Mechanism;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Unserved {
    /// Kerberos: a ticket names the broker.
    Gssapi,
    /// A signature names the broker.
    AwsMskIam,
    /// Mutual TLS: nobody can sign in the client's place.
    ClientCertificate,
}

impl Unserved {
    /// Whether a mechanism is one of them.
    pub(crate) const fn of(mechanism: Mechanism) -> Option<Self> {
        match mechanism {
            Mechanism::Gssapi => Some(Self::Gssapi),
            Mechanism::AwsMskIam => Some(Self::AwsMskIam),
            _ => None,
        }
    }

    /// As heartbeats and metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gssapi => "GSSAPI",
            Self::AwsMskIam => "AWS_MSK_IAM",
            Self::ClientCertificate => "client_certificate",
        }
    }
}
