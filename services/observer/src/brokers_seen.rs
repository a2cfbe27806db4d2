//! Where the brokers are, as their answers say, and where clients are sent instead.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kwitness_protocol as protocol;
use kwitness_protocol::{AddressMap, Addresses};
use tokio::sync::watch;

use crate::ports::Ports;
use crate::settings::{Address, Settings};
use crate::sync::lock_ignoring_poison;

/// More brokers than any cluster has; further ones are not remembered.
const REMEMBERED_BROKERS: usize = 10_000;

/// The addresses of brokers by node id, learned from every Metadata response that passes.
#[derive(Debug, Default)]
pub(crate) struct BrokersSeen {
    addresses: Mutex<BTreeMap<i32, Address>>,
    /// Those that the process before had learned.
    former: BTreeMap<i32, Address>,
}

impl BrokersSeen {
    pub(crate) fn with_former(former: BTreeMap<i32, Address>) -> Self {
        Self { addresses: Mutex::default(), former }
    }

    /// Returns the address that the process before had of this broker.
    pub(crate) fn former(&self, node: i32) -> Option<Address> {
        self.former.get(&node).cloned()
    }

    /// Where this broker is.
    pub(crate) fn of(&self, node: i32) -> Option<Address> {
        lock_ignoring_poison(&self.addresses).get(&node).cloned()
    }

    pub(crate) fn learn(&self, node: i32, host: &[u8], port: i32) {
        let (Ok(host), Ok(port)) = (std::str::from_utf8(host), u16::try_from(port)) else { return };
        if host.is_empty() || port == 0 {
            return;
        }
        let mut addresses = lock_ignoring_poison(&self.addresses);
        let is_same = addresses.get(&node).is_some_and(|known| known.host == host && known.port == port);
        if !is_same && (addresses.len() < REMEMBERED_BROKERS || addresses.contains_key(&node)) {
            addresses.insert(node, Address { host: host.to_owned(), port });
        }
    }
}

/// Sends clients to the ports of brokers; a node without one is hidden.
#[derive(Debug)]
pub(crate) struct Directory {
    settings: watch::Receiver<Arc<Settings>>,
    seen: Arc<BrokersSeen>,
    /// Where brokers get their ports as they are seen, and not from the settings.
    ports: Option<Arc<Ports>>,
    told: Option<protocol::Address>,
}

impl Directory {
    pub(crate) const fn new(
        settings: watch::Receiver<Arc<Settings>>,
        seen: Arc<BrokersSeen>,
        ports: Option<Arc<Ports>>,
    ) -> Self {
        Self { settings, seen, ports, told: None }
    }
}

impl Addresses for Directory {
    fn of(&mut self, node: i32) -> Option<&protocol::Address> {
        let listener = &self.settings.borrow().listener;
        let port = match &self.ports {
            _ if node == AddressMap::BOOTSTRAP => Some(listener.bootstrap_port),
            Some(ports) if listener.brokers.is_empty() => ports.of(node),
            _ => listener.brokers.get(&node).copied(),
        };
        self.told = port.and_then(|port| protocol::Address::new(&listener.advertised_host, port).ok());
        self.told.as_ref()
    }

    fn seen(&mut self, node: i32, host: &[u8], port: i32) {
        self.seen.learn(node, host, port);
    }
}
