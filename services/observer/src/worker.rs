//! A thread that serves connections; each connection stays on the thread that it was given to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZero;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, available_parallelism};
use std::time::Duration;

use kwitness_observation::{Identity, IdentityKey};
use kwitness_recording::TopicNames;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, timeout_at};

use crate::admission::Place;
use crate::brokers_seen::{BrokersSeen, Directory};
use crate::clock::Clock;
use crate::control::{Control, later};
use crate::counters::Counters;
use crate::end::End;
use crate::headers::Copies;
use crate::log::{Throttle, log};
use crate::memory_budget::{MemoryBudget, Reservation};
use crate::ports::Ports;
use crate::recording::{self, Bounds, Finished, Windows};
use crate::relay::{Deadlines, Fallback, Peer as _, Rewriting, Stream, Tap, Watch, relay, set_options};
use crate::settings::{Mode, Settings, Upstream};
use crate::target::Target;
use crate::telemetry::Telemetry;
use crate::tls::{self, Shown};
use crate::unopened::Unopened;
use crate::upstream::{Brokers, connect_as_meant};

/// More of them rarely have work, and each has memory and descriptors of its own.
const MOST_THREADS: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(3);

/// What all threads share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) settings: watch::Receiver<Arc<Settings>>,
    /// With which certificate TLS with clients begins.
    pub(crate) shown: Shown,
    pub(crate) control: watch::Receiver<Control>,
    pub(crate) brokers: Arc<Brokers>,
    pub(crate) seen: Arc<BrokersSeen>,
    /// On a laptop and beside a client.
    pub(crate) ports: Option<Arc<Ports>>,
    /// Under which address a sidecar's client is known.
    pub(crate) pod_address: Option<IpAddr>,
    pub(crate) names: Arc<TopicNames>,
    /// Where batches are put to be looked into.
    pub(crate) copies: Option<Copies>,
    /// Who answers clients' telemetry where brokers do not.
    pub(crate) telemetry: Option<Arc<Telemetry>>,
    pub(crate) windows: mpsc::UnboundedSender<Finished>,
    /// Bounds what all connections keep.
    pub(crate) budget: Arc<MemoryBudget>,
    /// The number of the connection that comes next.
    pub(crate) number: Arc<AtomicU64>,
    /// What times are counted from.
    pub(crate) epoch: Instant,
    /// Tells the time of day.
    pub(crate) clock: Clock,
    /// How long a client may take for its first request.
    pub(crate) first_request_within: Duration,
}

/// A client that came.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) stream: std::net::TcpStream,
    pub(crate) peer: SocketAddr,
    pub(crate) target: Target,
    pub(crate) place: Place,
}

/// A thread with its own runtime.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) counters: Arc<Counters>,
    pub(crate) accepted: mpsc::UnboundedSender<Accepted>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Start a thread.
    ///
    /// # Errors
    /// The system gives no thread or no runtime.
    fn start(number: usize, shared: Shared, throttle: Arc<Mutex<Throttle>>, bounds: Bounds) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let counters = Arc::new(Counters::new(throttle));
        let (accepted, mut arriving) = mpsc::unbounded_channel();
        let counted = Arc::clone(&counters);
        let serve_all = move || {
            let local = LocalSet::new();
            let recorder =
                recording::recorder(&shared.settings.borrow(), Arc::clone(&shared.names), &bounds, shared.clock);
            let windows = Windows { thread: number, to: shared.windows.clone(), clock: shared.clock };
            let settings = shared.settings.clone();
            let ticking = recording::hand_on_windows(Rc::clone(&recorder), settings, bounds, windows.clone());
            let mut ticking = local.spawn_local(ticking);
            runtime.block_on(local.run_until(async {
                let mut control = shared.control.clone();
                let mut connections = JoinSet::new();
                loop {
                    tokio::select! {
                        biased;
                        Some(client) = arriving.recv() => {
                            let counted = Arc::clone(&counted);
                            let served = serve(client, shared.clone(), number, counted, Rc::clone(&recorder));
                            connections.spawn_local(served);
                        }
                        Some(ended) = connections.join_next() => counted.ended(&ended),
                        // Without windows nothing would be reported any more.
                        _ = &mut ticking => break,
                        _ = control.wait_for(|control| control.drain_until.is_some()) => break,
                    }
                }
                arriving.close();
                while let Some(ended) = connections.join_next().await {
                    counted.ended(&ended);
                }
                ticking.abort();
                recording::hand_on(&recorder, &windows);
            }));
        };
        let thread = std::thread::Builder::new().name(format!("relay-{number}")).spawn(serve_all)?;
        Ok(Self { counters, accepted, thread })
    }

    /// Wait until its last connection has ended, which [`Control::drain_until`] brings about.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            log!(Error, "A relay thread ended by an error of ours");
        }
    }
}

/// How many threads there are where no number is given: one beside a client, else one for each core, at most four.
pub(crate) fn threads(mode: Mode) -> NonZero<usize> {
    threads_of(mode, available_parallelism().unwrap_or(NonZero::<usize>::MIN))
}

fn threads_of(mode: Mode, cores: NonZero<usize>) -> NonZero<usize> {
    match mode {
        Mode::Sidecar | Mode::Laptop => NonZero::<usize>::MIN,
        Mode::Gateway | Mode::Broker => cores.min(MOST_THREADS),
    }
}

/// As many threads.
///
/// # Errors
/// As [`Worker::start`].
pub(crate) fn start_workers(shared: &Shared, threads: NonZero<usize>) -> io::Result<Vec<Worker>> {
    let identity = shared.settings.borrow().identity.policy();
    let throttle = Arc::new(Mutex::new(Throttle::naming(identity)));
    let gate = shared.copies.as_ref().map(|copies| Arc::clone(copies.gate()));
    let bounds = Bounds { threads: threads.get(), gate, ..Bounds::default() };
    let start = |number| Worker::start(number, shared.clone(), Arc::clone(&throttle), bounds.clone());
    (0..threads.get()).map(start).collect()
}

/// Serve a client until its connection ends.
///
/// The future lives as long as the connection, and would keep room for what is needed to open it and for each move of a
/// value: so the one is boxed, and so is what is large.
fn serve(
    client: Accepted,
    shared: Shared,
    thread: usize,
    counters: Arc<Counters>,
    recorder: recording::Shared,
) -> impl Future<Output = ()> {
    counters.opened();
    let opening = Box::pin(connect(client, shared, thread, Arc::clone(&counters), recorder));
    async move {
        let (connected, place) = opening.await;
        let end = match connected {
            Ok(Connected { client, broker, mut watch, control, deadlines, fallback, reservation }) => {
                let end = relay(client, broker, &mut watch, control, deadlines, fallback, reservation).await;
                watch.tap.close(end);
                end
            }
            Err(end) => end,
        };
        counters.closed(end);
        drop(place);
    }
}

/// A connection with both sides open.
struct Connected {
    client: Stream,
    broker: Stream,
    watch: Box<Watch>,
    control: watch::Receiver<Control>,
    deadlines: Deadlines,
    fallback: Option<Fallback>,
    reservation: Reservation,
}

async fn connect(
    client: Accepted,
    shared: Shared,
    thread: usize,
    counters: Arc<Counters>,
    recorder: recording::Shared,
) -> (Result<Connected, End>, Place) {
    let Accepted { stream, peer, target, place } = client;
    let mut drain = shared.control.clone();
    let settings = Arc::clone(&shared.settings.borrow());
    let deadlines = match target {
        Target::Original => Deadlines::default(),
        Target::Bootstrap | Target::Broker(_) => deadlines(&settings, shared.first_request_within),
    };
    let mut watch = watching(&shared, &settings, target, peer, thread, &counters, deadlines);
    let opened = tokio::select! {
        opened = open(stream, target, &shared, &settings, deadlines.first_request_by) => opened,
        _ = drain.wait_for(|control| control.drain_until.is_some()) => return (Err(End::Drained), place),
    };
    let connected = match opened {
        Ok((client, broker, fallback)) => {
            watch.tap.obey(*shared.control.borrow());
            let number = shared.number.fetch_add(1, Relaxed);
            let address = match settings.mode {
                Mode::Sidecar => shared.pod_address,
                Mode::Gateway | Mode::Broker | Mode::Laptop => Some(peer.ip().to_canonical()),
            };
            let is_any = fallback.as_ref().is_some_and(Fallback::is_any);
            if is_any {
                watch.rewriting.stand_in();
            }
            let identity = identity(&settings, address, target, &broker, is_any);
            watch.tap.record(&recorder, number, identity, client.is_encrypted());
            let reservation = Reservation::new(shared.budget, number);
            Ok(Connected { client, broker, watch, control: shared.control, deadlines, fallback, reservation })
        }
        Err(unopened) => Err(unopened.end(peer.ip(), &counters)),
    };
    (connected, place)
}

/// The readers of a connection's bytes.
fn watching(
    shared: &Shared,
    settings: &Settings,
    target: Target,
    peer: SocketAddr,
    thread: usize,
    counters: &Arc<Counters>,
    deadlines: Deadlines,
) -> Box<Watch> {
    let limits = settings.limits.of_frames();
    let keeps_names = target == Target::Original || settings.mode == Mode::Broker;
    let directory = || Directory::new(shared.settings.clone(), Arc::clone(&shared.seen), shared.ports.clone());
    let directory = (!keeps_names).then(directory);
    let tap = Tap::new(Arc::clone(counters), peer.ip(), shared.epoch, shared.clock, limits);
    let tap = shared.copies.iter().fold(tap, |tap, copies| tap.copying(copies.clone(), thread));
    let tap = if keeps_names { tap.keeping_names() } else { tap };
    let is_passed_on = settings.telemetry.is_none() || shared.control.borrow().reads_nothing();
    let telemetry = shared.telemetry.clone().filter(|_| !is_passed_on);
    let rewriting = Rewriting::new(limits, directory, telemetry);
    let rewriting = if deadlines.sign_in_by.is_some() { rewriting.requiring_sign_in() } else { rewriting };
    Box::new(Watch { tap, rewriting })
}

/// Of a connection that is open since now.
fn deadlines(settings: &Settings, first_request_within: Duration) -> Deadlines {
    let (now, limits) = (Instant::now(), settings.limits);
    Deadlines {
        first_request_by: Some(later(now, first_request_within)),
        sign_in_by: limits.sign_in_ms.map(|within| later(now, Duration::from_millis(within))),
        idle_after: limits.idle_ms.map(Duration::from_millis),
    }
}

/// What is known of a client before it says anything.
fn identity(settings: &Settings, address: Option<IpAddr>, target: Target, broker: &Stream, is_any: bool) -> Identity {
    let text = |identity: Identity, key, value: &str| identity.with(key, value.as_bytes());
    let mut identity = text(Identity::default(), IdentityKey::Listener, &settings.listener.name);
    if let Some(address) = address {
        identity = text(identity, IdentityKey::ClientAddress, &address.to_string());
    }
    if let Some(port) = broker.local_port() {
        // The port that the broker sees, so that what both say of a connection can be joined.
        identity = text(identity, IdentityKey::ClientSourcePort, &port.to_string());
    }
    match target.node(settings).filter(|_| !is_any) {
        Some(node) => text(identity, IdentityKey::BrokerId, &node.to_string()),
        None => identity,
    }
}

async fn open(
    stream: std::net::TcpStream,
    target: Target,
    shared: &Shared,
    settings: &Settings,
    first_request_by: Option<Instant>,
) -> Result<(Stream, Stream, Option<Fallback>), Unopened> {
    let client = TcpStream::from_std(stream).map_err(|_| Unopened::Client(End::Client))?;
    set_options(&client).map_err(|_| Unopened::Client(End::Client))?;
    let Some(first_request_by) = first_request_by else { return open_as_meant(Stream::Plain(client), settings).await };
    // Whoever sends nothing costs the brokers no connection.
    match timeout_at(first_request_by, client.ready(Interest::READABLE)).await {
        Ok(Ok(_)) => {}
        Ok(Err(_)) => return Err(Unopened::Client(End::Client)),
        Err(_) => return Err(Unopened::Client(End::Deadline)),
    }
    let client = if settings.listener.tls.is_none() {
        Stream::Plain(client)
    } else {
        let shown = shared.shown.borrow().clone();
        match tls::accept(shown, client, first_request_by).await {
            Ok(client) => Stream::Tls(Box::new(client)),
            Err(Some((failure, reason))) => return Err(Unopened::Tls(failure, reason)),
            Err(None) => return Err(Unopened::Client(End::Client)),
        }
    };
    let (upstream, brokers) = (&settings.upstream, &shared.brokers);
    let (broker, fallback) = match target {
        Target::Bootstrap => brokers.connect_to_any(upstream).await.map(|broker| (broker, None)),
        Target::Broker(node) => connect_to_node(node, &shared.seen, brokers, upstream).await,
        Target::Original => return open_as_meant(client, settings).await,
    }
    .map_err(Unopened::Broker)?;
    Ok((client, broker, fallback))
}

/// Connect to a broker that answers have named; or where it is in the settings, or was for the process before; or to any.
async fn connect_to_node(
    node: i32,
    seen: &Arc<BrokersSeen>,
    brokers: &Brokers,
    upstream: &Upstream,
) -> io::Result<(Stream, Option<Fallback>)> {
    if let Some(address) = seen.of(node) {
        return Ok((brokers.connect(&address, upstream).await?, None));
    }
    let fallback = |address| Some(Fallback::new(node, Arc::clone(seen), address));
    for address in upstream.nodes.get(&node).cloned().into_iter().chain(seen.former(node)) {
        if let Ok(broker) = brokers.connect(&address, upstream).await {
            return Ok((broker, fallback(Some(address))));
        }
    }
    Ok((brokers.connect_to_any(upstream).await?, fallback(None)))
}

/// Connect to where the client meant to go. It may be the other side that speaks first, so nothing is waited for.
async fn open_as_meant(client: Stream, settings: &Settings) -> Result<(Stream, Stream, Option<Fallback>), Unopened> {
    let meant = client.original_destination().map_err(Unopened::Loop)?;
    // Beside a broker others can reach the observer, too: it would connect to itself for ever.
    if !settings.listener.redirected.contains(&meant.port()) {
        return Err(Unopened::Loop(io::Error::other(format!("{meant} is not redirected"))));
    }
    match connect_as_meant(meant).await {
        Ok(broker) => Ok((client, broker, None)),
        Err(error) => {
            // As without an observer: the connection does not come about.
            client.reset();
            Err(Unopened::Broker(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::threads_of;
    use crate::settings::Mode;

    #[test]
    fn a_sidecar_has_one_thread_and_a_gateway_no_more_than_four_on_any_machine() {
        let of = |mode, cores| threads_of(mode, NonZero::new(cores).unwrap()).get();

        assert_eq!([Mode::Sidecar, Mode::Laptop].map(|mode| of(mode, 64)), [1, 1]);
        assert_eq!([Mode::Gateway, Mode::Broker].map(|mode| of(mode, 64)), [4, 4]);
        assert_eq!([1, 2, 3].map(|cores| of(Mode::Gateway, cores)), [1, 2, 3]);
    }
}
