//! Keeps the addresses of brokers from a client and answers its telemetry, or passes everything on and follows only what
//! answers what.

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{Addresses, Broken, Limits, Rewriter, Side};

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

    /// For a client that has to authenticate by SASL.
    pub(crate) fn requiring_sign_in(mut self) -> Self {
        if self.directory.is_some() || self.telemetry.is_some() {
            self.rewriter = self.rewriter.map(Rewriter::requiring_sign_in);
        }
        self
    }

    /// The broker stands in for the one that the client means.
    pub(crate) fn stand_in(&mut self) {
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.stand_in();
        }
    }

    /// Returns true if the broker has let the client in, or that cannot be known.
    pub(crate) fn has_signed_in(&self) -> bool {
        self.rewriter.as_ref().is_none_or(|rewriter| rewriter.is_lost() || rewriter.has_signed_in())
    }

    /// Whether a request waits for its answer; `None` where requests cannot be told.
    pub(crate) fn awaits_answer(&self) -> Option<bool> {
        self.rewriter.as_ref().filter(|rewriter| !rewriter.is_lost()).map(Rewriter::awaits_answer)
    }

    /// The bytes of what is remembered of requests until they are answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.rewriter.as_ref().map_or(0, Rewriter::waiting_bytes)
    }

    /// The bytes of the response that is held until it is whole; `None` where none is.
    pub(crate) fn held_bytes(&self) -> Option<usize> {
        self.rewriter.as_ref().and_then(Rewriter::held_bytes)
    }

    /// Forget what waits for an answer, where nothing is changed; whether that is so.
    pub(crate) fn give_up(&mut self) -> bool {
        let changes_nothing = self.directory.is_none() && self.telemetry.is_none();
        if changes_nothing {
            self.rewriter = None;
        }
        changes_nothing
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

    /// How many bytes come next of `side` that are neither read nor changed.
    pub(crate) fn unread_bytes(&self, side: Side) -> usize {
        match &self.rewriter {
            None => usize::MAX,
            Some(_) if self.telemetry.is_some() => 0,
            Some(rewriter) => rewriter.unread_bytes(side),
        }
    }

    /// So many bytes of `side` have passed, no more than are unread.
    pub(crate) const fn pass_unread(&mut self, side: Side, bytes: usize) {
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.pass_unread(side, bytes);
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
    fn of(&mut self, _: i32) -> Option<&kwitness_protocol::Address> {
        None
    }

    fn seen(&mut self, _: i32, _: &[u8], _: i32) {}
}
