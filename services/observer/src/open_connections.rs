//! The connections of one thread that are open, one by one, for whoever asks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use kwitness_observation::Identity;
use kwitness_recording::Security;

use crate::state::State;
use crate::sync::lock_ignoring_poison;

/// What is known of one.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// Who the client is, as far as it has told.
    pub(crate) identity: Arc<Identity>,
    pub(crate) security: Security,
    /// In milliseconds since 1970.
    pub(crate) opened_at_ms: u64,
    pub(crate) state: State,
}

/// All of a thread, by their numbers. The thread keeps it up to date, others look at it.
#[derive(Debug, Default)]
pub(crate) struct OpenConnections(Mutex<BTreeMap<u64, Open>>);

impl OpenConnections {
    pub(crate) fn add(&self, number: u64, open: Open) {
        self.all().insert(number, open);
    }

    /// Something of it has changed.
    pub(crate) fn change(&self, number: u64, change: impl FnOnce(&mut Open)) {
        if let Some(open) = self.all().get_mut(&number) {
            change(open);
        }
    }

    pub(crate) fn remove(&self, number: u64) {
        self.all().remove(&number);
    }

    /// The oldest ones, at most so many, and how many there are.
    pub(crate) fn oldest(&self, most: usize) -> (Vec<(u64, Open)>, usize) {
        let all = self.all();
        (all.iter().take(most).map(|(number, open)| (*number, open.clone())).collect(), all.len())
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        lock_ignoring_poison(&self.0)
    }
}
