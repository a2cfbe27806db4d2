//! Which header keys records have (KIP-82): some batches are copied where bytes pass, and looked into on a thread of
//! their own, within a budget of processor time.

mod budget;
mod thread;

use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::{io, thread as threads};

use kwitness_wire::aggregate::{Headers, Identity};
use kwitness_wire::samples::{Gate, LeftOut, Sample};
use tokio::sync::watch;

use crate::counters::unpoisoned;
use crate::settings::Settings;
use thread::Looking;

/// All copies together, in bytes.
const MOST_COPIED: usize = 8 << 20;
/// Copies that wait.
const MOST_WAITING: usize = 256;

/// A batch that waits to be looked into.
#[derive(Debug)]
struct Copied {
    /// Which relay thread has seen it.
    thread: usize,
    client: Arc<Identity>,
    sample: Sample,
}

/// Where relay threads put copies.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    gate: Arc<Gate>,
    waiting: SyncSender<Copied>,
}

impl Copies {
    /// What bounds them.
    pub(crate) const fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Have a batch looked into; never waits.
    pub(crate) fn put(&self, thread: usize, client: &Arc<Identity>, sample: Sample) {
        let copied = Copied { thread, client: Arc::clone(client), sample };
        if let Err(TrySendError::Full(_)) = self.waiting.try_send(copied) {
            self.gate.leave_out(LeftOut::QueueFull);
        }
    }
}

/// What was seen since the last time, by relay thread.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    gate: Arc<Gate>,
    by_thread: Arc<[Mutex<Headers>]>,
}

impl Seen {
    fn new(threads: usize, most: usize) -> Self {
        let by_thread = (0..threads).map(|_| Mutex::new(Headers::new(most.div_ceil(threads)))).collect();
        Self { gate: Arc::new(Gate::new(MOST_COPIED)), by_thread }
    }

    /// What counts what was not looked into.
    pub(crate) const fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Take what was seen, and leave room for at most so many rows of all threads.
    pub(crate) fn take(&self, thread: usize, most: usize) -> Option<Headers> {
        let seen = self.by_thread.get(thread)?;
        Some(std::mem::replace(&mut unpoisoned(seen), Headers::new(most.div_ceil(self.by_thread.len()))))
    }
}

/// Start the thread that looks; it ends when nobody has `Copies` any more.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn start(settings: watch::Receiver<Arc<Settings>>, relay_threads: usize) -> io::Result<(Copies, Seen)> {
    let (waiting, copied) = sync_channel(MOST_WAITING);
    let seen = Seen::new(relay_threads, settings.borrow().limits.max_series);
    let looking = Looking { settings, copied, seen: seen.clone() };
    threads::Builder::new().name("headers".to_owned()).spawn(|| looking.go_on())?;
    Ok((Copies { gate: Arc::clone(seen.gate()), waiting }, seen))
}
