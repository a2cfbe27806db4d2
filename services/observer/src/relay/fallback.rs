//! Connections to the port of a broker whose address no answer has had yet.

use std::sync::Arc;

use crate::brokers_seen::BrokersSeen;
use crate::settings::Address;

/// A connection in place of that to a broker that no answer has named yet.
///
/// It leads to the address of the broker in the settings or for the process before, or else to any broker. The client learns there where to go, as
/// a client does whose metadata is old. What means the broker alone closes a connection to any other. Once an answer has
/// another address of the broker, the connection is closed, too, and the client's next one goes there.
#[derive(Debug)]
pub(crate) struct Fallback {
    node: i32,
    seen: Arc<BrokersSeen>,
    /// The address that is not confirmed; `None` for any broker.
    address: Option<Address>,
}

impl Fallback {
    pub(crate) const fn new(node: i32, seen: Arc<BrokersSeen>, address: Option<Address>) -> Self {
        Self { node, seen, address }
    }

    /// Returns true if it can lead to another broker.
    pub(crate) const fn is_any(&self) -> bool {
        self.address.is_none()
    }

    /// Returns true if the broker is elsewhere, as an answer says.
    pub(super) fn is_over(&self) -> bool {
        self.seen.of(self.node).is_some_and(|seen| self.address.as_ref() != Some(&seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_once_an_answer_has_another_address() {
        for (address, is_over) in [(None, true), (Some("b1:9092"), false), (Some("b2:9092"), true)] {
            let seen = Arc::new(BrokersSeen::default());
            let address = address.map(|address| address.parse().unwrap());
            let fallback = Fallback::new(1, Arc::clone(&seen), address);
            seen.learn(2, b"b2", 9092);
            assert!(!fallback.is_over());

            seen.learn(1, b"b1", 9092);

            assert_eq!(fallback.is_over(), is_over, "{fallback:?}");
        }
    }
}
