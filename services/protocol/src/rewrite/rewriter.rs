//! The life of one connection whose client must not see the addresses of brokers.

use super::addresses::Addresses;
use super::broken::Broken;
use super::diversion::{Diversion, Telemetry};
use super::output::Output;
use super::responses::Responses;
use super::sign_in::SignIn;
use crate::limits::Limits;
use crate::reader::Fault;
use crate::side::Side;
use crate::telemetry::Kept;

/// Changes the addresses of brokers in what a client is answered.
///
/// The client's bytes are given to [`Rewriter::asked`] before they are written to the broker, and are never changed. The
/// broker's bytes are given to [`Rewriter::answered`], and what it gives back is written to the client. What that is
/// does not depend on how the bytes are divided, but for a connection that breaks: then less of what came before may
/// have passed.
///
/// It keeps what [`Limits`] allow: the first bytes of a request, requests without a response, and one held response,
/// and the same amount again while it is rewritten.
#[derive(Debug)]
pub struct Rewriter {
    responses: Responses,
    broken: Option<Broken>,
    /// The broker is another than the one that the client means.
    stands_in: bool,
    /// Nothing can be followed, and nothing was changed: everything passes.
    is_lost: bool,
}

impl Rewriter {
    /// For a connection that was just opened.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { responses: Responses::new(limits), broken: None, stands_in: false, is_lost: false }
    }

    /// One that tells its client that telemetry is taken, and has it answered ([`Rewriter::asked_of`]).
    #[must_use]
    pub fn taking(mut self, telemetry: Telemetry) -> Self {
        if telemetry.needs_sign_in {
            self = self.requiring_sign_in();
        }
        self.responses.diversion = Some(Diversion::new(telemetry));
        self
    }

    /// One whose client has to authenticate by SASL ([`Rewriter::has_signed_in`]).
    #[must_use]
    pub const fn requiring_sign_in(mut self) -> Self {
        self.responses.sign_in = SignIn::Required;
        self
    }

    /// The broker stands in for another: no request passes from now on that means one broker.
    pub const fn stand_in(&mut self) {
        self.stands_in = true;
    }

    /// Returns true if the client need not authenticate, or the broker has let it in.
    #[must_use]
    pub const fn has_signed_in(&self) -> bool {
        matches!(self.responses.sign_in, SignIn::Done)
    }

    /// One that changes no address and limits no version.
    #[must_use]
    pub const fn keeping_addresses(mut self) -> Self {
        self.responses.keeps_addresses = true;
        self
    }

    /// Returns true if nothing can be followed any more, while everything passes.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The bytes of what is remembered of requests until they are answered.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.responses.correlator.bytes()
    }

    /// The bytes of the response that is held until it is whole; `None` where none is.
    #[must_use]
    pub const fn held_bytes(&self) -> Option<usize> {
        self.responses.held_bytes()
    }

    /// Returns true if there is something to be written to the client, though the broker sends nothing.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        self.responses.has_answer()
    }

    /// How many answers about versions could not be read, and passed as they are.
    #[must_use]
    pub const fn unread(&self) -> u64 {
        self.responses.unread
    }

    /// Take what the client sends, before it is written to the broker.
    ///
    /// # Errors
    /// [`Broken`], and again at every further call of either method. Where [`Broken::may_pass_untouched`], these bytes and
    /// all that follow can be relayed without a rewriter.
    pub fn asked(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.unbroken()?;
        self.responses.correlator.asked(bytes).map_err(|reason| self.breaks(Broken::Opaque(reason)))?;
        self.refuse_what_means_another()
    }

    /// Take what the client sends; what has to be written to the broker now.
    ///
    /// `answer` is asked for the response to each request that is answered here. `spare` is emptied, and used where a copy
    /// cannot be avoided. What there is to be written to the client then, [`Rewriter::answered`] gives, for no bytes as well.
    ///
    /// # Errors
    /// As [`Rewriter::asked`].
    pub fn asked_of<'a>(
        &mut self,
        bytes: &'a mut [u8],
        spare: &'a mut Vec<u8>,
        mut answer: impl FnMut(Kept<'_>) -> Result<Vec<u8>, Fault>,
    ) -> Result<&'a [u8], Broken> {
        self.unbroken()?;
        let mut output = Output::new(bytes, spare);
        if self.is_lost {
            output.restore();
            return Ok(output.finish());
        }
        match self.responses.divert(&mut output, &mut answer) {
            Err(broken) if self.responses.may_be_lost(broken) => {
                self.is_lost = true;
                output.restore();
            }
            outcome => outcome.map_err(|broken| self.breaks(broken))?,
        }
        self.refuse_what_means_another()?;
        Ok(output.finish())
    }

    /// Take what the broker sends; what has to be written to the client now.
    ///
    /// Endpoints are emptied in `bytes` themselves. `spare` is emptied, and used where a copy cannot be avoided.
    ///
    /// # Errors
    /// [`Broken`], and again at every further call of either method. Nothing may be written to the client then.
    pub fn answered<'a>(
        &mut self,
        bytes: &'a mut [u8],
        addresses: &mut impl Addresses,
        spare: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Broken> {
        self.unbroken()?;
        let end = bytes.len();
        let mut output = Output::new(bytes, spare);
        let mut at = 0;
        if self.is_lost {
            output.restore();
            return Ok(output.finish());
        }
        while at < end {
            self.responses.put_answers(&mut output);
            at = match self.responses.step(at, end, addresses, &mut output) {
                Err(broken) if self.responses.may_be_lost(broken) => {
                    self.is_lost = true;
                    output.restore();
                    return Ok(output.finish());
                }
                outcome => outcome.map_err(|broken| self.breaks(broken))?,
            };
        }
        self.responses.put_answers(&mut output);
        Ok(output.finish())
    }

    /// Take what the broker sends where it is written on as it is, in place of [`Rewriter::answered`] and never beside
    /// it: only what answers what is followed.
    ///
    /// # Errors
    /// [`Broken`], and again at every further call; what passes can still be relayed.
    pub fn passed(&mut self, mut bytes: &[u8]) -> Result<(), Broken> {
        self.unbroken()?;
        while !bytes.is_empty() {
            let taken = self.responses.follow(bytes).map_err(|broken| self.breaks(broken))?;
            bytes = bytes.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// How many bytes come next of `side` that are neither read nor changed; [`Rewriter::pass_unread`] says that they have
    /// passed.
    #[must_use]
    pub fn unread_bytes(&self, side: Side) -> usize {
        match side {
            _ if self.broken.is_some() || self.responses.diversion.is_some() => 0,
            Side::Client => self.responses.correlator.unread_bytes(),
            Side::Broker => self.responses.unread_bytes(),
        }
    }

    /// So many bytes of `side` have passed, no more than are unread.
    pub const fn pass_unread(&mut self, side: Side, bytes: usize) {
        match side {
            Side::Client => self.responses.correlator.pass(bytes),
            Side::Broker => self.responses.pass(bytes),
        }
    }

    /// Returns true if a request waits for its answer. A Produce with acks=0 never does.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.responses.awaits_answer()
    }

    /// Whether the client's bytes that were given last are part of its authentication, or the broker's answer to it comes
    /// next: what keeps such bytes has to overwrite them.
    #[must_use]
    pub const fn may_be_secret(&self) -> bool {
        self.responses.correlator.may_be_secret()
    }

    fn refuse_what_means_another(&mut self) -> Result<(), Broken> {
        match self.responses.correlator.means_one.filter(|_| self.stands_in) {
            Some(key) => Err(self.breaks(Broken::OtherBroker { key })),
            None => Ok(()),
        }
    }

    fn unbroken(&self) -> Result<(), Broken> {
        self.broken.map_or(Ok(()), Err)
    }

    fn breaks(&mut self, broken: Broken) -> Broken {
        self.responses.give_up();
        *self.broken.insert(broken)
    }
}
