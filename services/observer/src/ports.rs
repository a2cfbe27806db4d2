//! A port for each broker, in the order in which they are first seen, where no settings give them: laptop and sidecar.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Mutex;

use tokio::sync::mpsc;

use crate::sync::lock_ignoring_poison;

/// More brokers than any client needs; further ones are hidden.
const MOST_BROKERS: usize = 1_000;
/// How many ports that others have are passed over at a time.
const MOST_TAKEN: usize = 100;

/// Gives out ports, each of which is open before anybody is told of it.
#[derive(Debug)]
pub(crate) struct Ports {
    bind: IpAddr,
    given: Mutex<Given>,
    /// Whoever lets clients in there.
    opened: mpsc::UnboundedSender<(i32, TcpListener)>,
}

#[derive(Debug)]
struct Given {
    last: u16,
    by_node: HashMap<i32, u16>,
}

impl Ports {
    /// Ports after that of `bootstrap`.
    pub(crate) fn new(bootstrap: SocketAddr, opened: mpsc::UnboundedSender<(i32, TcpListener)>) -> Self {
        let given = Given { last: bootstrap.port(), by_node: HashMap::new() };
        Self { bind: bootstrap.ip(), given: Mutex::new(given), opened }
    }

    /// Open the port that this broker had before.
    ///
    /// # Errors
    /// The port cannot be had, or there are too many.
    pub(crate) fn reopen(&self, node: i32, port: u16) -> io::Result<()> {
        let mut given = lock_ignoring_poison(&self.given);
        if node < 0 || port == 0 || given.by_node.len() >= MOST_BROKERS {
            return Err(ErrorKind::InvalidInput.into());
        }
        self.open(&mut given, node, port)
    }

    /// The ports so far, by broker.
    pub(crate) fn given(&self) -> Vec<(i32, u16)> {
        lock_ignoring_poison(&self.given).by_node.iter().map(|(node, port)| (*node, *port)).collect()
    }

    fn open(&self, given: &mut Given, node: i32, port: u16) -> io::Result<()> {
        let listener = TcpListener::bind(SocketAddr::new(self.bind, port))?;
        listener.set_nonblocking(true)?;
        self.opened.send((node, listener)).map_err(io::Error::other)?;
        given.last = given.last.max(port);
        given.by_node.insert(node, port);
        Ok(())
    }

    /// The port of this broker, from now on; `None` when none can be had.
    pub(crate) fn of(&self, node: i32) -> Option<u16> {
        let mut given = lock_ignoring_poison(&self.given);
        if let Some(port) = given.by_node.get(&node) {
            return Some(*port);
        }
        if node < 0 || given.by_node.len() >= MOST_BROKERS {
            return None;
        }
        for _ in 0..MOST_TAKEN {
            given.last = given.last.checked_add(1)?;
            let port = given.last;
            match self.open(&mut given, node, port) {
                Ok(()) => return Some(port),
                Err(error) if error.kind() == ErrorKind::AddrInUse => {}
                Err(_) => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{IpAddr, Ports, SocketAddr, TcpListener, mpsc};

    #[test]
    fn each_broker_has_a_port_of_its_own_that_is_open_before_it_is_told() {
        let local = IpAddr::from([127, 0, 0, 1]);
        let taken = TcpListener::bind(SocketAddr::new(local, 0)).unwrap();
        let before = taken.local_addr().unwrap().port() - 1;
        let (opened, mut opening) = mpsc::unbounded_channel();
        let ports = Ports::new(SocketAddr::new(local, before), opened);

        let first = ports.of(7).unwrap();
        let second = ports.of(3).unwrap();

        assert!(first > before + 1, "a port that somebody has is passed over");
        assert!(second > first);
        assert_eq!(ports.of(7), Some(first));
        assert_eq!(ports.of(-1), None);
        let (node, listener) = opening.try_recv().unwrap();
        assert_eq!((node, listener.local_addr().unwrap().port()), (7, first));
    }
}
