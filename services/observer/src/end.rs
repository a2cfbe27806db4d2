//! Names how a connection ended.

use kwitness_recording as recording;

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client closed it.
    Client,
    /// The broker closed it.
    Broker,
    /// There was no way to a broker, or TLS failed.
    Error,
    /// A request did not come, or not wholly.
    Deadline,
    /// The observer ends.
    Drained,
    /// There were as many connections as are allowed.
    Limit,
    /// There were as many from its address as are allowed.
    AddressLimit,
    /// As many had come from its address within a second as are allowed.
    AddressRate,
    /// The client did not authenticate in time.
    SignIn,
    /// Nothing passed for long.
    Idle,
    /// It was redirected here, and nobody knows from where, or it was meant for the observer itself.
    Loop,
}

impl End {
    pub(crate) const ALL: [Self; 11] = [
        Self::Client,
        Self::Broker,
        Self::Error,
        Self::Deadline,
        Self::Drained,
        Self::Limit,
        Self::AddressLimit,
        Self::AddressRate,
        Self::SignIn,
        Self::Idle,
        Self::Loop,
    ];

    /// As records and metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Broker => "broker",
            Self::Error => "error",
            Self::Deadline => "deadline",
            Self::Drained => "drained",
            Self::Limit => "limit",
            Self::AddressLimit => "address_limit",
            Self::AddressRate => "address_rate",
            Self::SignIn => "sign_in",
            Self::Idle => "idle",
            Self::Loop => "loop",
        }
    }
}

impl From<End> for recording::End {
    fn from(end: End) -> Self {
        match end {
            End::Client => Self::Client,
            End::Broker => Self::Broker,
            // The last one is told of no connection that was relayed.
            End::Error | End::Loop => Self::Error,
            End::Deadline => Self::Deadline,
            End::Drained => Self::Drained,
            End::Limit | End::AddressLimit | End::AddressRate => Self::Limit,
            End::SignIn => Self::SignIn,
            End::Idle => Self::Idle,
        }
    }
}
