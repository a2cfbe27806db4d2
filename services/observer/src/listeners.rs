//! The ports on which clients come in.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::Errno;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use crate::counters::{Counters, unpoisoned};
use crate::log::log;
use crate::open_files;
use crate::settings::Settings;
use crate::worker::{Accepted, Place, Target, Worker};

const BACKLOG: u32 = 1_024;
/// How long nothing is accepted after the system refused, which it does when there are no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Gives clients that come to the threads in turn.
#[derive(Debug)]
pub(crate) struct Entrance {
    workers: Vec<(mpsc::UnboundedSender<Accepted>, Arc<Counters>)>,
    next: AtomicUsize,
    taken: Arc<AtomicUsize>,
    settings: watch::Receiver<Arc<Settings>>,
    /// How many connections there are files for.
    most: usize,
    accept_failed: Mutex<BTreeMap<&'static str, u64>>,
    /// Clients that were closed because there were too many.
    pub(crate) refused: AtomicU64,
}

impl Entrance {
    pub(crate) fn new(workers: &[Worker], settings: watch::Receiver<Arc<Settings>>) -> Self {
        Self {
            workers: workers.iter().map(|worker| (worker.accepted.clone(), Arc::clone(&worker.counters))).collect(),
            next: AtomicUsize::new(0),
            taken: Arc::default(),
            settings,
            most: open_files::most_connections(),
            accept_failed: Mutex::default(),
            refused: AtomicU64::new(0),
        }
    }

    /// How many connections there are.
    pub(crate) fn connections(&self) -> usize {
        self.taken.load(Relaxed)
    }

    /// How often the system gave no connection of a client, by reason.
    pub(crate) fn accept_failed(&self) -> BTreeMap<&'static str, u64> {
        unpoisoned(&self.accept_failed).clone()
    }

    fn fail(&self, address: IpAddr, error: &io::Error) {
        let reason = match Errno::from_io_error(error) {
            Some(Errno::MFILE) => "open_files",
            Some(Errno::NFILE) => "open_files_of_node",
            Some(Errno::NOBUFS | Errno::NOMEM) => "memory",
            _ => "other",
        };
        let count = &mut unpoisoned(&self.accept_failed);
        let count = count.entry(reason).or_default();
        *count = count.saturating_add(1);
        if self.workers.first().is_some_and(|(_, counters)| counters.may_log(address, "accept")) {
            log!(Error, "Clients wait because no connection can be accepted", reason = error.to_string());
        }
    }

    fn admit(&self, stream: TcpStream, peer: SocketAddr, target: Target) {
        let next = self.next.fetch_add(1, Relaxed).checked_rem(self.workers.len()).unwrap_or_default();
        let Some((worker, counters)) = self.workers.get(next) else { return };
        let limit = self.settings.borrow().limits.max_connections.min(self.most);
        let Some(place) = Place::take(&self.taken, limit) else {
            self.refused.fetch_add(1, Relaxed);
            if counters.may_log(peer.ip(), "limit") {
                let source = peer.ip().to_string();
                log!(Warning, "A client was closed because there are too many", source = source, limit = limit);
            }
            return;
        };
        // One that was reset while it waited has no further use.
        if let Ok(stream) = stream.into_std() {
            // A thread takes clients until this is dropped.
            let _ = worker.send(Accepted { stream, peer, target, place });
        }
    }
}

/// The ports that are open.
#[derive(Debug)]
pub(crate) struct Listeners {
    entrance: Arc<Entrance>,
    open: BTreeMap<SocketAddr, (Target, AbortHandle)>,
    /// Ports that brokers were given as they were seen: they stay as long as the process.
    given: Vec<AbortHandle>,
}

impl Listeners {
    pub(crate) const fn new(entrance: Arc<Entrance>) -> Self {
        Self { entrance, open: BTreeMap::new(), given: Vec::new() }
    }

    /// Open and close ports, so that those of the settings are open and no others but those of [`Self::add`].
    ///
    /// # Errors
    /// The first port that cannot be had, and why; the others are open.
    pub(crate) fn follow(&mut self, settings: &Settings) -> io::Result<()> {
        let listener = &settings.listener;
        let at = |port| SocketAddr::new(listener.bind, port);
        let brokers = listener.brokers.iter().map(|(node, port)| (at(*port), Target::Broker(*node)));
        let bootstrap = at(listener.bootstrap_port);
        let of_v6 = if listener.bind.is_loopback() { Ipv6Addr::LOCALHOST } else { Ipv6Addr::UNSPECIFIED };
        let bootstrap_v6 = SocketAddr::new(of_v6.into(), listener.bootstrap_port);
        let wanted: BTreeMap<_, _> = if listener.redirected.is_empty() {
            brokers.chain([(bootstrap, Target::Bootstrap)]).collect()
        } else {
            // Rules redirect connections to an address of the family that they are of.
            BTreeMap::from([bootstrap, bootstrap_v6].map(|address| (address, Target::Original)))
        };
        self.open.retain(|address, (target, task)| {
            let stays = wanted.get(address) == Some(target);
            if !stays {
                task.abort();
            }
            stays
        });
        let mut outcome = Ok(());
        for (address, target) in wanted {
            if self.open.contains_key(&address) {
                continue;
            }
            match listen(address) {
                Ok(listener) => {
                    log!(Info, "Listening", address = address.to_string());
                    let task = tokio::spawn(accept(listener, address, target, Arc::clone(&self.entrance)));
                    self.open.insert(address, (target, task.abort_handle()));
                }
                // Without IPv6 nothing comes by it.
                Err(error) if address == bootstrap_v6 && is_absent(&error) => {}
                Err(error) if outcome.is_ok() => {
                    outcome = Err(io::Error::new(error.kind(), format!("{address}: {error}")));
                }
                Err(_) => {}
            }
        }
        outcome
    }

    /// Let clients of this broker in by a port that is open already.
    ///
    /// # Errors
    /// The system refuses to watch it.
    pub(crate) fn add(&mut self, node: i32, listener: std::net::TcpListener) -> io::Result<()> {
        let address = listener.local_addr()?;
        log!(Info, "Listening", address = address.to_string(), broker = node);
        let listener = TcpListener::from_std(listener)?;
        let task = tokio::spawn(accept(listener, address, Target::Broker(node), Arc::clone(&self.entrance)));
        self.given.push(task.abort_handle());
        Ok(())
    }

    /// Let nobody in any more.
    pub(crate) fn close(&mut self) {
        let open = std::mem::take(&mut self.open).into_values().map(|(_, task)| task);
        open.chain(self.given.drain(..)).for_each(|task| task.abort());
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ADDRNOTAVAIL | Errno::AFNOSUPPORT))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    if address.is_ipv6() {
        // IPv4 has a socket of its own on the same port.
        SockRef::from(&socket).set_only_v6(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn accept(listener: TcpListener, address: SocketAddr, target: Target, entrance: Arc<Entrance>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => entrance.admit(stream, peer, target),
            Err(error) => {
                entrance.fail(address.ip(), &error);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
