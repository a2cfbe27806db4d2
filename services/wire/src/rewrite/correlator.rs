//! Which request a response answers, and nothing more about either.

use crate::event::Opaque;
use crate::frame::{Framer, Piece};
use crate::header::Opening;
use crate::in_flight::{Asked, InFlight};
use crate::limits::Limits;
use crate::prefix::Prefix;
use crate::requests::{Acks, Known, OPENING_BYTES, first_bytes, is_kafka};
use crate::sasl::{Tokens, is_sasl};
use crate::schema::Api;

/// Follows the client's direction. It keeps the first eight bytes of a request, and more only of a Produce: no secret.
#[derive(Debug)]
pub(super) struct Correlator {
    is_known_to_be_kafka: bool,
    framer: Framer,
    prefix: Prefix,
    in_flight: InFlight<()>,
    tokens: Tokens,
    /// The request that came last, or comes, is for SASL.
    is_for_sasl: bool,
    /// What was taken last has part of such a request.
    has_sasl: bool,
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
            in_flight: InFlight::new(limits.in_flight),
            tokens: Tokens::new(),
            is_for_sasl: false,
            has_sasl: false,
        }
    }

    /// Whether what was taken last, or the broker's answer to it, may have a secret in it.
    pub(super) const fn may_be_secret(&self) -> bool {
        self.has_sasl || self.is_for_sasl
    }

    /// Whether a request waits for its answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.in_flight.first().is_some() || self.tokens.await_answer()
    }

    /// Take what the client sends.
    pub(super) fn asked(&mut self, mut bytes: &[u8]) -> Result<(), Opaque> {
        self.has_sasl = false;
        loop {
            match self.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => self.prefix.begin(length),
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

    /// Whether a frame that is too short for an id answers a token.
    pub(super) fn answered_shortly(&mut self) -> bool {
        self.tokens.is_answer(None, None)
    }

    fn body(&mut self, body: &[u8]) -> Result<(), Opaque> {
        let missing = OPENING_BYTES.saturating_sub(self.prefix.bytes().len());
        let (opening, rest) = body.split_at(missing.min(body.len()));
        self.prefix.add(opening);
        self.sniff()?;
        let key = Opening::read(&mut self.prefix.reader()).map(|opening| opening.key);
        self.is_for_sasl = self.tokens.may_come() || key.is_ok_and(is_sasl);
        self.has_sasl |= self.is_for_sasl;
        if key == Ok(Api::PRODUCE) {
            self.prefix.add(rest);
        }
        Ok(())
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
        let mut reader = self.prefix.reader();
        let short = if self.is_known_to_be_kafka { Opaque::ShortRequest } else { Opaque::NotKafka };
        let opening = Opening::read(&mut reader);
        if self.tokens.is_token(opening) {
            return Ok(());
        }
        let opening = opening.map_err(|_| short)?;
        let acks = match Known::of(opening) {
            Ok(known) if opening.key == Api::PRODUCE => {
                let read = known.header(opening, &mut reader).and_then(|_| known.acks(opening, &mut reader));
                read.unwrap_or(Acks::of_unread(opening.key))
            }
            _ => Acks::of_unread(opening.key),
        };
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
