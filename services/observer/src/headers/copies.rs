//! Holds copies of batches that wait, and what was seen in them.

use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex};

use kwitness_observation::Identity;
use kwitness_protocol::samples::{Gate, LeftOut, Sample};
use kwitness_recording::Headers;

use crate::sync::lock_ignoring_poison;

/// All copies together, in bytes.
const MOST_COPIED: usize = 8 << 20;

/// A batch that waits to be looked into.
#[derive(Debug)]
pub(super) struct Copied {
    /// Which relay thread has seen it.
    pub(super) thread: usize,
    pub(super) client: Arc<Identity>,
    pub(super) sample: Sample,
}

/// Where relay threads put copies.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    gate: Arc<Gate>,
    waiting: SyncSender<Copied>,
}

impl Copies {
    pub(super) const fn new(gate: Arc<Gate>, waiting: SyncSender<Copied>) -> Self {
        Self { gate, waiting }
    }

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
    pub(super) by_thread: Arc<[Mutex<Headers>]>,
}

impl Seen {
    pub(crate) fn new(threads: usize, most: usize) -> Self {
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
        Some(std::mem::replace(&mut lock_ignoring_poison(seen), Headers::new(most.div_ceil(self.by_thread.len()))))
    }
}
