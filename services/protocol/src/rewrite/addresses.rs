//! Where clients reach each broker.

use std::collections::HashMap;
use std::fmt;

const LONGEST_HOST: usize = 255;

/// A host, by name or as an IP address, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

/// A host is empty, or longer than the 255 bytes that a name in DNS can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLength(pub usize);

impl fmt::Display for HostLength {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a host of {} bytes: give one of 1 to {LONGEST_HOST} bytes", self.0)
    }
}

impl std::error::Error for HostLength {}

impl Address {
    /// An address that clients are told.
    ///
    /// # Errors
    /// [`HostLength`].
    pub fn new(host: impl Into<String>, port: u16) -> Result<Self, HostLength> {
        let host = host.into();
        let is_possible = (1..=LONGEST_HOST).contains(&host.len());
        if is_possible { Ok(Self { host, port }) } else { Err(HostLength(host.len())) }
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }
}

/// Where clients have to be sent, asked while a response is rewritten.
pub trait Addresses {
    /// Where clients reach this node; `None` when they cannot, then it is left out of lists of brokers.
    fn of(&mut self, node: i32) -> Option<&Address>;

    /// A Metadata response says that this node is here, as the broker's own listener has it. Told of every broker
    /// before [`Addresses::of`] is asked for it, also when the host is not UTF-8 or the port not possible: both are as
    /// they came.
    fn seen(&mut self, node: i32, host: &[u8], port: i32);
}

/// Addresses that are known beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressMap {
    bootstrap: Address,
    nodes: HashMap<i32, Address>,
}

impl AddressMap {
    /// The node id that stands for "whichever broker answers".
    pub const BOOTSTRAP: i32 = -1;

    /// A map that knows no broker yet. `bootstrap` is where a client begins.
    #[must_use]
    pub fn new(bootstrap: Address) -> Self {
        Self { bootstrap, nodes: HashMap::new() }
    }

    /// Send clients of this node there.
    pub fn insert(&mut self, node: i32, address: Address) {
        self.nodes.insert(node, address);
    }
}

impl Addresses for AddressMap {
    fn of(&mut self, node: i32) -> Option<&Address> {
        if node == Self::BOOTSTRAP { Some(&self.bootstrap) } else { self.nodes.get(&node) }
    }

    fn seen(&mut self, _: i32, _: &[u8], _: i32) {}
}
