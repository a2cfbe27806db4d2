//! The observer: its own relay and report, before the simulated network.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use kwitness_observation::{Identity, IdentityKey};
use kwitness_observer::simulation::{self, Connect, Opened, Tls};
use kwitness_recording::{Who, Window};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turmoil::net::{TcpListener, TcpStream};

use crate::history::{Counts, Ledger, Process, Relayed, Shared};
use crate::sabotage::Sabotage;
use crate::stream::Taped;

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const FIRST_REQUEST_WITHIN: Duration = Duration::from_secs(10);
const DRAIN_WITHIN: Duration = Duration::from_secs(3);

/// An observer with what outlives its processes.
#[derive(Clone, Debug)]
pub(crate) struct Observer {
    pub(crate) history: Shared,
    pub(crate) settings: String,
    pub(crate) sabotage: Option<Sabotage>,
    /// Tells the process that runs to end in order.
    pub(crate) terminate: Rc<Notify>,
    /// How many processes have ended in order.
    pub(crate) ended: Rc<Cell<u64>>,
}

/// One process, until it is told to end or killed.
pub(crate) async fn run(observer: Observer) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", 9092)).await?;
    let (relay, report) = simulation::Process::start(observer.settings.as_bytes(), now_ms)?;
    let relay = Rc::new(relay);
    let process = Rc::new(RefCell::new(Process { epoch: now_ms(), ..Process::default() }));
    let number = observer.history.borrow().processes.len();
    observer.history.borrow_mut().processes.push(Rc::clone(&process));
    let doubled = observer.sabotage == Some(Sabotage::DoubledCount);
    let counted = Rc::clone(&process);
    let seen = move |window: &Window| {
        let times = if doubled { 2 } else { 1 };
        (0..times).for_each(|_| count(window, &mut counted.borrow_mut().counted));
    };
    let reporting = tokio::task::spawn_local(report.send(Network, seen));
    let ticking = Rc::clone(&relay);
    let ticking = tokio::task::spawn_local(async move { ticking.hand_on_windows().await });
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = observer.terminate.notified() => break,
            Some(ended) = connections.join_next() => ended?,
            accepted = listener.accept() => {
                let (client, peer) = accepted?;
                let (observer, relay) = (observer.clone(), Rc::clone(&relay));
                connections.spawn_local(async move { observer.pass_on(client, peer, &relay, number).await });
            }
        }
    }
    drop(listener);
    relay.drain(DRAIN_WITHIN);
    while let Some(ended) = connections.join_next().await {
        ended?;
    }
    ticking.abort();
    let _ = ticking.await;
    Rc::into_inner(relay).ok_or("a connection is left")?.end();
    let simulation::Ledger { accepted, delivered, queued, dropped } = reporting.await?;
    process.borrow_mut().ledger = Some(Ledger { accepted, delivered, queued, dropped });
    observer.history.borrow_mut().note("observer ended in order");
    observer.ended.set(observer.ended.get() + 1);
    Ok(())
}

impl Observer {
    async fn pass_on(
        &self,
        client: TcpStream,
        peer: std::net::SocketAddr,
        relay: &simulation::Process,
        process: usize,
    ) {
        let Ok(Ok(broker)) = timeout(CONNECT_WITHIN, TcpStream::connect(("broker", 9092))).await else {
            self.history.borrow_mut().note(format_args!("observer has no broker for {}", peer.port()));
            return;
        };
        let broker_port = broker.local_addr().map(|address| address.port()).unwrap_or_default();
        let (to_broker, to_client) = Sabotage::of_sides(self.sabotage);
        let ((client, client_tape), (broker, broker_tape)) =
            (Taped::new(client, to_client), Taped::new(broker, to_broker));
        let opened = Opened { address: peer.ip(), broker_port, first_request_within: FIRST_REQUEST_WITHIN };
        let relayed = Rc::new(RefCell::new(Relayed {
            process,
            client_port: peer.port(),
            broker_port,
            client: client_tape,
            broker: broker_tape,
            end: None,
        }));
        self.history.borrow_mut().relayed.push(Rc::clone(&relayed));
        let end = relay.relay(client, broker, opened).await;
        relayed.borrow_mut().end = Some(end.to_owned());
    }
}

/// Adds the counts of a window, by the port that the broker sees.
fn count(window: &Window, all: &mut BTreeMap<u16, Counts>) {
    for (who, _, tally) in window.apis() {
        *all.entry(port(who)).or_default() += Counts { requests: tally.requests, records: 0 };
    }
    for (who, .., tally) in window.partitions() {
        let records = tally.content.records + tally.unconfirmed;
        *all.entry(port(who)).or_default() += Counts { requests: 0, records };
    }
}

fn port(who: Who<'_>) -> u16 {
    let of = |identity: &Identity| {
        identity.get(IdentityKey::ClientSourcePort).and_then(|port| str::from_utf8(port).ok()?.parse().ok())
    };
    who.client().and_then(of).unwrap_or_default()
}

fn now_ms() -> u64 {
    let since = turmoil::since_epoch().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The simulated network towards the collector.
struct Network;

impl Connect for Network {
    type Connection = TcpStream;

    async fn connect(&self, host: &str, port: u16, _: Option<Tls<'_>>) -> io::Result<TcpStream> {
        TcpStream::connect((host, port)).await
    }
}
