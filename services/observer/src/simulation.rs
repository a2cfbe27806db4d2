//! Relays connections and reports them over streams, a clock and a network that are given: what a simulation runs.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kwitness_observation::{Identity, IdentityKey};
use kwitness_recording::{TopicNames, Window};
pub use kwitness_reporting::Ledger;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::brokers_seen::{BrokersSeen, Directory};
use crate::clock::Clock;
use crate::control::{Control, later};
use crate::counters::Counters;
use crate::headers::Seen;
use crate::listening::Listening;
use crate::log;
use crate::memory_budget::{MemoryBudget, Reservation};
use crate::recording::{self, Bounds, Finished, TOPIC_NAMES, Windows};
use crate::redirection::Redirection;
pub use crate::relay::Peer;
use crate::relay::{Deadlines, Rewriting, Tap, Watch, relay};
pub use crate::report::{Connect, Tls};
use crate::report::{Reporter, report};
use crate::settings::{Mode, Settings};
use crate::sync::lock_ignoring_poison;
use crate::telemetry::Telemetry;

/// The part of a process that relays: one thread's connections.
#[derive(Debug)]
pub struct Process {
    settings: watch::Receiver<Arc<Settings>>,
    /// One of each connection: a channel wakes several in an order that chance decides.
    controls: RefCell<Vec<watch::Sender<Control>>>,
    now: Cell<Control>,
    counters: Arc<Counters>,
    recorder: recording::Shared,
    windows: Windows,
    bounds: Bounds,
    budget: Arc<MemoryBudget>,
    seen: Arc<BrokersSeen>,
    clock: Clock,
    epoch: Instant,
    opened: Cell<u64>,
}

/// How a connection was opened.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    /// Of the client.
    pub address: IpAddr,
    /// The port that the broker sees; rows name the connection's client by it.
    pub broker_port: u16,
    /// How long the client may take for its first request.
    pub first_request_within: Duration,
}

/// The part of a process that reports.
pub struct Report {
    reporter: Reporter,
    windows: mpsc::UnboundedReceiver<Finished>,
    ledger: Arc<Mutex<Ledger>>,
}

impl Process {
    /// Start with a settings file; nothing is logged. `now_ms` returns milliseconds since 1970.
    ///
    /// # Errors
    /// The field of the settings that is wrong, and why.
    pub fn start(settings: &[u8], now_ms: fn() -> u64) -> Result<(Self, Report), String> {
        log::keep_lines();
        let settings = Settings::parse(settings).map_err(|refused| format!("{}: {}", refused.field, refused.reason))?;
        let (most, source) = (settings.limits.max_series, format!("{}/{}", settings.namespace, settings.name));
        let (clock, (_, settings)) = (Clock::Given(now_ms), watch::channel(Arc::new(settings)));
        let obeyed = watch::channel(Control::default()).1;
        let (names, counters) = (Arc::new(TopicNames::new(TOPIC_NAMES)), Arc::new(Counters::new(Arc::default())));
        let (windows, finished) = mpsc::unbounded_channel();
        let budget = MemoryBudget::from_limits(&settings.borrow().limits);
        let bounds = Bounds { threads: 1, ..Bounds::default() };
        let recorder = recording::recorder(&settings.borrow(), Arc::clone(&names), &bounds, clock);
        let ledger: Arc<Mutex<Ledger>> = Arc::default();
        let reporter = Reporter {
            settings: settings.clone(),
            control: obeyed.clone(),
            directives: watch::channel(None).0,
            counters: vec![Arc::clone(&counters)],
            redirection: Redirection::said_in(None),
            listening: Listening::default(),
            names,
            headers: Seen::new(1, most),
            source,
            epoch_ms: clock.now_ms(),
            clock,
            resident_bytes: || None,
            ledger: Arc::clone(&ledger),
            telemetry: Telemetry::new(settings.clone(), obeyed, clock, || [0; 16]),
        };
        let process = Self {
            settings,
            controls: RefCell::default(),
            now: Cell::default(),
            counters,
            recorder,
            windows: Windows { thread: 0, to: windows, clock },
            bounds,
            budget,
            seen: Arc::default(),
            clock,
            epoch: Instant::now(),
            opened: Cell::new(0),
        };
        Ok((process, Report { reporter, windows: finished, ledger }))
    }

    /// Relay a connection of a client until it ends; returns how it ended, as metrics spell it.
    pub async fn relay(&self, client: impl Peer, broker: impl Peer, opened: Opened) -> &str {
        let settings = Arc::clone(&self.settings.borrow());
        let limits = settings.limits.of_frames();
        let directory = || Directory::new(self.settings.clone(), Arc::clone(&self.seen), None);
        let directory = (settings.mode != Mode::Broker).then(directory);
        let tap = Tap::new(Arc::clone(&self.counters), opened.address, self.epoch, self.clock, limits);
        let mut watch = Watch { tap, rewriting: Rewriting::new(limits, directory, None) };
        let port = opened.broker_port.to_string();
        let identity = Identity::default().with(IdentityKey::ClientSourcePort, port.as_bytes());
        let number = self.opened.replace(self.opened.get().saturating_add(1));
        self.counters.opened();
        watch.tap.record(&self.recorder, number, identity, false);
        let first_request_by = Some(later(Instant::now(), opened.first_request_within));
        let deadlines = Deadlines { first_request_by, ..Deadlines::default() };
        let reservation = Reservation::new(Arc::clone(&self.budget), number);
        let (control, obeyed) = watch::channel(self.now.get());
        self.controls.borrow_mut().push(control);
        let end = relay(client, broker, &mut watch, obeyed, deadlines, None, reservation).await;
        watch.tap.close(end);
        self.counters.closed(end);
        end.name()
    }

    /// Hand on each window when it is over, until this is dropped.
    pub async fn hand_on_windows(&self) {
        let (recorder, settings) = (Rc::clone(&self.recorder), self.settings.clone());
        recording::hand_on_windows(recorder, settings, self.bounds.clone(), self.windows.clone()).await;
    }

    /// Close each connection when nothing is outstanding, and all after this time.
    pub fn drain(&self, within: Duration) {
        self.now.set(Control { drain_until: Some(later(Instant::now(), within)), ..self.now.get() });
        self.controls.borrow().iter().for_each(|control| _ = control.send_replace(self.now.get()));
    }

    /// Hand on the last window, after which the report ends.
    pub fn end(self) {
        recording::hand_on(&self.recorder, &self.windows);
    }
}

impl Report {
    /// Report windows until there are no more, each after `seen` has seen it; returns the ledger then.
    pub async fn send(self, network: impl Connect, mut seen: impl FnMut(&Window)) -> Ledger {
        let Self { reporter, mut windows, ledger } = self;
        let (to, from) = mpsc::unbounded_channel();
        let hand_on = async {
            while let Some(finished) = windows.recv().await {
                seen(&finished.window);
                // The report takes windows until there are no more.
                let _ = to.send(finished);
            }
            drop(to);
        };
        tokio::join!(hand_on, report(reporter, network, from));
        lock_ignoring_poison(&ledger).clone()
    }
}
