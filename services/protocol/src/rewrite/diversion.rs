//! Takes requests out of what goes to the broker, and puts their answers where the broker's would be.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::prefix::Prefix;
use crate::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, Kept, PUSH_TELEMETRY};

/// Length, key and version.
const HEAD_BYTES: usize = 8;
const LENGTH_BYTES: usize = 4;
/// What of a request is kept where there is no room for all of it: header and ids.
const KEPT_ALWAYS: usize = 1_024;
/// A header with the longest client id that a subscription can select, and tagged fields that nobody sends.
const BESIDE_METRICS: usize = 40_000;
/// Answers that wait for the broker's. A client sends one such request at a time.
const MOST_WAITING: usize = 64;

/// How much all requests together may have kept that are not whole yet.
#[derive(Debug)]
pub struct Room {
    most: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Room for so many bytes.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { most, taken: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> bool {
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= self.most);
        self.taken.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Relaxed);
    }
}

/// Which requests are answered here.
#[derive(Clone, Debug)]
pub struct Telemetry {
    /// The longest push, in bytes.
    pub max_bytes: usize,
    /// Shared by all connections.
    pub room: Arc<Room>,
    /// Clients authenticate by SASL: what they ask before goes to the broker, which refuses it.
    pub needs_sign_in: bool,
}

/// A request that is taken out, as far as it came.
struct Request {
    prefix: Prefix,
    left: usize,
    room: Arc<Room>,
    taken: usize,
    is_cut: bool,
}

impl fmt::Debug for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Request({:?}, {} to come)", self.prefix, self.left)
    }
}

impl Request {
    fn add(&mut self, bytes: &[u8]) {
        self.left = self.left.saturating_sub(bytes.len());
        let have = self.prefix.bytes().len();
        if !self.is_cut && have.saturating_add(bytes.len()) > KEPT_ALWAYS {
            if self.room.take(bytes.len()) {
                self.taken = self.taken.saturating_add(bytes.len());
            } else {
                self.is_cut = true;
                self.prefix.truncate(KEPT_ALWAYS);
            }
        }
        let wanted = if self.is_cut { KEPT_ALWAYS.saturating_sub(have).min(bytes.len()) } else { bytes.len() };
        self.prefix.add(bytes.get(..wanted).unwrap_or_default());
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.room.give_back(self.taken);
    }
}

#[derive(Debug)]
enum State {
    /// In the first bytes of a frame, of which so many have passed already.
    Head { bytes: [u8; HEAD_BYTES], have: usize, passed: usize },
    /// In a frame that passes.
    Pass { left: usize },
    /// In one that is taken out.
    Keep(Request),
}

const BETWEEN_FRAMES: State = State::Head { bytes: [0; HEAD_BYTES], have: 0, passed: 0 };

/// An answer that waits until so many requests before it are answered.
#[derive(Debug)]
struct Waiting {
    ticket: u64,
    response: Vec<u8>,
}

/// Follows the client's frames.
#[derive(Debug)]
pub(super) struct Diversion {
    telemetry: Telemetry,
    state: State,
    waiting: VecDeque<Waiting>,
    /// The client was told that such requests are answered.
    pub(super) is_announced: bool,
    /// The broker's answer about versions was held, so the connection cannot go on without.
    pub(super) has_held: bool,
}

/// What to do with the front of what came.
pub(super) enum Step {
    /// These bytes, which came before and were withheld, then this part, pass.
    Pass { before: ([u8; HEAD_BYTES], Range<usize>), part: Range<usize> },
    /// So many bytes are taken out.
    Took(usize),
    /// So many bytes are taken out, and with them a request is whole.
    Whole(usize),
}

/// More answers wait than can be meant.
pub(super) struct TooMany;

impl Diversion {
    pub(super) const fn new(telemetry: Telemetry) -> Self {
        Self { telemetry, state: BETWEEN_FRAMES, waiting: VecDeque::new(), is_announced: false, has_held: false }
    }

    /// Go on with what came from the client.
    ///
    /// Parameter `is_signed_in`: the broker has let the client in, or need not.
    /// Parameter `may_be_token`: the frame that begins may be one without a header, unless it has a version that we know.
    pub(super) fn step(&mut self, came: &[u8], is_signed_in: bool, may_be_token: bool) -> Step {
        match &mut self.state {
            State::Pass { left } => {
                let taken = came.len().min(*left);
                *left = left.saturating_sub(taken);
                if *left == 0 {
                    self.state = BETWEEN_FRAMES;
                }
                Step::Pass { before: ([0; HEAD_BYTES], 0..0), part: 0..taken }
            }
            State::Keep(request) => {
                let taken = came.len().min(request.left);
                request.add(came.get(..taken).unwrap_or_default());
                if request.left == 0 { Step::Whole(taken) } else { Step::Took(taken) }
            }
            State::Head { .. } => self.head(came, is_signed_in, may_be_token),
        }
    }

    fn head(&mut self, came: &[u8], is_signed_in: bool, may_be_token: bool) -> Step {
        let State::Head { bytes, have, passed } = &mut self.state else { return Step::Took(0) };
        let before = *passed..*have;
        let mut taken = 0_usize;
        while *have < head_bytes(*bytes, *have) {
            let Some((place, byte)) = bytes.get_mut(*have).zip(came.get(taken)) else { break };
            *place = *byte;
            (*have, taken) = (have.saturating_add(1), taken.saturating_add(1));
        }
        let (bytes, wanted) = (*bytes, head_bytes(*bytes, *have));
        let is_complete = *have == wanted;
        let is_ready = self.is_announced && is_signed_in;
        if !is_complete && is_ready && *passed == 0 {
            return Step::Took(taken);
        }
        if !is_complete {
            *passed = *have;
            return Step::Pass { before: (bytes, before), part: 0..taken };
        }
        let left = length(bytes).unwrap_or_default().saturating_sub(wanted.saturating_sub(LENGTH_BYTES));
        let has_passed = *passed > 0;
        let [_, _, _, _, key @ .., version_high, version_low] = bytes;
        let (key, version) = (i16::from_be_bytes(key), i16::from_be_bytes([version_high, version_low]));
        let is_ours = wanted == HEAD_BYTES && matches!(key, GET_TELEMETRY_SUBSCRIPTIONS | PUSH_TELEMETRY);
        if is_ours && is_ready && !has_passed && (!may_be_token || version == 0) {
            return self.keep(bytes, left, taken);
        }
        let in_part = came.len().saturating_sub(taken).min(left);
        let left = left.saturating_sub(in_part);
        self.state = if left == 0 { BETWEEN_FRAMES } else { State::Pass { left } };
        Step::Pass { before: (bytes, before), part: 0..taken.saturating_add(in_part) }
    }

    fn keep(&mut self, head: [u8; HEAD_BYTES], left: usize, taken: usize) -> Step {
        let most = self.telemetry.max_bytes.saturating_add(BESIDE_METRICS);
        let length = length(head).unwrap_or_default();
        let mut prefix = Prefix::new(most);
        prefix.begin(length);
        let room = Arc::clone(&self.telemetry.room);
        // Of one that is too long in any case only its ids are of use.
        let mut request = Request { prefix, left, room, taken: 0, is_cut: length > most };
        let [_, _, _, _, opening @ ..] = head;
        request.prefix.add(&opening);
        self.state = State::Keep(request);
        if left == 0 { Step::Whole(taken) } else { Step::Took(taken) }
    }

    /// The request that is whole now, handed to `answer`; its answer waits until so many are answered.
    pub(super) fn answer<E>(
        &mut self,
        ticket: u64,
        answer: impl FnOnce(Kept<'_>) -> Result<Vec<u8>, E>,
    ) -> Result<Result<(), TooMany>, E> {
        let State::Keep(request) = std::mem::replace(&mut self.state, BETWEEN_FRAMES) else { return Ok(Ok(())) };
        let prefix = &request.prefix;
        let kept = Kept { bytes: prefix.bytes(), length: prefix.length(), is_cut: request.is_cut };
        let response = answer(kept)?;
        if self.waiting.len() >= MOST_WAITING {
            return Ok(Err(TooMany));
        }
        self.waiting.push_back(Waiting { ticket, response });
        Ok(Ok(()))
    }

    /// Returns true if it is the turn of an answer.
    pub(super) fn is_due(&self, answered: u64) -> bool {
        self.waiting.front().is_some_and(|waiting| waiting.ticket <= answered)
    }

    /// The next answer, where it is its turn: so many requests of those that went to the broker are answered.
    pub(super) fn due(&mut self, answered: u64) -> Option<Vec<u8>> {
        self.waiting.pop_front_if(|waiting| waiting.ticket <= answered).map(|waiting| waiting.response)
    }

    pub(super) fn awaits_answer(&self) -> bool {
        !self.waiting.is_empty()
    }
}

/// How long the head of a frame is of which so much came: no longer than the frame, once its length is known.
fn head_bytes(bytes: [u8; HEAD_BYTES], have: usize) -> usize {
    if have < LENGTH_BYTES {
        return HEAD_BYTES;
    }
    HEAD_BYTES.min(LENGTH_BYTES.saturating_add(length(bytes).unwrap_or_default()))
}

fn length(bytes: [u8; HEAD_BYTES]) -> Option<usize> {
    let [a, b, c, d, ..] = bytes;
    usize::try_from(i32::from_be_bytes([a, b, c, d])).ok()
}
