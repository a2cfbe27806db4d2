//! What a connection tells of itself.

use crate::software::Software;

/// Nanoseconds since a moment that the caller chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanos(pub u64);

/// One thing that was understood, or was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A request is complete.
    Request(Request<'a>),
    /// The client said which software it is.
    Software(Software<'a>),
    /// A response is complete.
    Exchange(Exchange),
    /// A request was passed on and not, or not wholly, understood.
    Unread {
        /// The API's key, as it came.
        key: i16,
        /// Its version, as it came.
        version: i16,
        /// Why.
        why: Unread,
    },
    /// Nothing of this connection is understood from here on; there is no further event.
    Opaque(Opaque),
}

/// A request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The API's key.
    pub key: i16,
    /// Its version.
    pub version: i16,
    /// What the client calls itself; `None` also where the header was not understood.
    pub client_id: Option<&'a [u8]>,
    /// The length of the frame.
    pub bytes: usize,
}

/// A request with its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The API's key.
    pub key: i16,
    /// Its version.
    pub version: i16,
    /// When the request was complete.
    pub asked: Nanos,
    /// When the response was complete.
    pub answered: Nanos,
    /// The length of the response's frame.
    pub bytes: usize,
}

/// Why a request was not, or not wholly, understood. The connection is followed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unread {
    /// Kafka has no such API; vendors have, from key 10000 on.
    UnknownKey,
    /// Kafka has the API, in other versions.
    UnknownVersion,
    /// The bytes are not what the definition says.
    Malformed,
    /// What was looked for is not in the part of a frame that is kept.
    TooLong,
    /// A broker would refuse the name or version of the software.
    InvalidSoftware,
}

/// Why nothing of a connection is understood any more. This is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opaque {
    /// The client begins a TLS handshake.
    Tls,
    /// The first bytes are no request of Kafka's.
    NotKafka,
    /// A later frame has a negative length, or one above the limit.
    FrameLength,
    /// A request has no room for its first eight bytes.
    ShortRequest,
    /// A response has no room for its correlation id.
    ShortResponse,
    /// A response belongs to no request.
    Correlation,
    /// More requests wait for their responses than are remembered.
    InFlight,
    /// After `SaslHandshake` version 0 tokens are sent without any header.
    SaslTokens,
}
