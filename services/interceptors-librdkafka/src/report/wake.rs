//! What others want of the sender's thread, and how long they wait for it.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::client::unpoisoned;

/// Wakes the sender before its time, and says when it has sent all that there was.
#[derive(Debug, Default)]
pub(crate) struct Wake {
    state: Mutex<WakeState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WakeState {
    /// How often somebody wanted everything sent.
    wanted: u64,
    /// Up to which of these it is, or cannot be.
    done: u64,
    /// The process ends.
    ends: bool,
}

impl Wake {
    /// Have everything sent, and wait until it is, or cannot be, or so long; `ends` says that nothing follows.
    pub(crate) fn flush(&self, at_most: Duration, ends: bool) {
        let mut state = unpoisoned(&self.state);
        state.wanted = state.wanted.saturating_add(1);
        state.ends |= ends;
        let wanted = state.wanted;
        self.changed.notify_all();
        drop(self.changed.wait_timeout_while(state, at_most, |state| state.done < wanted));
    }

    /// Sleep for so long, or until everything is to be sent; up to which wish that then is, and whether nothing follows.
    pub(super) fn sleep(&self, at_most: Duration) -> (u64, bool) {
        let state = unpoisoned(&self.state);
        let slept = self.changed.wait_timeout_while(state, at_most, |state| state.done >= state.wanted);
        let (state, _) = slept.unwrap_or_else(PoisonError::into_inner);
        (state.wanted, state.ends)
    }

    /// Everything up to this wish is sent, or cannot be.
    pub(super) fn finish(&self, wanted: u64) {
        unpoisoned(&self.state).done = wanted;
        self.changed.notify_all();
    }
}
