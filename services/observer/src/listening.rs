//! Keeps the state of the listener's ports, for probes, reports and the log.

use std::io;
use std::sync::{Arc, Mutex};

use crate::log::log;
use crate::sync::lock_ignoring_poison;

/// The outcome of the last attempt to open the ports; copies share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listening(Arc<Mutex<Attempt>>);

#[derive(Debug, Default, PartialEq, Eq)]
enum Attempt {
    /// There was no attempt yet.
    #[default]
    None,
    Succeeded,
    /// For this reason.
    Failed(String),
}

impl Listening {
    /// Keep the outcome of an attempt; an error is logged unless it is the one of the attempt before.
    pub(crate) fn keep(&self, outcome: &io::Result<()>) {
        let attempt = match outcome {
            Ok(()) => Attempt::Succeeded,
            Err(error) => Attempt::Failed(error.to_string()),
        };
        let mut before = lock_ignoring_poison(&self.0);
        if *before == attempt {
            return;
        }
        if let Attempt::Failed(reason) = &attempt {
            log!(Error, "A port of the listener cannot be had", reason = reason);
        }
        *before = attempt;
    }

    /// True while all ports are open.
    pub(crate) fn is_open(&self) -> bool {
        *lock_ignoring_poison(&self.0) == Attempt::Succeeded
    }

    /// The port that cannot be had, and the reason.
    pub(crate) fn error(&self) -> Option<String> {
        match &*lock_ignoring_poison(&self.0) {
            Attempt::Failed(reason) => Some(format!("a port of the listener cannot be had: {reason}")),
            Attempt::None | Attempt::Succeeded => None,
        }
    }
}
