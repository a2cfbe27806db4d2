//! Reasons why something of a connection is not understood.

/// Why a request or its response was not, or not wholly, understood. The connection is followed on.
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
    /// It names more topics, partitions or transactions than are remembered of a connection.
    TooMany,
    /// A broker would refuse the name or version of the software.
    InvalidSoftware,
}

/// Why nothing of a connection is understood any more. What follows can be read as
/// [resumed](crate::Connection::resumed) where the boundaries of frames are known.
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
}
