//! Sends what was seen to the collector, and says every few seconds that it is alive.

mod client;
mod listing;
mod progress;
mod pushes;
mod thread;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::StatusCode;
use kwitness_observation::reason;
use kwitness_recording::{Source, TopicNames, Writer};
use kwitness_reporting::{Acknowledging, Body, Directive, Failure, Item, Ledger, Queue, Verdicts, owner_of};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use client::Client;
pub use client::{Connect, Tls};
use listing::Listing;
use progress::Progress;
pub(crate) use thread::start;

use crate::client_information::Information;
use crate::clock::Clock;
use crate::control::{Control, later};
use crate::counters::{Counters, Total};
use crate::headers::Seen;
use crate::listening::Listening;
use crate::log::log;
use crate::recording::Finished;
use crate::redirection::Redirection;
use crate::settings::{Collector, Settings};
use crate::sync::lock_ignoring_poison;
use crate::telemetry::Telemetry;

const HEARTBEAT_EVERY: Duration = Duration::from_secs(5);
/// Where the answer says what clients are to be asked for: a change is to reach them within five seconds.
const HEARTBEAT_OF_TELEMETRY: Duration = Duration::from_secs(3);
const SHORTEST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How long the last report may take after everything else has ended.
const FINISH_WITHIN: Duration = Duration::from_secs(5);
/// How many kinds of software are listed; they have bounds of their own at the collector.
const MOST_SOFTWARE: usize = 500;
const EVERYTHING: usize = usize::MAX;

/// Who reports, and from what.
pub(crate) struct Reporter {
    pub(crate) settings: watch::Receiver<Arc<Settings>>,
    pub(crate) control: watch::Receiver<Control>,
    /// Where what the collector says is passed on.
    pub(crate) directives: watch::Sender<Option<Directive>>,
    pub(crate) counters: Vec<Arc<Counters>>,
    pub(crate) redirection: Redirection,
    pub(crate) listening: Listening,
    pub(crate) names: Arc<TopicNames>,
    /// What was seen of headers, and what was left out.
    pub(crate) headers: Seen,
    /// By which name it numbers what it reports: `<namespace>/<pod>`.
    pub(crate) source: String,
    pub(crate) epoch_ms: u64,
    /// Tells when a request is sent.
    pub(crate) clock: Clock,
    /// Tells how much memory the process has.
    pub(crate) resident_bytes: fn() -> Option<u64>,
    /// Shown among the metrics.
    pub(crate) ledger: Arc<Mutex<Ledger>>,
    /// Told which subscriptions the cluster has now.
    pub(crate) telemetry: Arc<Telemetry>,
}

/// The sender: one request at a time.
struct Sender<C> {
    reporter: Reporter,
    writer: Writer,
    queue: Queue,
    progress: Progress,
    /// The collector wants open connections listed.
    lists_connections: bool,
    /// It has begun to want them, and has none yet.
    is_asked: bool,
    /// The process ends, and nothing is left to be sent.
    has_ended: bool,
    client: Client<C>,
    acknowledging: Acknowledging,
    /// Items of the next request at most.
    most: usize,
    failures: u32,
    last_sent: Option<Instant>,
    not_before: Instant,
}

/// What a request has come to.
enum Outcome {
    /// It was answered, and so many items are to be sent again, after so many milliseconds.
    Settled { again: usize, after_ms: u64 },
    /// Try again soon.
    Again(String),
    /// Try again, and nothing is likely to have changed soon.
    Slowly(String),
    /// The collector cannot read the request.
    Unreadable(&'static str),
}

/// Report windows as they come, until there are no more; then what is left, and a last word.
pub(crate) async fn report(reporter: Reporter, network: impl Connect, mut windows: mpsc::UnboundedReceiver<Finished>) {
    let settings = Arc::clone(&reporter.settings.borrow());
    let source = Source {
        name: reporter.source.clone(),
        epoch_ms: reporter.epoch_ms,
        cluster_id: settings.cluster_id.clone(),
        reported_by: settings.reported_by.name().to_owned(),
        observer_mode: settings.mode.name().to_owned(),
    };
    let mut sender = Sender {
        progress: Progress::new(reporter.counters.len(), reporter.epoch_ms),
        lists_connections: false,
        is_asked: false,
        has_ended: false,
        reporter,
        writer: Writer::new(source, 1),
        queue: Queue::new(1),
        client: Client::new(network),
        acknowledging: Acknowledging::default(),
        most: EVERYTHING,
        failures: 0,
        last_sent: None,
        not_before: Instant::now(),
    };
    loop {
        let due = sender.due();
        tokio::select! {
            biased;
            window = windows.recv() => match window {
                Some(finished) => sender.take(finished),
                None => break,
            },
            () = tokio::time::sleep_until(due) => sender.send().await,
        }
    }
    let finish = async {
        while !sender.queue.is_empty() {
            tokio::time::sleep_until(sender.not_before).await;
            sender.send().await;
        }
        sender.has_ended = true;
        sender.send().await;
    };
    // What is left then is lost with the process; the next one begins an epoch of its own.
    let _ = tokio::time::timeout(FINISH_WITHIN, finish).await;
}

impl<C: Connect> Sender<C> {
    fn due(&self) -> Instant {
        let answers_clients = self.reporter.settings.borrow().telemetry.is_some();
        let every = if answers_clients { HEARTBEAT_OF_TELEMETRY } else { HEARTBEAT_EVERY };
        let heartbeat = self.last_sent.map_or_else(Instant::now, |sent| later(sent, every));
        let due = if self.queue.is_empty() && !self.is_asked { heartbeat } else { Instant::now() };
        due.max(self.not_before)
    }

    fn take(&mut self, Finished { thread, mut window }: Finished) {
        let settings = Arc::clone(&self.reporter.settings.borrow());
        if settings.collector.is_none() {
            return;
        }
        let seen = self.reporter.headers.take(thread, settings.limits.max_series);
        window.headers = seen.filter(|seen| !seen.is_empty());
        let (queue, names) = (&mut self.queue, &self.reporter.names);
        self.writer.write(&window, names, &mut |row| {
            queue.push(Item::Row(row), settings.limits.queue_bytes);
            Ok(())
        });
        window.left_out.iter().for_each(|(reason, rows)| queue.leave_out(reason, rows));
        for totals in self.writer.totals(&window, names) {
            queue.push(Item::Totals(totals), settings.limits.queue_bytes);
        }
        self.progress.add(thread, window.end_ms, self.writer.next_seq());
        self.publish();
    }

    fn publish(&self) {
        lock_ignoring_poison(&self.reporter.ledger).clone_from(self.queue.ledger());
    }

    async fn send(&mut self) {
        self.last_sent = Some(Instant::now());
        self.is_asked = false;
        let settings = Arc::clone(&self.reporter.settings.borrow());
        let Some(collector) = &settings.collector else { return };
        let batch = self.queue.send(self.most);
        let sealed_until_ms = self.progress.settle(self.queue.settled());
        let body = self.body(&settings, &batch, sealed_until_ms);
        let has_listed = std::mem::take(&mut self.lists_connections);
        let outcome = self.post(collector, &body).await;
        self.is_asked = self.lists_connections && !has_listed;
        self.judge(outcome, batch.len());
        self.publish();
    }

    async fn post(&mut self, collector: &Collector, body: &[u8]) -> Outcome {
        let ordinal = owner_of(&self.reporter.source, collector.replicas);
        let (status, answer) = match self.client.post(collector, ordinal, body).await {
            Ok(answered) => answered,
            Err(error) => return Outcome::Again(error.to_string()),
        };
        match Failure::from_status(status.as_u16()) {
            None => {}
            Some(Failure::Unreadable(reason)) => return Outcome::Unreadable(reason),
            Some(Failure::Again) if status == StatusCode::MISDIRECTED_REQUEST => {
                return Outcome::Again("the replica is not the owner".to_owned());
            }
            Some(Failure::Again) => return Outcome::Again(format!("answered {status}")),
            Some(Failure::Slowly) => return Outcome::Slowly(format!("answered {status}")),
        }
        let Some(verdicts) = Verdicts::parse(&answer).filter(|verdicts| verdicts.replica == ordinal) else {
            return Outcome::Slowly("somebody else answers at the collector's address".to_owned());
        };
        if let Err(name) = self.acknowledging.accept(&collector.url, &verdicts.collector) {
            return Outcome::Slowly(format!("{} answers in the place of {name}", verdicts.collector));
        }
        if verdicts.directive.is_some() {
            self.reporter.directives.send_replace(verdicts.directive.clone());
        }
        self.lists_connections = verdicts.wants_connections;
        if let Some(subscriptions) = &verdicts.subscriptions {
            self.reporter.telemetry.tell(subscriptions);
        }
        Outcome::Settled { again: self.queue.settle(&verdicts), after_ms: verdicts.retry_after_ms }
    }

    fn judge(&mut self, outcome: Outcome, sent: usize) {
        let (reason, wait) = match outcome {
            Outcome::Settled { again, after_ms } => {
                if self.failures > 0 {
                    log!(Info, "The collector answers again");
                }
                self.failures = 0;
                // What was refused among more than this may still be there.
                self.most = self.most.saturating_mul(2);
                let wait = if again == 0 { Duration::ZERO } else { SHORTEST_WAIT.max(Duration::from_millis(after_ms)) };
                self.not_before = later(Instant::now(), wait.min(LONGEST_WAIT));
                return;
            }
            Outcome::Unreadable(reason) => {
                if sent <= 1 {
                    self.queue.give_up(reason);
                } else {
                    self.most = sent.div_euclid(2);
                }
                ("the collector cannot read a request".to_owned(), self.wait())
            }
            Outcome::Again(reason) => (reason, self.wait()),
            Outcome::Slowly(reason) => (reason, LONGEST_WAIT),
        };
        self.queue.come_back();
        if self.failures == 0 {
            log!(Warning, "The collector takes nothing; it is tried again", reason = reason);
        }
        self.failures = self.failures.saturating_add(1);
        self.not_before = later(Instant::now(), wait);
    }

    fn wait(&self) -> Duration {
        SHORTEST_WAIT.saturating_mul(2_u32.saturating_pow(self.failures.min(16))).min(LONGEST_WAIT)
    }

    /// The head, and a line for each row.
    fn body(&self, settings: &Settings, batch: &[Item], sealed_until_ms: u64) -> Vec<u8> {
        let body = Body::from_items(batch);
        let mut total = Total::default();
        self.reporter.counters.iter().for_each(|counters| counters.add_to(&mut total));
        let rest = json!({
            "schema": "kwitness.events/1",
            "source": self.reporter.source,
            "epoch": self.reporter.epoch_ms,
            "cluster_id": settings.cluster_id,
            "observer": {"namespace": settings.namespace, "name": settings.name, "mode": settings.mode.name()},
            "reported_by": settings.reported_by.name(),
            "workload": settings.workload,
            "version": env!("CARGO_PKG_VERSION"),
            "settled": self.queue.settled(),
            "sent_at_ms": self.reporter.clock.now_ms(),
            "rows": body.rows,
            "connections": connections(settings, &total),
            "state": self.state(settings, &total, sealed_until_ms),
        });
        let open_connections =
            self.lists_connections.then(|| Listing::of(settings, self.reporter.epoch_ms, &self.reporter.counters));
        body.write(Head { rest, open_connections })
    }

    fn state(&self, settings: &Settings, total: &Total, sealed_until_ms: u64) -> Value {
        let mut by_state: BTreeMap<&str, u64> = crate::state::STATES.map(|state| (state, 0)).into();
        for (state, count) in &total.rare.open {
            let sum = by_state.entry(state.name()).or_default();
            *sum = sum.saturating_add(*count);
        }
        let opaque: BTreeMap<_, _> = total.rare.opaque.iter().map(|(reason, count)| (reason.name(), *count)).collect();
        let unread = total.rare.unread.iter().map(|(why, count)| (reason(why), *count));
        let unread: BTreeMap<_, _> = unread.chain(left_out(&self.reporter.headers)).collect();
        let unserved: BTreeMap<_, _> = total.rare.unserved.iter().map(|(way, count)| (way.name(), *count)).collect();
        let ledger = self.queue.ledger();
        // Zeros, too: a counter that begins with its first one does not rise by it.
        let api_versions = Information::ALL.map(|one| (one.name(), total.rare.api_versions.get(&one).unwrap_or(&0)));
        let control = *self.reporter.control.borrow();
        json!({
            "settings": settings.hash,
            "suspended": control.is_suspended,
            "lacks_identity_key": settings.identity.policy().lacks_key(),
            "relay_only_until_ms": control.relay_only_until.map(|relay_only| relay_only.until_ms),
            "not_intercepted": self.reporter.redirection.trouble().or_else(|| self.reporter.listening.error()),
            "by_state": by_state,
            "opaque": opaque,
            "unread": unread,
            "unserved": unserved,
            "api_versions": BTreeMap::from(api_versions),
            "resident_bytes": (self.reporter.resident_bytes)(),
            "ledger": ledger,
            "sealed_until_ms": sealed_until_ms,
            "ended": self.has_ended,
            "telemetry": settings.telemetry.map(|_| self.reporter.telemetry.report().json()),
        })
    }
}

/// Batches that were not looked into, among what is unread.
pub(crate) fn left_out(seen: &Seen) -> impl Iterator<Item = (String, u64)> + use<> {
    seen.gate()
        .left_out()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(why, count)| (why.name().to_owned(), count))
}

/// The first line of a request.
#[derive(Serialize)]
struct Head {
    #[serde(flatten)]
    rest: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_connections: Option<Listing>,
}

fn connections(settings: &Settings, total: &Total) -> Vec<Value> {
    let mut all: Vec<_> = total.rare.software.iter().filter(|(_, count)| **count > 0).collect();
    all.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
    let entry = |((name, version), count): (&(Box<str>, Box<str>), &u64)| {
        json!({
            "listener": settings.listener.name,
            "client_software_name": name, "client_software_version": version, "connections": count,
        })
    };
    all.into_iter().take(MOST_SOFTWARE).map(entry).collect()
}
