//! Keeps the addresses of brokers from a client and answers its telemetry, or passes everything on and follows only what
//! answers what.

use std::sync::Arc;

use kwitness_wire::aggregate::Identity;
use kwitness_wire::{Addresses, Broken, Limits, Rewriter};

use crate::brokers_seen::Directory;
use crate::telemetry::Telemetry;

/// Changes what a broker answers before the client gets it.
#[derive(Debug)]
pub(crate) struct Rewriting {
    /// None for a client that does not speak Kafka's protocol.
    rewriter: Option<Rewriter>,
    /// None where addresses stay as they are.
    directory: Option<Directory>,
    /// None where telemetry is the broker's.
    telemetry: Option<Arc<Telemetry>>,
    /// Answers about versions that could not be read, and are counted.
    unread: u64,
}

impl Rewriting {
    pub(crate) fn new(limits: Limits, directory: Option<Directory>, telemetry: Option<Arc<Telemetry>>) -> Self {
        let rewriter = Rewriter::new(limits);
        let rewriter = if directory.is_some() { rewriter } else { rewriter.keeping_addresses() };
        let rewriter = match &telemetry {
            Some(telemetry) => rewriter.taking(telemetry.on_the_wire()),
            None => rewriter,
        };
        Self { rewriter: Some(rewriter), directory, telemetry, unread: 0 }
    }

    /// Whether a request waits for its answer; `None` where requests cannot be told.
    pub(crate) fn awaits_answer(&self) -> Option<bool> {
        self.rewriter.as_ref().filter(|rewriter| !rewriter.is_lost()).map(Rewriter::awaits_answer)
    }

    /// Whether the bytes that were taken last may be a secret.
    pub(crate) fn may_be_secret(&self) -> bool {
        self.rewriter.as_ref().is_some_and(Rewriter::may_be_secret)
    }

    /// Whether what the client gets is not only what the broker sends.
    pub(crate) const fn answers(&self) -> bool {
        self.telemetry.is_some()
    }

    /// Take what the client sends; what the broker is to get now.
    ///
    /// Parameter `client`: what is known of it, for requests that are answered here.
    ///
    /// # Errors
    /// Its answers cannot be told apart; the connection has to be closed.
    pub(crate) fn asked<'a>(
        &mut self,
        bytes: &'a mut [u8],
        spare: &'a mut Vec<u8>,
        client: impl FnOnce() -> Arc<Identity>,
    ) -> Result<&'a [u8], Broken> {
        let Some(rewriter) = &mut self.rewriter else { return Ok(bytes) };
        let Some(telemetry) = &self.telemetry else {
            return match rewriter.asked(bytes) {
                Err(broken) if broken.may_pass_untouched() || self.directory.is_none() => {
                    self.rewriter = None;
                    Ok(bytes)
                }
                outcome => outcome.map(|()| &*bytes),
            };
        };
        let (mut client, mut known) = (Some(client), None);
        rewriter.asked_of(bytes, spare, |kept| {
            let client = known.get_or_insert_with(|| client.take().map(|client| client()).unwrap_or_default());
            telemetry.answer(kept, client)
        })
    }

    /// Take what the broker sends, which may be nothing; what the client is to get now.
    ///
    /// # Errors
    /// An answer may have addresses in it and cannot be read; the connection has to be closed.
    pub(crate) fn answered<'a>(&mut self, bytes: &'a mut [u8], spare: &'a mut Vec<u8>) -> Result<&'a [u8], Broken> {
        let Some(rewriter) = &mut self.rewriter else { return Ok(bytes) };
        match (&mut self.directory, &self.telemetry) {
            (Some(directory), None) => rewriter.answered(bytes, directory, spare),
            (Some(directory), Some(telemetry)) => {
                let written = rewriter.answered(bytes, directory, spare);
                telemetry.count_unread(rewriter.unread(), &mut self.unread);
                written
            }
            (None, Some(telemetry)) => {
                let written = rewriter.answered(bytes, &mut Nowhere, spare);
                telemetry.count_unread(rewriter.unread(), &mut self.unread);
                written
            }
            (None, None) => {
                if rewriter.passed(bytes).is_err() {
                    self.rewriter = None;
                }
                Ok(bytes)
            }
        }
    }

    /// Whether there is something to be written to the client though the broker sends nothing.
    pub(crate) fn has_answer(&self) -> bool {
        self.telemetry.is_some() && self.rewriter.as_ref().is_some_and(Rewriter::has_answer)
    }
}

/// Where no address is changed none is asked for.
struct Nowhere;

impl Addresses for Nowhere {
    fn of(&mut self, _: i32) -> Option<&kwitness_wire::Address> {
        None
    }

    fn seen(&mut self, _: i32, _: &[u8], _: i32) {}
}
