//! What a thread adds up of its connections.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kwitness_observation::{Budget, SeriesBudget};
use kwitness_protocol::samples::{Gate, Sampling};
use kwitness_recording::{Recorder, RequestBudget, RequestSettings, Settings as Wanted, TopicNames, Window};
use tokio::sync::{mpsc, watch};

use crate::clock::Clock;
use crate::settings::Settings;

/// How many ids of topics are remembered by their names, for all threads.
pub(crate) const TOPIC_NAMES: usize = 100_000;

/// A window whose time is over.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Which thread had it; each has one after the other.
    pub(crate) thread: usize,
    pub(crate) window: Window,
}

/// Where a thread hands its windows on.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub(crate) thread: usize,
    pub(crate) to: mpsc::UnboundedSender<Finished>,
    /// Says when a window is over.
    pub(crate) clock: Clock,
}

/// Shared by the connections of a thread.
pub(crate) type Shared = Rc<RefCell<Recorder>>;

/// What bounds all threads together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    /// How many threads there are.
    pub(crate) threads: usize,
    /// Of requests and responses that are told, but for administrative ones.
    pub(crate) budget: Arc<Budget>,
    /// Of these.
    pub(crate) administrative: Arc<Budget>,
    /// Of rows.
    pub(crate) series: Arc<SeriesBudget>,
    /// Of batches that are looked into; `None` where none is.
    pub(crate) gate: Option<Arc<Gate>>,
}

/// A recorder as the settings want it. All threads share `names` and `bounds`.
pub(crate) fn recorder(settings: &Settings, names: Arc<TopicNames>, bounds: &Bounds, clock: Clock) -> Shared {
    Rc::new(RefCell::new(Recorder::new(wanted(settings, bounds), names, clock.now_ms())))
}

/// Hand on each window when it is over, and obey new settings, until the thread ends.
pub(crate) async fn hand_on_windows(
    recorder: Shared,
    mut settings: watch::Receiver<Arc<Settings>>,
    bounds: Bounds,
    windows: Windows,
) {
    loop {
        let left = recorder.borrow().ends_ms().saturating_sub(windows.clock.now_ms());
        tokio::select! {
            biased;
            Ok(()) = settings.changed() => {
                let wanted = wanted(&settings.borrow_and_update(), &bounds);
                recorder.borrow_mut().set(wanted);
            }
            () = tokio::time::sleep(Duration::from_millis(left.max(1))) => hand_on(&recorder, &windows),
        }
    }
}

/// Hand on the window that is open, if its time is over or not.
pub(crate) fn hand_on(recorder: &Shared, windows: &Windows) {
    let window = recorder.borrow_mut().swap(windows.clock.now_ms());
    // Nobody takes windows any more when the process ends.
    let _ = windows.to.send(Finished { thread: windows.thread, window });
}

/// Settings of a thread's recorder, within the bounds of the process.
fn wanted(settings: &Settings, bounds: &Bounds) -> Wanted {
    let identity = settings.identity.policy();
    let requests = settings.report.requests.as_ref().map(|requests| RequestSettings {
        // The settings were judged: there is no API that is never told.
        wishes: Arc::new(requests.wishes(&identity).unwrap_or_default()),
        budget: RequestBudget {
            budget: Arc::clone(&bounds.budget),
            most_per_second: requests.events_per_second,
            most_bytes: settings.limits.queue_bytes.div_ceil(bounds.threads),
        },
        administrative: RequestBudget::administrative(Arc::clone(&bounds.administrative), bounds.threads),
    });
    let headers = settings.report.headers.as_ref().zip(bounds.gate.as_ref());
    let of_at_most = Wanted::of_at_most(settings.limits.max_series);
    Wanted {
        window_ms: NonZeroU64::new(settings.window_ms).unwrap_or(of_at_most.window_ms),
        identity,
        connections: settings.report.connections,
        traffic: settings.report.traffic,
        latency: settings.report.latency,
        requests,
        headers: headers.map(|(headers, gate)| Sampling { every: headers.sample_every, gate: Arc::clone(gate) }),
        series: Some(Arc::clone(&bounds.series)),
        most_connection_events: settings.limits.max_series.div_ceil(bounds.threads),
        ..of_at_most
    }
}
