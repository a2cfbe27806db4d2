//! The ports on which clients come in.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use crate::admission::Admission;
use crate::counters::Counters;
use crate::end::End;
use crate::log::log;
use crate::open_files;
use crate::settings::{Limits, Settings};
use crate::sockets;
use crate::sync::lock_ignoring_poison;
use crate::target::Target;
use crate::worker::{Accepted, Worker};

/// How long nothing is accepted after the system refused, which it does when there are no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// Gives clients that come to the threads in turn.
#[derive(Debug)]
pub(crate) struct Entrance {
    workers: Vec<(mpsc::UnboundedSender<Accepted>, Arc<Counters>)>,
    next: AtomicUsize,
    admission: Admission,
    settings: watch::Receiver<Arc<Settings>>,
    /// How many connections there are files for.
    most: usize,
    accept_failed: Mutex<BTreeMap<&'static str, u64>>,
    /// Clients that were closed because a limit was reached, by its name.
    refused: Mutex<BTreeMap<&'static str, u64>>,
}

impl Entrance {
    pub(crate) fn new(workers: &[Worker], settings: watch::Receiver<Arc<Settings>>) -> Self {
        let workers = workers.iter().map(|worker| (worker.accepted.clone(), Arc::clone(&worker.counters))).collect();
        Self::to(workers, settings)
    }

    fn to(
        workers: Vec<(mpsc::UnboundedSender<Accepted>, Arc<Counters>)>,
        settings: watch::Receiver<Arc<Settings>>,
    ) -> Self {
        Self {
            workers,
            next: AtomicUsize::new(0),
            admission: Admission::default(),
            settings,
            most: open_files::most_connections(),
            accept_failed: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// How many connections there are.
    pub(crate) fn connections(&self) -> usize {
        self.admission.open()
    }

    /// How many threads take no clients any more: each ended by an error of ours, or they all drain.
    pub(crate) fn ended_threads(&self) -> u64 {
        self.workers.iter().map(|(worker, _)| u64::from(worker.is_closed())).sum()
    }

    /// The thread that is next, of those that take clients.
    fn next(&self) -> Option<&(mpsc::UnboundedSender<Accepted>, Arc<Counters>)> {
        let first = self.next.fetch_add(1, Relaxed).checked_rem(self.workers.len())?;
        let in_turn = self.workers.iter().cycle().skip(first).take(self.workers.len());
        in_turn.into_iter().find(|(worker, _)| !worker.is_closed())
    }

    /// How often the system gave no connection of a client, by reason.
    pub(crate) fn accept_failed(&self) -> BTreeMap<&'static str, u64> {
        lock_ignoring_poison(&self.accept_failed).clone()
    }

    /// How many clients were closed because a limit was reached, by its name.
    pub(crate) fn refused(&self) -> BTreeMap<&'static str, u64> {
        lock_ignoring_poison(&self.refused).clone()
    }

    fn fail(&self, address: IpAddr, error: &io::Error) {
        let reason = match Errno::from_io_error(error) {
            Some(Errno::MFILE) => "open_files",
            Some(Errno::NFILE) => "open_files_of_node",
            Some(Errno::NOBUFS | Errno::NOMEM) => "memory",
            _ => "other",
        };
        let count = &mut lock_ignoring_poison(&self.accept_failed);
        let count = count.entry(reason).or_default();
        *count = count.saturating_add(1);
        if self.workers.first().is_some_and(|(_, counters)| counters.named_in_log(address, "accept").is_some()) {
            log!(Error, "Clients wait because no connection can be accepted", reason = error.to_string());
        }
    }

    fn admit(&self, stream: TcpStream, peer: SocketAddr, target: Target) {
        let Some((worker, counters)) = self.next() else { return };
        let limits = self.settings.borrow().limits;
        let limits = Limits { max_connections: limits.max_connections.min(self.most), ..limits };
        let place = match self.admission.admit(peer.ip().to_canonical(), &limits, Instant::now()) {
            Ok(place) => place,
            Err(end) => {
                let count = &mut lock_ignoring_poison(&self.refused);
                let count = count.entry(end.name()).or_default();
                *count = count.saturating_add(1);
                if let Some(source) = counters.named_in_log(peer.ip(), end.name()) {
                    let message = match end {
                        End::AddressLimit => "A client was closed because there are too many of its address",
                        End::AddressRate => "A client was closed because too many of its address came in a second",
                        _ => "A client was closed because there are too many",
                    };
                    log!(Warning, message, source = source, limit = limits.of(end));
                }
                return;
            }
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
    /// By the address that settings name, and the port.
    open: BTreeMap<SocketAddr, (Target, Vec<AbortHandle>)>,
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
        let is_redirected = !listener.redirected.is_empty();
        let wanted: BTreeMap<_, _> = if is_redirected {
            BTreeMap::from([(bootstrap, Target::Original)])
        } else {
            brokers.chain([(bootstrap, Target::Bootstrap)]).collect()
        };
        self.open.retain(|address, (target, tasks)| {
            let stays = wanted.get(address) == Some(target);
            if !stays {
                tasks.iter().for_each(AbortHandle::abort);
            }
            stays
        });
        let listen = if is_redirected { sockets::listen_to_redirected } else { sockets::listen };
        let mut outcome = Ok(());
        for (address, target) in wanted {
            if self.open.contains_key(&address) {
                continue;
            }
            let opened = listen(address.ip(), address.port())
                .and_then(|listeners| listeners.into_iter().map(|listener| self.accept(listener, target)).collect());
            match opened {
                Ok(tasks) => drop(self.open.insert(address, (target, tasks))),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        outcome
    }

    /// Let clients of this broker in by a port that is open already.
    ///
    /// # Errors
    /// The system refuses to watch it.
    pub(crate) fn add(&mut self, node: i32, listener: std::net::TcpListener) -> io::Result<()> {
        let task = self.accept(TcpListener::from_std(listener)?, Target::Broker(node))?;
        self.given.push(task);
        Ok(())
    }

    fn accept(&self, listener: TcpListener, target: Target) -> io::Result<AbortHandle> {
        let address = listener.local_addr()?;
        let broker = if let Target::Broker(node) = target { Some(node) } else { None };
        log!(Info, "Listening", address = address.to_string(), broker = broker);
        Ok(tokio::spawn(accept(listener, address, target, Arc::clone(&self.entrance))).abort_handle())
    }

    /// Let nobody in any more.
    pub(crate) fn close(&mut self) {
        let open = std::mem::take(&mut self.open).into_values().flat_map(|(_, tasks)| tasks);
        open.chain(self.given.drain(..)).for_each(|task| task.abort());
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> watch::Receiver<Arc<Settings>> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/observer_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let settings = Settings::parse(examples["valid"][0]["settings"].to_string().as_bytes()).unwrap();
        watch::channel(Arc::new(settings)).1
    }

    #[tokio::test]
    async fn clients_of_a_thread_that_has_ended_go_to_the_others_and_it_is_counted() {
        let ((living, mut clients), (ended, _)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let counters = || Arc::new(Counters::new(Arc::default()));
        let entrance = Entrance::to(vec![(ended, counters()), (living, counters())], settings());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        for _ in 0..4 {
            let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (stream, peer) = listener.accept().await.unwrap();
            entrance.admit(stream, peer, Target::Bootstrap);
        }

        assert_eq!((clients.len(), entrance.connections(), entrance.ended_threads()), (4, 4, 1));
        clients.close();
        assert_eq!(entrance.ended_threads(), 2);
    }
}
