//! The broker that a port of the observer stands for.

use crate::settings::Settings;

/// The broker, or brokers, that a port stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Any broker.
    Bootstrap,
    /// The broker with this node id.
    Broker(i32),
    /// The broker that the client meant, before the connection was redirected.
    Original,
}

impl Target {
    /// The node id of the broker that connections of the port go to; `None` where it is not known.
    pub(crate) fn node(self, settings: &Settings) -> Option<i32> {
        match self {
            Self::Broker(node) => Some(node),
            // Beside a broker every connection goes to it, redirected or not.
            Self::Bootstrap | Self::Original => settings.own_node(),
        }
    }
}
