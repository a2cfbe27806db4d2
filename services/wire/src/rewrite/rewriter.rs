//! The life of one connection whose client must not see the addresses of brokers.

use std::fmt;
use std::ops::Range;

use super::addresses::Addresses;
use super::correlator::{Answered, Correlator};
use super::diversion::{Diversion, Step, Telemetry, TooMany};
use super::endpoints::Endpoints;
use super::held::{Refused, with_addresses};
use super::output::Output;
use super::sign_in::{READ_BYTES, SignIn};
use super::start::{CORRELATION_BYTES, LENGTH_BYTES, START_BYTES, Start};
use super::treatment::{Held, Treatment, UnknownVersion, treatment};
use super::versions;
use crate::event::Opaque;
use crate::header::Opening;
use crate::limits::Limits;
use crate::reader::{Fault, Reader};
use crate::schema::Api;
use crate::telemetry::Kept;

/// Why a connection cannot be rewritten, or not any further. This is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It cannot be told which request a response answers.
    Opaque(Opaque),
    /// A response may have addresses in it, and its version is newer than the tables.
    UnknownVersion {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
    },
    /// A response may have addresses in it, and is not what its definition says.
    Malformed {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
        /// What is wrong.
        fault: Fault,
    },
    /// A response has addresses in it, and is longer than [`Limits::held`], or would be with others.
    TooLong {
        /// The API's key.
        key: i16,
        /// Its version.
        version: i16,
        /// How long it is.
        bytes: usize,
    },
    /// A request that is answered here is not what its definition says.
    Request {
        /// The API's key.
        key: i16,
        /// What is wrong.
        fault: Fault,
    },
}

impl Broken {
    /// Whether the connection is none of Kafka's, which its client's first bytes tell: an observer that has no need of
    /// other addresses may go on to relay it as it is. Otherwise it has to be closed.
    #[must_use]
    pub const fn may_pass_untouched(self) -> bool {
        matches!(self, Self::Opaque(Opaque::Tls | Opaque::NotKafka))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque(reason) => write!(formatter, "requests and responses cannot be followed: {reason:?}"),
            Self::UnknownVersion { key, version } => {
                write!(formatter, "the response of API {key} in version {version} cannot be read: a newer release may")
            }
            Self::Malformed { key, version, fault } => {
                write!(formatter, "the response of API {key} in version {version} is not readable: {fault}")
            }
            Self::TooLong { key, version, bytes } => write!(
                formatter,
                "the response of API {key} in version {version} has {bytes} bytes, too many to hold: raise the limit"
            ),
            Self::Request { key, fault } => write!(formatter, "a request of API {key} is not readable: {fault}"),
        }
    }
}

impl std::error::Error for Broken {}

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
    limits: Limits,
    correlator: Correlator,
    response: Response,
    broken: Option<Broken>,
    diversion: Option<Diversion>,
    /// Nothing is changed but for telemetry.
    keeps_addresses: bool,
    /// Answers about versions that could not be read, so that they were passed on as they are.
    unread: u64,
    /// Nothing can be followed, and nothing was changed: everything passes.
    is_lost: bool,
}

/// How far the broker's direction is.
#[derive(Debug)]
enum Response {
    /// In its length and correlation id.
    Start(Start),
    /// In a response that passes as it is.
    Pass { left: usize },
    /// In one to `SaslAuthenticate` that passes, of which the first bytes are read.
    Read { version: i16, left: usize, start: Vec<u8> },
    /// In a response that passes without its endpoints.
    Empty { asked: Opening, endpoints: Endpoints },
    /// In a response that is held.
    Hold { asked: Opening, held: Held, frame: Vec<u8>, left: usize },
}

const BETWEEN_RESPONSES: Response = Response::Start(Start::NONE);

impl Rewriter {
    /// For a connection that was just opened.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        let correlator = Correlator::new(limits);
        Self {
            limits,
            correlator,
            response: BETWEEN_RESPONSES,
            broken: None,
            diversion: None,
            keeps_addresses: false,
            unread: 0,
            is_lost: false,
        }
    }

    /// One that tells its client that telemetry is taken, and has it answered ([`Rewriter::asked_of`]).
    #[must_use]
    pub fn taking(mut self, telemetry: Telemetry) -> Self {
        self.diversion = Some(Diversion::new(telemetry));
        self
    }

    /// One that changes no address and limits no version.
    #[must_use]
    pub const fn keeping_addresses(mut self) -> Self {
        self.keeps_addresses = true;
        self
    }

    /// Whether nothing can be followed any more, while everything passes.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Whether there is something to be written to the client, though the broker sends nothing.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        let is_between = matches!(&self.response, Response::Start(Start { have: 0, .. }));
        is_between && self.diversion.as_ref().is_some_and(|diversion| diversion.is_due(self.correlator.gone()))
    }

    /// Whether a connection that cannot be followed can go on all the same: nothing of it was changed, and need not be.
    fn may_be_lost(&self, broken: Broken) -> bool {
        let has_held = self.diversion.as_ref().is_some_and(|diversion| diversion.has_held);
        self.diversion.is_some() && !has_held && (self.keeps_addresses || broken.may_pass_untouched())
    }

    /// How many answers about versions could not be read, and passed as they are.
    #[must_use]
    pub const fn unread(&self) -> u64 {
        self.unread
    }

    /// Take what the client sends, before it is written to the broker.
    ///
    /// # Errors
    /// [`Broken`], and again at every further call of either method. Where [`Broken::may_pass_untouched`], these bytes and
    /// all that follow can be relayed without a rewriter.
    pub fn asked(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.unbroken()?;
        self.correlator.asked(bytes).map_err(|reason| self.breaks(Broken::Opaque(reason)))
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
        match self.divert(&mut output, &mut answer) {
            Err(broken) if self.may_be_lost(broken) => {
                self.is_lost = true;
                output.restore();
            }
            outcome => outcome.map_err(|broken| self.breaks(broken))?,
        }
        Ok(output.finish())
    }

    fn divert(
        &mut self,
        output: &mut Output<'_>,
        answer: &mut impl FnMut(Kept<'_>) -> Result<Vec<u8>, Fault>,
    ) -> Result<(), Broken> {
        let Self { diversion, correlator, .. } = self;
        let (end, mut at) = (output.len(), 0_usize);
        let Some(diversion) = diversion else {
            output.restore();
            return correlator.asked(output.came(0..end)).map_err(Broken::Opaque);
        };
        while at < end {
            let taken = match diversion.step(output.came(at..end), correlator.may_be_token()) {
                Step::Pass { before: (head, before), part } => {
                    let taken = part.end;
                    let head = head.get(before).unwrap_or_default();
                    let part = at..at.saturating_add(taken);
                    if !head.is_empty() {
                        correlator.asked(head).map_err(Broken::Opaque)?;
                        output.write().extend_from_slice(head);
                    }
                    correlator.asked(output.came(part.clone())).map_err(Broken::Opaque)?;
                    output.pass(part);
                    taken
                }
                Step::Took(taken) => taken,
                Step::Whole(taken) => {
                    let answered = diversion.answer(correlator.come(), |kept| {
                        let opening = Opening::read(&mut Reader::new(kept.bytes));
                        let request = |fault| Broken::Request { key: opening.map_or(0, |opening| opening.key), fault };
                        correlator.diverted(opening.map_err(request)?);
                        answer(kept).map_err(request)
                    })?;
                    answered.map_err(|TooMany| Broken::Opaque(Opaque::InFlight))?;
                    taken
                }
            };
            at = at.saturating_add(taken);
        }
        Ok(())
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
            self.put_answers(&mut output);
            at = match self.step(at, end, addresses, &mut output) {
                Err(broken) if self.may_be_lost(broken) => {
                    self.is_lost = true;
                    output.restore();
                    return Ok(output.finish());
                }
                outcome => outcome.map_err(|broken| self.breaks(broken))?,
            };
        }
        self.put_answers(&mut output);
        Ok(output.finish())
    }

    /// Between two responses: those whose turn it is.
    fn put_answers(&mut self, output: &mut Output<'_>) {
        let Some(diversion) = &mut self.diversion else { return };
        if matches!(&self.response, Response::Start(Start { have: 0, .. })) {
            while let Some(response) = diversion.due(self.correlator.gone()) {
                output.write().extend(response);
            }
        }
    }

    /// Take what the broker sends where it is written on as it is, in place of [`Rewriter::answered`] and never beside
    /// it: only what answers what is followed.
    ///
    /// # Errors
    /// [`Broken`], and again at every further call; what passes can still be relayed.
    pub fn passed(&mut self, mut bytes: &[u8]) -> Result<(), Broken> {
        self.unbroken()?;
        while !bytes.is_empty() {
            let taken = self.follow(bytes).map_err(|broken| self.breaks(broken))?;
            bytes = bytes.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Whether a request waits for its answer. A Produce with acks=0 never does.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.correlator.awaits_answer() || self.diversion.as_ref().is_some_and(Diversion::awaits_answer)
    }

    /// Whether the client's bytes that were given last are part of its authentication, or the broker's answer to it comes
    /// next: what keeps such bytes has to overwrite them.
    #[must_use]
    pub const fn may_be_secret(&self) -> bool {
        self.correlator.may_be_secret()
    }

    fn unbroken(&self) -> Result<(), Broken> {
        self.broken.map_or(Ok(()), Err)
    }

    fn breaks(&mut self, broken: Broken) -> Broken {
        self.response = BETWEEN_RESPONSES;
        *self.broken.insert(broken)
    }

    /// Go on at this place of what came; where the next step begins.
    fn step(
        &mut self,
        at: usize,
        end: usize,
        addresses: &mut impl Addresses,
        output: &mut Output<'_>,
    ) -> Result<usize, Broken> {
        let passes = self.keeps_addresses && self.correlator.first().is_none_or(|first| first.key != Api::API_VERSIONS);
        let behind = match &mut self.response {
            Response::Start(start) => {
                start.have_passed = if start.have == 0 { passes } else { start.have_passed };
                let mut behind = at.saturating_add(start.take(LENGTH_BYTES, output.came(at..end)));
                if !start.is_short() {
                    behind = behind.saturating_add(start.take(START_BYTES, output.came(behind..end)));
                }
                let start = *start;
                if start.have_passed {
                    output.pass(at..behind);
                }
                if start.is_short() {
                    self.begin_short(start, at..behind, output)?;
                } else if start.have == START_BYTES {
                    self.begin(start, at..behind, output)?;
                }
                behind
            }
            Response::Pass { left } => {
                let part = part(at, end, left);
                output.pass(part.clone());
                part.end
            }
            Response::Read { left, start, .. } => {
                let part = part(at, end, left);
                let missing = READ_BYTES.saturating_sub(start.len());
                start.extend(output.came(part.clone()).iter().take(missing));
                output.pass(part.clone());
                part.end
            }
            Response::Empty { asked, endpoints } => {
                let part = at..end.min(at.saturating_add(endpoints.left()));
                empty(*asked, endpoints, output.came(part.clone()))?;
                output.pass(part.clone());
                part.end
            }
            Response::Hold { frame, left, .. } => {
                let part = part(at, end, left);
                frame.extend_from_slice(output.came(part.clone()));
                part.end
            }
        };
        self.end(addresses, output)?;
        Ok(behind)
    }

    /// Go on at the front of what came, of which nothing is changed; how much of it was taken.
    fn follow(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
        let (taken, left) = match &mut self.response {
            Response::Start(start) => {
                let mut taken = start.take(LENGTH_BYTES, bytes);
                if !start.is_short() {
                    taken = taken.saturating_add(start.take(START_BYTES, bytes.get(taken..).unwrap_or_default()));
                }
                let start = *start;
                let left = if start.is_short() {
                    self.short(start)?
                } else if start.have == START_BYTES {
                    self.answer(start)?.0
                } else {
                    return Ok(taken);
                };
                (taken, left)
            }
            Response::Pass { left } | Response::Read { left, .. } | Response::Hold { left, .. } => {
                let taken = bytes.len().min(*left);
                (taken, left.saturating_sub(taken))
            }
            Response::Empty { endpoints, .. } => (bytes.len().min(endpoints.left()), 0),
        };
        self.response = if left == 0 { BETWEEN_RESPONSES } else { Response::Pass { left } };
        Ok(taken)
    }

    /// What a frame answers, and how much of it is to come.
    fn answer(&mut self, start: Start) -> Result<(usize, Answered), Broken> {
        let length = usize::try_from(start.length()).ok().filter(|length| *length <= self.limits.response);
        let length = length.ok_or(Broken::Opaque(Opaque::FrameLength))?;
        let left = length.checked_sub(CORRELATION_BYTES).ok_or(Broken::Opaque(Opaque::ShortResponse))?;
        Ok((left, self.correlator.answered(start.correlation()).map_err(Broken::Opaque)?))
    }

    /// How much is to come of a frame that has no room for a correlation id: it can only answer a token.
    fn short(&mut self, start: Start) -> Result<usize, Broken> {
        let left = usize::try_from(start.length()).ok().filter(|_| self.correlator.answered_shortly());
        left.ok_or(Broken::Opaque(Opaque::ShortResponse))
    }

    /// A response begins, whose first bytes are this part of what came, or the last of them are.
    fn begin(&mut self, start: Start, part: Range<usize>, output: &mut Output<'_>) -> Result<(), Broken> {
        let (left, answered) = self.answer(start)?;
        let length = left.saturating_add(CORRELATION_BYTES);
        let Answered::Request(asked) = answered else {
            start.pass(part, output);
            self.response = Response::Pass { left };
            return Ok(());
        };
        let Opening { key, version, .. } = asked;
        if let Some(diversion) = &mut self.diversion {
            diversion.sign_in.answered(key);
            if key == Api::SASL_AUTHENTICATE && diversion.sign_in != SignIn::Done {
                start.pass(part, output);
                self.response = Response::Read { version, left, start: Vec::with_capacity(READ_BYTES) };
                return Ok(());
            }
        }
        let treatment = if self.keeps_addresses {
            self.treatment_of_versions(key, start, length)
        } else {
            treatment(asked).map_err(|UnknownVersion| Broken::UnknownVersion { key, version })?
        };
        match treatment {
            Treatment::Pass => {
                start.pass(part, output);
                self.response = Response::Pass { left };
            }
            Treatment::Empty(layout) => {
                start.pass(part, output);
                let mut endpoints = Endpoints::new(layout, version, left);
                empty(asked, &mut endpoints, &mut [])?;
                self.response = Response::Empty { asked, endpoints };
            }
            Treatment::Hold(_) if length > self.limits.held => {
                return Err(Broken::TooLong { key, version, bytes: length });
            }
            Treatment::Hold(held) => {
                let frame = start.correlation().to_be_bytes().to_vec();
                self.response = Response::Hold { asked, held, frame, left };
            }
        }
        Ok(())
    }

    /// What has to be done where nothing is changed but what is offered to the client.
    fn treatment_of_versions(&mut self, key: i16, start: Start, length: usize) -> Treatment {
        if key != Api::API_VERSIONS {
            return Treatment::Pass;
        }
        if start.have_passed || length > self.limits.held {
            self.unread = self.unread.saturating_add(1);
            return Treatment::Pass;
        }
        if let Some(diversion) = &mut self.diversion {
            diversion.has_held = true;
        }
        Treatment::Hold(Held::Versions)
    }

    /// A frame begins that has no room for a correlation id: it can only answer a token.
    fn begin_short(&mut self, start: Start, part: Range<usize>, output: &mut Output<'_>) -> Result<(), Broken> {
        let left = self.short(start)?;
        start.pass(part, output);
        self.response = Response::Pass { left };
        Ok(())
    }

    /// Do what is left to do where a response ends.
    fn end(&mut self, addresses: &mut impl Addresses, output: &mut Output<'_>) -> Result<(), Broken> {
        match &mut self.response {
            Response::Pass { left: 0 } => self.response = BETWEEN_RESPONSES,
            Response::Read { version, left: 0, start } => {
                if let Some(diversion) = &mut self.diversion {
                    diversion.sign_in.authenticated(*version, start);
                }
                self.response = BETWEEN_RESPONSES;
            }
            Response::Empty { endpoints, .. } if endpoints.left() == 0 => self.response = BETWEEN_RESPONSES,
            Response::Hold { asked, held, frame, left: 0 } => {
                let (asked, held, frame) = (*asked, *held, std::mem::take(frame));
                self.response = BETWEEN_RESPONSES;
                let bytes = frame.len();
                let written = match held {
                    Held::Addresses(layout) => {
                        with_addresses(asked, layout, &frame, addresses, self.limits.held, output.write())
                    }
                    Held::Versions => self.offer(asked, frame, output.write()),
                };
                written.map_err(|refused| broken(asked, refused, bytes))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Write what a broker offers to `out` as the client may have it.
    fn offer(&mut self, asked: Opening, mut frame: Vec<u8>, out: &mut Vec<u8>) -> Result<(), Refused> {
        if !self.keeps_addresses {
            versions::limit(asked, &mut frame)?;
        }
        if let Some(diversion) = &mut self.diversion {
            match versions::announce(asked, &mut frame) {
                Ok(true) => {
                    diversion.is_announced = true;
                    diversion.sign_in.offered();
                }
                Ok(false) => {}
                Err(_) => self.unread = self.unread.saturating_add(1),
            }
        }
        let length = i32::try_from(frame.len()).map_err(|_| Refused::TooLong)?;
        out.extend_from_slice(&length.to_be_bytes());
        out.append(&mut frame);
        Ok(())
    }
}

/// The part of what came that belongs to a response of which so many bytes are left.
fn part(at: usize, end: usize, left: &mut usize) -> Range<usize> {
    let part = at..end.min(at.saturating_add(*left));
    *left = left.saturating_sub(part.len());
    part
}

fn empty(asked: Opening, endpoints: &mut Endpoints, bytes: &mut [u8]) -> Result<(), Broken> {
    endpoints.take(bytes).map_err(|fault| broken(asked, Refused::Malformed(fault), 0))
}

fn broken(asked: Opening, refused: Refused, bytes: usize) -> Broken {
    let Opening { key, version, .. } = asked;
    match refused {
        Refused::Malformed(fault) => Broken::Malformed { key, version, fault },
        Refused::TooLong => Broken::TooLong { key, version, bytes },
        Refused::UnknownVersion => Broken::UnknownVersion { key, version },
    }
}
