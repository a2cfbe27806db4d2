//! The process: starts everything, follows the settings file, and ends in good order.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use kwitness_recording::TopicNames;
use kwitness_reporting::{Directive, Ledger};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use crate::clock::{Clock, now_ms};
use crate::control::{Control, RelayOnly};
use crate::counters::{Counters, Total};
use crate::ending;
use crate::headers::{self, Seen};
use crate::listeners::{Entrance, Listeners};
use crate::listening::Listening;
use crate::log::log;
use crate::marker::Marker;
use crate::memory_budget::MemoryBudget;
use crate::metrics::{Process, render, resident_bytes};
use crate::node_table::NodeTable;
use crate::open_files;
use crate::own_broker::OwnBroker;
use crate::pod::Pod;
use crate::ports::Ports;
use crate::probes::{self, Answers};
use crate::recording::TOPIC_NAMES;
use crate::redirection::Redirection;
use crate::report::{self, Reporter, left_out};
use crate::settings::{Mode, Settings};
use crate::settings_file::{Found, SettingsFile};
use crate::sync::lock_ignoring_poison;
use crate::telemetry::{Telemetry, random};
use crate::tls::{self, Certificates};
use crate::worker::{Shared, Worker, start_workers, threads};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Where it runs.
    pub(crate) pod: Pod,
    /// The settings file.
    pub(crate) settings: PathBuf,
    /// The file that says that the process before was killed.
    pub(crate) marker: Option<PathBuf>,
    /// The file that keeps ports and addresses of brokers for the next process.
    pub(crate) nodes: Option<PathBuf>,
    /// The file that says what became of the redirection.
    pub(crate) redirection: Option<PathBuf>,
    /// How many threads relay connections, where that is given.
    pub(crate) threads: Option<NonZero<usize>>,
    /// How long nothing is read then.
    pub(crate) relay_only_for: Duration,
    /// How long clients are let in after the process was asked to end.
    pub(crate) linger_for: Duration,
    /// How long connections may go on after the process was asked to end.
    pub(crate) drain_within: Duration,
    /// How long a client may take for its first request.
    pub(crate) first_request_within: Duration,
}

/// What probes and scrapes show.
#[derive(Debug)]
struct Status {
    counters: Vec<Arc<Counters>>,
    entrance: Arc<Entrance>,
    settings: watch::Receiver<Arc<Settings>>,
    control: watch::Receiver<Control>,
    settings_refused: AtomicU64,
    certificates_refused: AtomicU64,
    ledger: Arc<Mutex<Ledger>>,
    telemetry: Arc<Telemetry>,
    budget: Arc<MemoryBudget>,
    headers: Seen,
    listening: Listening,
    /// Nothing is reported any more, by an error of ours.
    has_ceased_to_report: AtomicBool,
    /// The broker of the pod was not seen to listen, so nobody is let in.
    awaits_broker: AtomicBool,
    /// TLS is wanted, and there is no certificate to show.
    lacks_certificate: AtomicBool,
    is_draining: AtomicBool,
}

impl Answers for Status {
    fn trouble(&self) -> Option<String> {
        if self.is_draining.load(Relaxed) {
            return Some("the process ends".to_owned());
        }
        if self.lacks_certificate.load(Relaxed) {
            return Some("the listener has no certificate to show".to_owned());
        }
        if self.awaits_broker.load(Relaxed) {
            return Some("the broker does not listen where the observer looks for it".to_owned());
        }
        if self.listening.is_open() {
            return self.failure();
        }
        self.listening.error().or_else(|| Some("no port of the listener is open yet".to_owned()))
    }

    fn failure(&self) -> Option<String> {
        if self.is_draining.load(Relaxed) {
            return None;
        }
        if self.entrance.ended_threads() > 0 {
            return Some("a thread that relays connections has ended by an error of ours".to_owned());
        }
        self.has_ceased_to_report
            .load(Relaxed)
            .then(|| "the thread that reports has ended by an error of ours".to_owned())
    }

    fn metrics(&self) -> String {
        let mut total = Total::default();
        self.counters.iter().for_each(|counters| counters.add_to(&mut total));
        let settings = Arc::clone(&self.settings.borrow());
        let control = *self.control.borrow();
        let process = Process {
            version: env!("CARGO_PKG_VERSION"),
            settings: settings.hash.clone(),
            settings_refused: self.settings_refused.load(Relaxed),
            certificates_refused: self.certificates_refused.load(Relaxed),
            is_suspended: control.is_suspended,
            relay_only_until_ms: control.relay_only_until.map(|relay_only| relay_only.until_ms),
            refused: self.entrance.refused(),
            accept_failed: self.entrance.accept_failed(),
            ended_threads: if self.is_draining.load(Relaxed) { 0 } else { self.entrance.ended_threads() },
            resident_bytes: resident_bytes(),
            buffers: self.budget.usage(),
            ledger: lock_ignoring_poison(&self.ledger).clone(),
            left_out: left_out(&self.headers).collect(),
            telemetry: self.telemetry.report(),
        };
        render(&process, &total)
    }
}

/// Run until SIGTERM or SIGINT.
///
/// # Errors
/// What kept it from starting.
pub(crate) async fn run(options: Options) -> io::Result<()> {
    let mut file = SettingsFile::new(options.settings.clone());
    let first = first(&mut file)?;
    open_files::warn_beyond(first.limits.max_connections);
    warn_of_key(&first);
    if first.mode == Mode::Sidecar && options.pod.address().is_none() {
        log!(Warning, "POD_IP is no address: what is reported names no client_address");
    }
    let marker = options.marker.as_deref().and_then(leave);
    let relay_only = marker.as_ref().filter(|marker| marker.was_left);
    let relay_only = relay_only.map(|_| RelayOnly::lasting(options.relay_only_for));
    let ended = relay_and_report(options, file, first, relay_only).await;
    if let Some(Err(error)) = marker.map(Marker::remove) {
        log!(Warning, "The next process will read nothing at first, as after a crash", reason = error.to_string());
    }
    ended
}

async fn relay_and_report(
    options: Options,
    mut file: SettingsFile,
    first: Arc<Settings>,
    relay_only: Option<RelayOnly>,
) -> io::Result<()> {
    let (mut terminated, mut interrupted) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (control, obeyed) = watch::channel(Control::beginning(first.suspend, relay_only));
    let (source, names) = (options.pod.source(&first), Arc::new(TopicNames::new(TOPIC_NAMES)));
    let ((opened, mut opening), (windows, finished)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
    let mut nodes = NodeTable::restored(options.nodes, ports_as_seen(&first, opened));
    let (published, settings) = watch::channel(first);
    let ((directives, mut told), (mut certificates, shown)) = (watch::channel(None::<Directive>), Certificates::new());
    let threads = options.threads.unwrap_or_else(|| threads(settings.borrow().mode));
    let (copies, headers) = headers::start(settings.clone(), threads.get())?;
    let telemetry = Telemetry::new(settings.clone(), obeyed.clone(), Clock::System, random);
    let (listening, budget) = (Listening::default(), MemoryBudget::from_limits(&settings.borrow().limits));
    let shared = Shared {
        settings: settings.clone(),
        shown,
        control: obeyed.clone(),
        brokers: Arc::default(),
        seen: Arc::clone(&nodes.seen),
        ports: nodes.ports.clone(),
        pod_address: options.pod.address(),
        names: Arc::clone(&names),
        copies: Some(copies),
        telemetry: Some(Arc::clone(&telemetry)),
        windows,
        budget: Arc::clone(&budget),
        number: Arc::default(),
        epoch: Instant::now(),
        clock: Clock::System,
        first_request_within: options.first_request_within,
    };
    let workers = start_workers(&shared, threads)?;
    drop(shared); // the last thread to end closes the way for windows
    let counters: Vec<_> = workers.iter().map(|worker| Arc::clone(&worker.counters)).collect();
    let entrance = Arc::new(Entrance::new(&workers, settings.clone()));
    let reporter = Reporter {
        settings: settings.clone(),
        control: obeyed.clone(),
        directives,
        counters: counters.clone(),
        redirection: Redirection::said_in(options.redirection),
        listening: listening.clone(),
        names,
        headers: headers.clone(),
        source,
        epoch_ms: now_ms(),
        clock: Clock::System,
        resident_bytes,
        ledger: Arc::default(),
        telemetry: Arc::clone(&telemetry),
    };
    let (ledger, reporting) = (Arc::clone(&reporter.ledger), report::start(reporter, finished)?);
    let status = Arc::new(Status {
        counters,
        headers,
        ledger,
        telemetry: Arc::clone(&telemetry),
        budget,
        entrance: Arc::clone(&entrance),
        awaits_broker: AtomicBool::new(published.borrow().mode == Mode::Broker),
        settings,
        control: obeyed,
        settings_refused: AtomicU64::new(0),
        certificates_refused: AtomicU64::new(0),
        listening,
        has_ceased_to_report: AtomicBool::new(false),
        lacks_certificate: AtomicBool::new(false),
        is_draining: AtomicBool::new(false),
    });
    let current = Arc::clone(&published.borrow());
    follow(&mut certificates, &current, &status);
    let (mut listeners, mut own_broker) = (Listeners::new(Arc::clone(&entrance)), OwnBroker::at(options.pod.address()));
    probes::serve(current.metrics_port, &status)?;
    let_in(&mut listeners, &mut own_broker, &current, &status).await;
    log!(Info, "Started", version = env!("CARGO_PKG_VERSION"), settings = current.hash, threads = workers.len());

    let mut tick = looks();
    loop {
        nodes.keep();
        tokio::select! {
            _ = terminated.recv() => break,
            _ = interrupted.recv() => break,
            _ = tick.tick() => {}
            Ok(()) = told.changed() => {}
            Some((node, listener)) = opening.recv() => {
                let_in_to(&mut listeners, node, listener);
                continue;
            }
        }
        publish(&mut file, &published, &status);
        let current = Arc::clone(&published.borrow());
        // The thread that reports has the sender.
        status.has_ceased_to_report.store(told.has_changed().is_err(), Relaxed);
        obey(&control, told.borrow().as_ref(), &current);
        follow(&mut certificates, &current, &status);
        let_in(&mut listeners, &mut own_broker, &current, &status).await;
    }

    ending::linger(&status.is_draining, options.linger_for, &mut terminated, &mut interrupted).await;
    listeners.close();
    ending::drain(&control, entrance.connections(), options.drain_within);
    drop((listeners, status, entrance));
    join(workers, reporting, &telemetry).await
}

/// Wait until all connections have ended and the last word is said.
async fn join(workers: Vec<Worker>, reporting: JoinHandle<()>, telemetry: &Telemetry) -> io::Result<()> {
    let joined = tokio::task::spawn_blocking(|| workers.into_iter().for_each(Worker::join));
    joined.await.map_err(io::Error::other)?;
    telemetry.end();
    let reported = tokio::task::spawn_blocking(|| reporting.join()).await.map_err(io::Error::other)?;
    reported.map_err(|_| io::Error::other("the thread that reports ended by an error of ours"))?;
    log!(Info, "Ended");
    Ok(())
}

/// Have a port open that a broker was given as it was seen.
fn let_in_to(listeners: &mut Listeners, node: i32, listener: TcpListener) {
    if let Err(error) = listeners.add(node, listener) {
        log!(Error, "A port of a broker cannot be had", broker = node, reason = error.to_string());
    }
}

/// When the files are looked at.
fn looks() -> Interval {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick
}

/// Ports for brokers as they are seen, beside a client.
fn ports_as_seen(settings: &Settings, opened: mpsc::UnboundedSender<(i32, TcpListener)>) -> Option<Arc<Ports>> {
    let bootstrap = SocketAddr::new(settings.listener.bind, settings.listener.bootstrap_port);
    (settings.mode == Mode::Sidecar).then(|| Arc::new(Ports::new(bootstrap, opened)))
}

fn first(file: &mut SettingsFile) -> io::Result<Arc<Settings>> {
    match file.look() {
        Found::Changed(settings) => Ok(settings),
        Found::Refused(refused) => Err(io::Error::new(io::ErrorKind::InvalidInput, refused.to_string())),
        Found::Unchanged => Err(io::Error::new(io::ErrorKind::InvalidInput, "the settings file is empty")),
    }
}

/// Have the settings that the file has now obeyed.
fn publish(file: &mut SettingsFile, published: &watch::Sender<Arc<Settings>>, status: &Status) {
    match file.look() {
        Found::Unchanged => {}
        Found::Changed(settings) => {
            log!(Info, "New settings", settings = settings.hash, suspended = settings.suspend);
            open_files::warn_beyond(settings.limits.max_connections);
            status.budget.follow(&settings.limits);
            warn_of_key(&settings);
            status.counters.iter().for_each(|counters| counters.treat_in_log(settings.identity.policy()));
            published.send_replace(settings);
        }
        Found::Refused(refused) => {
            status.settings_refused.fetch_add(1, Relaxed);
            let (field, reason) = (refused.field, refused.reason);
            log!(Error, "The settings file is refused, the last good one stays", field = field, reason = reason);
        }
    }
}

fn warn_of_key(settings: &Settings) {
    if settings.identity.policy().lacks_key() {
        let file = settings.identity.key_file.as_ref().map(|file| file.display().to_string());
        log!(Warning, "What is to be hashed is dropped, since there is no key of 16 bytes or more", file = file);
    }
}

/// Show clients the certificate that the files have now.
fn follow(certificates: &mut Certificates, settings: &Settings, status: &Status) {
    let wanted = settings.listener.tls.as_ref();
    match certificates.look(wanted) {
        tls::Found::Unchanged => {}
        tls::Found::Changed => log!(Info, "New certificate", file = wanted.map(|tls| &tls.certificate_file)),
        tls::Found::Refused(refused) => {
            status.certificates_refused.fetch_add(1, Relaxed);
            let (file, reason) = (refused.file, refused.reason);
            log!(Error, "The listener's certificate is refused, the last good one stays", file = file, reason = reason);
        }
    }
    status.lacks_certificate.store(wanted.is_some() && !certificates.are_shown(), Relaxed);
}

/// Have the listener's ports open: beside a broker not before it listens behind the observer, with what clients need.
async fn let_in(listeners: &mut Listeners, own_broker: &mut OwnBroker, settings: &Settings, status: &Status) {
    let is_behind = own_broker.is_behind(settings).await;
    status.awaits_broker.store(!is_behind, Relaxed);
    if !is_behind || (settings.mode == Mode::Broker && status.lacks_certificate.load(Relaxed)) {
        return;
    }
    status.listening.keep(&listeners.follow(settings));
}

/// Have connections observed, or not, as is wanted now, and not too soon after a crash.
fn obey(control: &watch::Sender<Control>, directive: Option<&Directive>, settings: &Settings) {
    let is_suspended = Directive::or_settings(directive, &settings.hash, settings.suspend);
    control.send_if_modified(|control| {
        let is_over = control.relay_only_until.take_if(|relay_only| relay_only.until <= Instant::now()).is_some();
        if is_over {
            log!(Info, "Connections are read again");
        }
        let is_new = control.is_suspended != is_suspended || is_over;
        control.is_suspended = is_suspended;
        is_new
    });
}

/// Mark that the process runs. Clients are served without that, too.
fn leave(file: &Path) -> Option<Marker> {
    match Marker::leave(file) {
        Ok(marker) => {
            if marker.was_left {
                log!(Warning, "The process before was killed: clients are relayed and not read for a while");
            }
            Some(marker)
        }
        Err(error) => {
            log!(Warning, "After a crash the next process will not know of it", reason = error.to_string());
            None
        }
    }
}
