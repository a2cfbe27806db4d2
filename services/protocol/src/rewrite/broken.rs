//! Says why a connection cannot be rewritten.

use std::fmt;

use super::held::Refused;
use crate::header::Opening;
use crate::reader::Fault;
use crate::reasons::Opaque;

/// Why a connection cannot be rewritten, or not any further. This is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It cannot be told which request a response answers.
    Opaque(Opaque),
    /// A response may have addresses in it, and its version is newer than the tables.
    UnknownVersion {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
    },
    /// A response may have addresses in it, and is not what its definition says.
    Malformed {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
        /// What is wrong.
        fault: Fault,
    },
    /// A response has addresses in it, and is longer than [`Limits::held`](crate::Limits::held), or would be with others.
    TooLong {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
        /// How long it is.
        bytes: usize,
    },
    /// A request that is answered here is not what its definition says.
    Request {
        /// The API's key.
        key: i16,
        /// What is wrong.
        fault: Fault,
    },
    /// A request means the one broker that it was sent to, and the connection leads to another.
    OtherBroker {
        /// The API's key.
        key: i16,
    },
}

impl Broken {
    /// The response to this request was refused; it has so many bytes.
    pub(super) const fn refused(asked: Opening, refused: Refused, bytes: usize) -> Self {
        let Opening { key, version, .. } = asked;
        match refused {
            Refused::Malformed(fault) => Self::Malformed { key, version, fault },
            Refused::TooLong => Self::TooLong { key, version, bytes },
            Refused::UnknownVersion => Self::UnknownVersion { key, version },
        }
    }

    /// Whether the connection is none of Kafka's, which its client's first bytes tell: an observer that has no need of
    /// other addresses may go on to relay it as it is. Otherwise it has to be closed.
    #[must_use]
    pub const fn may_pass_untouched(self) -> bool {
        matches!(self, Self::Opaque(Opaque::Tls | Opaque::NotKafka))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque(reason) => write!(formatter, "requests and responses cannot be followed: {reason:?}"),
            Self::UnknownVersion { key, version } => {
                write!(formatter, "the response of API {key} in version {version} cannot be read: a newer release may")
            }
            Self::Malformed { key, version, fault } => {
                write!(formatter, "the response of API {key} in version {version} is not readable: {fault}")
            }
            Self::TooLong { key, version, bytes } => write!(
                formatter,
                "the response of API {key} in version {version} has {bytes} bytes, too many to hold: raise the limit"
            ),
            Self::OtherBroker { key } => {
                write!(formatter, "a request of API {key} means a broker whose address is not known yet")
            }
            Self::Request { key, fault } => write!(formatter, "a request of API {key} is not readable: {fault}"),
        }
    }
}

impl std::error::Error for Broken {}
