//! Kafka's errors that a client is answered.

/// An error of Kafka's, by its code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are Kafka's")]
pub enum Error {
    #[default]
    None = 0,
    InvalidRequest = 42,
    UnsupportedCompressionType = 76,
    ThrottlingQuotaExceeded = 89,
    UnknownSubscriptionId = 117,
    TelemetryTooLarge = 118,
}

impl Error {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::InvalidRequest,
        Self::UnsupportedCompressionType,
        Self::ThrottlingQuotaExceeded,
        Self::UnknownSubscriptionId,
        Self::TelemetryTooLarge,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// As Kafka spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::UnsupportedCompressionType => "UNSUPPORTED_COMPRESSION_TYPE",
            Self::ThrottlingQuotaExceeded => "THROTTLING_QUOTA_EXCEEDED",
            Self::UnknownSubscriptionId => "UNKNOWN_SUBSCRIPTION_ID",
            Self::TelemetryTooLarge => "TELEMETRY_TOO_LARGE",
        }
    }
}
