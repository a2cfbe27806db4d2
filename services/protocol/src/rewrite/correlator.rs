//! Which request a response answers, and nothing more about either.

use crate::frame::{Framer, Piece};
use crate::header::Opening;
use crate::in_flight::{Asked, InFlight};
use crate::limits::Limits;
use crate::prefix::Prefix;
use crate::reasons::Opaque;
use crate::requests::{Acks, Known, OPENING_BYTES, first_bytes, is_kafka};
use crate::sasl::{Tokens, is_sasl};
use crate::schema::Api;

/// So many bytes of a Produce are tried at once, until its acks are read.
const PORTION: usize = 128;

/// Follows the client's direction. It keeps the first eight bytes of a request, and more only of a Produce: no secret.
#[derive(Debug)]
pub(super) struct Correlator {
    is_known_to_be_kafka: bool,
    framer: Framer,
    prefix: Prefix,
    /// Of the Produce that passes, once they were read.
    acks: Option<Acks>,
    in_flight: InFlight<()>,
    tokens: Tokens,
    /// The request that came last, or comes, is for SASL.
    is_for_sasl: bool,
    /// What was taken last has part of such a request.
    has_sasl: bool,
    /// The last request that means the broker which it was sent to.
    pub(super) means_one: Option<i16>,
}

/// What a frame of the broker's answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answered {
    Request(Opening),
    /// A token of the client's: the frame is one as well.
    Token,
}

impl Correlator {
    pub(super) const fn new(limits: Limits) -> Self {
        Self {
            is_known_to_be_kafka: false,
            framer: Framer::new(limits.request),
            prefix: Prefix::new(limits.kept),
            acks: None,
            in_flight: InFlight::new(limits.in_flight),
            tokens: Tokens::new(),
            is_for_sasl: false,
            has_sasl: false,
            means_one: None,
        }
    }

    /// Returns true if what was taken last, or the broker's answer to it, may have a secret in it.
    pub(super) const fn may_be_secret(&self) -> bool {
        self.has_sasl || self.is_for_sasl
    }

    /// Returns true if a request waits for its answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.in_flight.first().is_some() || self.tokens.await_answer()
    }

    /// How many requests have come so far, of those that are answered.
    pub(super) fn come(&self) -> u64 {
        self.in_flight.come()
    }

    /// How many of them are answered, or never will be.
    pub(super) const fn gone(&self) -> u64 {
        self.in_flight.gone()
    }

    /// How many bytes of the request come next that are not read.
    pub(super) fn unread_bytes(&self) -> usize {
        let Ok(Opening { key, .. }) = Opening::read(&mut self.prefix.reader()) else { return 0 };
        let may_have_acks = key == Api::PRODUCE && self.acks.is_none() && !self.prefix.is_full();
        if may_have_acks || self.may_be_secret() { 0 } else { self.framer.inner() }
    }

    /// Have so many bytes of the request pass, no more than are unread.
    pub(super) const fn pass(&mut self, bytes: usize) {
        self.framer.pass(bytes);
    }

    /// The memory of requests that wait, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.in_flight.bytes()
    }

    /// The request that waits longest.
    pub(super) fn first(&self) -> Option<Opening> {
        self.in_flight.first()
    }

    /// Returns true if a frame of the client's may be a token.
    pub(super) const fn may_be_token(&self) -> bool {
        self.tokens.may_come()
    }

    /// The client has sent a request that the broker does not see.
    pub(super) fn diverted(&mut self, opening: Opening) {
        self.tokens.is_token(Ok(opening));
        (self.is_for_sasl, self.has_sasl) = (false, false);
    }

    /// Take what the client sends.
    pub(super) fn asked(&mut self, mut bytes: &[u8]) -> Result<(), Opaque> {
        self.has_sasl = false;
        loop {
            match self.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => {
                    self.prefix.begin(length);
                    self.acks = None;
                }
                Ok(Some(Piece::Body(body))) => self.body(body)?,
                Ok(Some(Piece::End)) => {
                    self.request()?;
                    self.prefix.release();
                }
                Ok(None) => return Ok(()),
                Err(_) if self.is_known_to_be_kafka => return Err(Opaque::FrameLength),
                Err(length) => return Err(first_bytes(length.0)),
            }
        }
    }

    /// What a frame with this id at its front answers.
    pub(super) fn answered(&mut self, correlation: i32) -> Result<Answered, Opaque> {
        if self.tokens.is_answer(self.in_flight.first(), Some(correlation)) {
            return Ok(Answered::Token);
        }
        let asked = self.in_flight.answered(correlation).ok_or(Opaque::Correlation)?;
        Ok(Answered::Request(asked.opening))
    }

    /// Returns true if a frame that is too short for an id answers a token.
    pub(super) fn answered_shortly(&mut self) -> bool {
        self.tokens.is_answer(None, None)
    }

    fn body(&mut self, body: &[u8]) -> Result<(), Opaque> {
        let missing = OPENING_BYTES.saturating_sub(self.prefix.bytes().len());
        let (opening, mut rest) = body.split_at(missing.min(body.len()));
        self.prefix.add(opening);
        self.sniff()?;
        let key = Opening::read(&mut self.prefix.reader()).map(|opening| opening.key);
        self.is_for_sasl = self.tokens.may_come() || key.is_ok_and(is_sasl);
        self.has_sasl |= self.is_for_sasl;
        if let Some(key) = key.ok().filter(|key| means_one_broker(*key) && !self.tokens.may_come()) {
            self.means_one = Some(key);
        }
        while key == Ok(Api::PRODUCE) && self.acks.is_none() && !rest.is_empty() && !self.prefix.is_full() {
            let (portion, beyond) = rest.split_at(PORTION.min(rest.len()));
            self.prefix.add(portion);
            self.acks = self.acks();
            rest = beyond;
        }
        Ok(())
    }

    /// The acks of a Produce, if what is kept reaches to them.
    fn acks(&self) -> Option<Acks> {
        let mut reader = self.prefix.reader();
        let opening = Opening::read(&mut reader).ok()?;
        let known = Known::of(opening).ok()?;
        known.header(opening, &mut reader).ok()?;
        known.acks(opening, &mut reader).ok()
    }

    fn sniff(&mut self) -> Result<(), Opaque> {
        if !self.is_known_to_be_kafka && self.prefix.bytes().len() >= OPENING_BYTES {
            let opening = Opening::read(&mut self.prefix.reader()).map_err(|_| Opaque::NotKafka)?;
            self.is_known_to_be_kafka = is_kafka(opening);
            return if self.is_known_to_be_kafka { Ok(()) } else { Err(Opaque::NotKafka) };
        }
        Ok(())
    }

    fn request(&mut self) -> Result<(), Opaque> {
        let short = if self.is_known_to_be_kafka { Opaque::ShortRequest } else { Opaque::NotKafka };
        let opening = Opening::read(&mut self.prefix.reader());
        if self.tokens.is_token(opening) {
            return Ok(());
        }
        let opening = opening.map_err(|_| short)?;
        if means_one_broker(opening.key) {
            self.means_one = Some(opening.key);
        }
        let acks = self.acks.unwrap_or(Acks::of_unread(opening.key));
        if acks != Acks::Never {
            let asked = Asked { opening, more: (), may_be_silent: acks == Acks::Unknown };
            self.in_flight.push(asked).map_err(|_| Opaque::InFlight)?;
        }
        if opening.key == Api::SASL_HANDSHAKE && opening.version == 0 {
            self.tokens.begin();
        }
        Ok(())
    }
}

/// Returns true if every broker answers a request of this API, of itself. What else is for one broker, such as for a
/// partition's leader, another refuses.
const fn means_one_broker(key: i16) -> bool {
    const LIST_GROUPS: i16 = 16;
    const ALTER_REPLICA_LOG_DIRS: i16 = 34;
    const DESCRIBE_LOG_DIRS: i16 = 35;
    const DESCRIBE_PRODUCERS: i16 = 61;
    const LIST_TRANSACTIONS: i16 = 66;
    matches!(key, LIST_GROUPS | ALTER_REPLICA_LOG_DIRS | DESCRIBE_LOG_DIRS | DESCRIBE_PRODUCERS | LIST_TRANSACTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Produce of version 3 with a long transactional id before its acks, and more behind them.
    fn produce(acks: i16) -> Vec<u8> {
        let transactional_id = [&300_i16.to_be_bytes()[..], &[b't'; 300]].concat();
        let header = [0, 0, 0, 3, 0, 0, 0, 1, 0xff, 0xff];
        let body = [&header[..], &transactional_id, &acks.to_be_bytes(), &[7; 10_000]].concat();
        [&u32::try_from(body.len()).unwrap().to_be_bytes()[..], &body].concat()
    }

    #[test]
    fn acks_are_read_however_far_they_are_and_nothing_is_kept_beyond_them() {
        for (acks, is_answered) in [(0, false), (1, true), (-1, true)] {
            let frame = produce(acks);
            for size in [1, 7, 320, frame.len()] {
                let mut correlator = Correlator::new(Limits::default());
                let (most, all_but_one) = (8 + 3 * PORTION, frame.len() - 1);
                frame[..all_but_one].chunks(size).for_each(|piece| correlator.asked(piece).unwrap());
                assert!(correlator.prefix.bytes().len() <= most, "pieces of {size}");
                correlator.asked(&frame[all_but_one..]).unwrap();

                assert_eq!(correlator.awaits_answer(), is_answered, "acks={acks}, pieces of {size}");
            }
        }
    }
}
