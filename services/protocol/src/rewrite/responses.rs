//! Follows the broker's direction, and changes what has to be changed of it.

use std::ops::Range;

use super::addresses::Addresses;
use super::broken::Broken;
use super::correlator::{Answered, Correlator};
use super::diversion::{Diversion, Step, TooMany};
use super::endpoints::Endpoints;
use super::held::{Refused, with_addresses};
use super::output::Output;
use super::sign_in::{READ_BYTES, SignIn};
use super::start::{CORRELATION_BYTES, LENGTH_BYTES, START_BYTES, Start};
use super::treatment::{Held, Treatment, UnknownVersion, treatment};
use super::versions;
use crate::header::Opening;
use crate::limits::Limits;
use crate::reader::{Fault, Reader};
use crate::reasons::Opaque;
use crate::schema::Api;
use crate::telemetry::Kept;

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

/// The requests of a connection, and the response that passes.
#[derive(Debug)]
pub(super) struct Responses {
    limits: Limits,
    pub(super) correlator: Correlator,
    response: Response,
    pub(super) diversion: Option<Diversion>,
    pub(super) sign_in: SignIn,
    /// Nothing is changed but for telemetry.
    pub(super) keeps_addresses: bool,
    /// Answers about versions that could not be read, so that they were passed on as they are.
    pub(super) unread: u64,
}

impl Responses {
    pub(super) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            correlator: Correlator::new(limits),
            response: BETWEEN_RESPONSES,
            diversion: None,
            sign_in: SignIn::Done,
            keeps_addresses: false,
            unread: 0,
        }
    }

    /// No response is open any more.
    pub(super) fn give_up(&mut self) {
        self.response = BETWEEN_RESPONSES;
    }

    /// Returns true if an answer of ours is due between two responses.
    pub(super) fn has_answer(&self) -> bool {
        let is_between = matches!(&self.response, Response::Start(Start { have: 0, .. }));
        is_between && self.diversion.as_ref().is_some_and(|diversion| diversion.is_due(self.correlator.gone()))
    }

    /// Whether a connection that cannot be followed can go on all the same: nothing of it was changed, and need not be.
    pub(super) fn may_be_lost(&self, broken: Broken) -> bool {
        let has_held = self.diversion.as_ref().is_some_and(|diversion| diversion.has_held);
        self.diversion.is_some() && !has_held && (self.keeps_addresses || broken.may_pass_untouched())
    }

    /// The memory of the response that is held, in bytes; `None` where none is.
    pub(super) const fn held_bytes(&self) -> Option<usize> {
        match &self.response {
            Response::Hold { frame, .. } => Some(frame.capacity()),
            _ => None,
        }
    }

    /// How many bytes of the response come next that pass as they are. Its last byte is not among them: it ends there.
    pub(super) const fn unread_bytes(&self) -> usize {
        match &self.response {
            Response::Pass { left } => left.saturating_sub(1),
            _ => 0,
        }
    }

    /// Have so many bytes of the response pass, no more than are unread.
    pub(super) const fn pass(&mut self, bytes: usize) {
        if let Response::Pass { left } = &mut self.response {
            *left = left.saturating_sub(bytes);
        }
    }

    /// Returns true if a request waits for its answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.correlator.awaits_answer() || self.diversion.as_ref().is_some_and(Diversion::awaits_answer)
    }

    /// Take requests that are answered here out of what the client sends.
    pub(super) fn divert(
        &mut self,
        output: &mut Output<'_>,
        answer: &mut impl FnMut(Kept<'_>) -> Result<Vec<u8>, Fault>,
    ) -> Result<(), Broken> {
        let is_signed_in = self.sign_in == SignIn::Done;
        let Self { diversion, correlator, .. } = self;
        let (end, mut at) = (output.len(), 0_usize);
        let Some(diversion) = diversion else {
            output.restore();
            return correlator.asked(output.came(0..end)).map_err(Broken::Opaque);
        };
        while at < end {
            let taken = match diversion.step(output.came(at..end), is_signed_in, correlator.may_be_token()) {
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

    /// Between two responses: those whose turn it is.
    #[inline]
    pub(super) fn put_answers(&mut self, output: &mut Output<'_>) {
        let Some(diversion) = &mut self.diversion else { return };
        if matches!(&self.response, Response::Start(Start { have: 0, .. })) {
            while let Some(response) = diversion.due(self.correlator.gone()) {
                output.write().extend(response);
            }
        }
    }

    /// Go on at this place of what came; where the next step begins.
    #[inline]
    pub(super) fn step(
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
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
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
        self.sign_in.answered(key);
        if key == Api::SASL_AUTHENTICATE && self.sign_in != SignIn::Done {
            start.pass(part, output);
            self.response = Response::Read { version, left, start: Vec::with_capacity(READ_BYTES) };
            return Ok(());
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
                self.sign_in.authenticated(*version, start);
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
                written.map_err(|refused| Broken::refused(asked, refused, bytes))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Write what a broker offers to `out` as the client may have it.
    fn offer(&mut self, asked: Opening, mut frame: Vec<u8>, out: &mut Vec<u8>) -> Result<(), Refused> {
        if matches!(frame.as_slice(), [_, _, _, _, 0, 0, ..]) {
            self.sign_in.offered();
        }
        if !self.keeps_addresses {
            versions::limit(asked, &mut frame)?;
        }
        if let Some(diversion) = &mut self.diversion {
            match versions::announce(asked, &mut frame) {
                Ok(true) => diversion.is_announced = true,
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
    endpoints.take(bytes).map_err(|fault| Broken::refused(asked, Refused::Malformed(fault), 0))
}
