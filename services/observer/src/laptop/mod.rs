//! An observer on a laptop: no settings file and no collector, a table of what passes.

mod options;
mod table;

use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use kwitness_recording::TopicNames;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior};

use options::EVERY;
pub(crate) use options::Options;
use table::Table;

use crate::clock::Clock;
use crate::control::{Control, later};
use crate::counters::{Counters, Total};
use crate::listeners::{Entrance, Listeners};
use crate::log;
use crate::memory_budget::MemoryBudget;
use crate::ports::Ports;
use crate::recording::{Finished, TOPIC_NAMES};
use crate::worker::{Shared, Worker, start_workers};

const DRAIN_WITHIN: Duration = Duration::from_secs(1);
const FIRST_REQUEST_WITHIN: Duration = Duration::from_secs(10);

/// Relay and show until SIGINT or SIGTERM.
///
/// # Errors
/// What kept it from starting.
pub(crate) async fn observe(options: &Options) -> io::Result<()> {
    log::write_lines();
    options.check()?;
    let observed = relay_and_show(options).await;
    log::write_lines();
    observed
}

async fn relay_and_show(options: &Options) -> io::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let current = Arc::new(options.settings());
    let (_published, settings) = watch::channel(Arc::clone(&current));
    let (control, obeyed) = watch::channel(Control::default());
    let (windows, mut finished) = mpsc::unbounded_channel();
    let (opened, mut opening) = mpsc::unbounded_channel();
    let names = Arc::new(TopicNames::new(TOPIC_NAMES));
    let shared = Shared {
        settings: settings.clone(),
        shown: watch::channel(None).1,
        control: obeyed,
        brokers: Arc::default(),
        seen: Arc::default(),
        ports: Some(Arc::new(Ports::new(options.listen, opened))),
        pod_address: None,
        names: Arc::clone(&names),
        copies: None,
        telemetry: None,
        windows,
        budget: MemoryBudget::from_limits(&current.limits),
        number: Arc::default(),
        epoch: Instant::now(),
        clock: Clock::System,
        first_request_within: FIRST_REQUEST_WITHIN,
    };
    let workers = start_workers(&shared, NonZero::<usize>::MIN)?;
    drop(shared);
    let counters: Vec<_> = workers.iter().map(|worker| Arc::clone(&worker.counters)).collect();
    let mut listeners = Listeners::new(Arc::new(Entrance::new(&workers, settings)));
    listeners.follow(&current)?;

    let is_terminal = io::stdout().is_terminal();
    if is_terminal && io::stderr().is_terminal() {
        log::keep_lines();
    }
    let mut table = Table::new(names, is_terminal);
    table.begin(options);
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = terminated.recv() => break,
            _ = interrupted.recv() => break,
            Some((node, listener)) = opening.recv() => listeners.add(node, listener)?,
            Some(finished) = finished.recv() => table.take(&finished.window),
            _ = tick.tick() => table.show(&total(&counters)),
        }
    }
    listeners.close();
    control.send_modify(|control| control.drain_until = Some(later(Instant::now(), DRAIN_WITHIN)));
    drop(listeners);
    tokio::task::spawn_blocking(|| workers.into_iter().for_each(Worker::join)).await.map_err(io::Error::other)?;
    take_the_last(&mut finished, &mut table);
    table.show(&total(&counters));
    Ok(())
}

fn take_the_last(finished: &mut mpsc::UnboundedReceiver<Finished>, table: &mut Table) {
    while let Ok(finished) = finished.try_recv() {
        table.take(&finished.window);
    }
}

fn total(counters: &[Arc<Counters>]) -> Total {
    let mut total = Total::default();
    for counters in counters {
        counters.add_to(&mut total);
    }
    total
}
