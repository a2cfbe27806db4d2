//! Keeps the addresses of brokers from a client, or passes them on and follows only what answers what.

use kwitness_wire::{Broken, Limits, Rewriter};

use crate::brokers_seen::Directory;

/// Changes what a broker answers before the client gets it.
#[derive(Debug)]
pub(crate) struct Rewriting {
    /// None for a client that does not speak Kafka's protocol.
    rewriter: Option<Rewriter>,
    /// None where everything stays as it is.
    directory: Option<Directory>,
}

impl Rewriting {
    pub(crate) const fn new(limits: Limits, directory: Option<Directory>) -> Self {
        Self { rewriter: Some(Rewriter::new(limits)), directory }
    }

    /// Whether a request waits for its answer; `None` where requests cannot be told.
    pub(crate) fn awaits_answer(&self) -> Option<bool> {
        self.rewriter.as_ref().map(Rewriter::awaits_answer)
    }

    /// Whether the bytes that were taken last may be a secret.
    pub(crate) fn may_be_secret(&self) -> bool {
        self.rewriter.as_ref().is_some_and(Rewriter::may_be_secret)
    }

    /// Take what the client sends, before it is written on.
    ///
    /// # Errors
    /// Its answers cannot be told apart; the connection has to be closed.
    pub(crate) fn asked(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let Some(rewriter) = &mut self.rewriter else { return Ok(()) };
        match rewriter.asked(bytes) {
            Err(broken) if broken.may_pass_untouched() || self.directory.is_none() => {
                self.rewriter = None;
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Take what the broker sends; what the client is to get now.
    ///
    /// # Errors
    /// An answer may have addresses in it and cannot be read; the connection has to be closed.
    pub(crate) fn answered<'a>(&mut self, bytes: &'a mut [u8], spare: &'a mut Vec<u8>) -> Result<&'a [u8], Broken> {
        match (&mut self.rewriter, &mut self.directory) {
            (Some(rewriter), Some(directory)) => rewriter.answered(bytes, directory, spare),
            (Some(rewriter), None) => {
                if rewriter.passed(bytes).is_err() {
                    self.rewriter = None;
                }
                Ok(bytes)
            }
            (None, _) => Ok(bytes),
        }
    }
}
