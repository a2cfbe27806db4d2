//! Answers clients' telemetry (KIP-714) in the brokers' place, and has what they push wait for the collector.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kwitness_observation::Identity;
use kwitness_protocol::telemetry::{Kept, PUSH_TELEMETRY};
use kwitness_protocol::{Fault, Room};
use kwitness_recording::telemetry::answer;
use kwitness_reporting::Ledger;
use kwitness_reporting::telemetry::{self, Error, Manager, PushQueue, Sent, Subscriptions};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::clock::Clock;
use crate::control::Control;
use crate::log::log;
use crate::settings::Settings;
use crate::sync::lock_ignoring_poison;

/// How much all pushes together may have come that are not whole yet.
const ROOM_BYTES: usize = 16 << 20;
/// How long until a client asks again, while it is not known what clients are to be asked for.
const ASK_AGAIN_MS: u32 = 5_000;
/// And while nobody is to be asked for anything.
const ASK_LATER_MS: u32 = 60_000;
const NO_BOUNDS: telemetry::Settings = telemetry::Settings { max_instances: 1, max_bytes: 1 };

/// Shared by all connections of the process.
#[derive(Debug)]
pub(crate) struct Telemetry {
    settings: watch::Receiver<Arc<Settings>>,
    control: watch::Receiver<Control>,
    clock: Clock,
    /// Makes ids of instances that have none.
    random: fn() -> [u8; 16],
    room: Arc<Room>,
    state: Mutex<State>,
    unread: AtomicU64,
    /// Which subscriptions the cluster has, as the collector last said.
    wanted: watch::Sender<Wanted>,
    /// Something waits for the collector.
    pushed: Notify,
}

/// What the collector last said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Nothing yet.
    Unknown,
    /// The hash of the subscriptions that the cluster has.
    Subscriptions(String),
    /// The process ends.
    End,
}

#[derive(Debug)]
struct State {
    bounds: telemetry::Settings,
    manager: Manager,
    /// Those of the collector, as they came, and their hash.
    known: Option<(String, String)>,
    /// Nobody is asked for anything, whatever the subscriptions.
    is_silent: bool,
    answered: BTreeMap<(&'static str, Error), u64>,
    queue: PushQueue,
}

/// How it goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) instances: u64,
    pub(crate) evicted: u64,
    pub(crate) answered: BTreeMap<(&'static str, Error), u64>,
    pub(crate) unread: u64,
    pub(crate) ledger: Ledger,
    subscriptions: Option<String>,
}

impl Report {
    /// As a heartbeat has it.
    pub(crate) fn json(&self) -> Value {
        let mut answered: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for ((api, error), count) in &self.answered {
            answered.entry(api).or_default().insert(error.name(), *count);
        }
        json!({
            "instances": self.instances,
            "evicted": self.evicted,
            "answered": answered,
            "unread": self.unread,
            "subscriptions": self.subscriptions,
            "ledger": self.ledger,
        })
    }
}

impl Telemetry {
    /// Nobody has asked, and nothing is known yet.
    pub(crate) fn new(
        settings: watch::Receiver<Arc<Settings>>,
        control: watch::Receiver<Control>,
        clock: Clock,
        random: fn() -> [u8; 16],
    ) -> Arc<Self> {
        let state = State {
            bounds: NO_BOUNDS,
            manager: Manager::new(NO_BOUNDS, Subscriptions::unknown(ASK_AGAIN_MS)),
            known: None,
            is_silent: false,
            answered: BTreeMap::new(),
            queue: PushQueue::default(),
        };
        Arc::new(Self {
            settings,
            control,
            clock,
            random,
            room: Arc::new(Room::new(ROOM_BYTES)),
            state: Mutex::new(state),
            unread: AtomicU64::new(0),
            wanted: watch::channel(Wanted::Unknown).0,
            pushed: Notify::new(),
        })
    }

    /// What a connection has to take out of what its client sends.
    pub(crate) fn on_the_wire(&self) -> kwitness_protocol::Telemetry {
        let settings = Arc::clone(&self.settings.borrow());
        let bounds = bounds(&settings);
        let max_bytes = usize::try_from(bounds.max_bytes).unwrap_or(usize::MAX);
        let needs_sign_in = settings.telemetry.is_some_and(|telemetry| telemetry.sasl);
        kwitness_protocol::Telemetry { max_bytes, room: Arc::clone(&self.room), needs_sign_in }
    }

    /// The response to a request.
    ///
    /// # Errors
    /// It is not what its definition says.
    pub(crate) fn answer(&self, kept: Kept<'_>, client: &Identity) -> Result<Vec<u8>, Fault> {
        let settings = Arc::clone(&self.settings.borrow());
        let is_silent = settings.telemetry.is_none() || self.control.borrow().reads_nothing();
        let mut state = lock_ignoring_poison(&self.state);
        state.follow(bounds(&settings), is_silent);
        let answer = answer(&mut state.manager, kept, client, self.clock.now_ms(), self.random)?;
        let is_push = kept.bytes.starts_with(&PUSH_TELEMETRY.to_be_bytes());
        let api = if is_push { "PushTelemetry" } else { "GetTelemetrySubscriptions" };
        let count = state.answered.entry((api, answer.error)).or_default();
        *count = count.saturating_add(1);
        if let Some(push) = answer.push {
            state.queue.push(push, settings.limits.queue_bytes);
            self.pushed.notify_one();
        }
        Ok(answer.response)
    }

    /// Answers about versions that one connection could not read, of which so many are counted already.
    pub(crate) fn count_unread(&self, unread: u64, counted: &mut u64) {
        if unread > *counted {
            self.unread.fetch_add(unread.saturating_sub(*counted), Relaxed);
            *counted = unread;
        }
    }

    /// The cluster has the subscriptions with this hash.
    pub(crate) fn tell(&self, hash: &str) {
        let new = Wanted::Subscriptions(hash.to_owned());
        self.wanted.send_if_modified(|wanted| {
            let is_new = *wanted != new && *wanted != Wanted::End;
            if is_new {
                *wanted = new;
            }
            is_new
        });
    }

    /// No client asks any more.
    pub(crate) fn end(&self) {
        self.wanted.send_replace(Wanted::End);
    }

    /// Follows what the collector says.
    pub(crate) fn wanted(&self) -> watch::Receiver<Wanted> {
        self.wanted.subscribe()
    }

    /// Whether the subscriptions with this hash are known.
    pub(crate) fn knows(&self, hash: &str) -> bool {
        lock_ignoring_poison(&self.state).known.as_ref().is_some_and(|(known, _)| known == hash)
    }

    /// The subscriptions with this hash, as the collector writes them.
    ///
    /// # Errors
    /// It is none of its.
    pub(crate) fn subscribe(&self, hash: String, text: String) -> Result<(), serde_json::Error> {
        let subscriptions = Subscriptions::parse(&text)?;
        for unreadable in &subscriptions.unreadable {
            let (subscription, reason) = (unreadable.id.clone(), unreadable.reason.clone());
            log!(Warning, "A subscription asks nobody here", subscription = subscription, reason = reason);
        }
        log!(Info, "New subscriptions", subscriptions = subscriptions.len(), hash = hash);
        let mut state = lock_ignoring_poison(&self.state);
        if !state.is_silent {
            state.manager.subscribe(subscriptions);
        }
        state.known = Some((hash, text));
        Ok(())
    }

    /// Wait until something waits.
    pub(crate) async fn pushed(&self) {
        self.pushed.notified().await;
    }

    /// With what waits for the collector.
    pub(crate) fn queue<T>(&self, run: impl FnOnce(&mut PushQueue) -> T) -> T {
        run(&mut lock_ignoring_poison(&self.state).queue)
    }

    /// What is to be sent next, at most so many.
    pub(crate) fn next(&self, most: usize) -> Sent {
        self.queue(|queue| queue.send(most))
    }

    /// How it goes.
    pub(crate) fn report(&self) -> Report {
        let state = lock_ignoring_poison(&self.state);
        Report {
            instances: u64::try_from(state.manager.instances()).unwrap_or(u64::MAX),
            evicted: state.manager.evicted(),
            answered: state.answered.clone(),
            unread: self.unread.load(Relaxed),
            ledger: state.queue.ledger().clone(),
            subscriptions: state.known.as_ref().map(|(hash, _)| hash.clone()),
        }
    }
}

impl State {
    fn follow(&mut self, bounds: telemetry::Settings, is_silent: bool) {
        if self.bounds != bounds {
            self.bounds = bounds;
            self.manager.allow(bounds);
        }
        if self.is_silent != is_silent {
            self.is_silent = is_silent;
            let known = self.known.as_ref().and_then(|(_, text)| Subscriptions::parse(text).ok());
            self.manager.subscribe(match known {
                _ if is_silent => Subscriptions::unknown(ASK_LATER_MS),
                Some(known) => known,
                None => Subscriptions::unknown(ASK_AGAIN_MS),
            });
        }
    }
}

/// Of settings that answer nobody the bounds stay small.
fn bounds(settings: &Settings) -> telemetry::Settings {
    settings.telemetry.map_or(NO_BOUNDS, |telemetry| telemetry::Settings {
        max_instances: telemetry.max_instances,
        max_bytes: telemetry.max_push_bytes,
    })
}

/// Returns random bytes of the system.
pub(crate) fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    // Linux has random numbers once it has started.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes
}

/// How long the last pushes may take after everything else has ended.
pub(crate) const FINISH_WITHIN: Duration = Duration::from_secs(5);
