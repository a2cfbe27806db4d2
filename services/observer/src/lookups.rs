//! Looks up the addresses of brokers' names, and remembers them for moments.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::sync::lock_ignoring_poison;

/// Each has a thread of the system's resolver until it is over, even if its client has gone.
const MOST_AT_ONCE: usize = 16;
const MOST_REMEMBERED: usize = 1_024;
const FRESH_FOR: Duration = Duration::from_secs(5);
const WITHIN: Duration = Duration::from_secs(5);

/// The addresses of a name, and when they were looked up.
#[derive(Clone, Debug)]
struct Addresses {
    addresses: Vec<IpAddr>,
    at: Instant,
}

/// Of all threads of the process.
#[derive(Clone, Debug)]
pub(crate) struct Lookups {
    known: Arc<Mutex<HashMap<String, Addresses>>>,
    room: Arc<Semaphore>,
}

impl Default for Lookups {
    fn default() -> Self {
        Self { known: Arc::default(), room: Arc::new(Semaphore::new(MOST_AT_ONCE)) }
    }
}

impl Lookups {
    /// The addresses of a host; where it cannot be looked up those that it had last.
    ///
    /// # Errors
    /// The name has no address, or the resolver does not answer in time.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let with_port = |addresses: Vec<IpAddr>| addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        if let Ok(address) = host.parse() {
            return Ok(with_port(vec![address]));
        }
        if let Some(addresses) = self.fresh(host) {
            return Ok(with_port(addresses));
        }
        let (own, name) = (self.clone(), host.to_owned());
        let lookup = tokio::spawn(async move { own.resolve(name).await });
        let found = match timeout(WITHIN, lookup).await {
            Ok(found) => found.unwrap_or_else(|error| Err(io::Error::other(error))),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "its name could not be looked up in time")),
        };
        let last = || lock_ignoring_poison(&self.known).get(host).map(|known| known.addresses.clone());
        found.or_else(|error| last().ok_or(error)).map(with_port)
    }

    /// Look the name up again next time: nothing answers where it led.
    pub(crate) fn distrust(&self, host: &str) {
        if let Some(known) = lock_ignoring_poison(&self.known).get_mut(host) {
            known.at = known.at.checked_sub(FRESH_FOR).unwrap_or(known.at);
        }
    }

    fn fresh(&self, host: &str) -> Option<Vec<IpAddr>> {
        let known = lock_ignoring_poison(&self.known);
        known.get(host).filter(|known| known.at.elapsed() < FRESH_FOR).map(|known| known.addresses.clone())
    }

    async fn resolve(&self, name: String) -> io::Result<Vec<IpAddr>> {
        let _place = self.room.acquire().await.map_err(io::Error::other)?;
        // Another connection may have looked it up while this one waited.
        if let Some(addresses) = self.fresh(&name) {
            return Ok(addresses);
        }
        let addresses: Vec<_> = lookup_host((name.as_str(), 0)).await?.map(|address| address.ip()).collect();
        if addresses.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "its name has no address"));
        }
        let mut known = lock_ignoring_poison(&self.known);
        if known.len() >= MOST_REMEMBERED {
            known.retain(|_, known| known.at.elapsed() < FRESH_FOR);
        }
        if known.len() < MOST_REMEMBERED {
            known.insert(name, Addresses { addresses: addresses.clone(), at: Instant::now() });
        }
        Ok(addresses)
    }
}
