//! Which request a response answers, and nothing more about either.

use crate::connection::Limits;
use crate::event::Opaque;
use crate::frame::{Framer, Piece};
use crate::header::Opening;
use crate::in_flight::{Asked, InFlight};
use crate::prefix::Prefix;
use crate::requests::{Acks, Known, OPENING_BYTES, first_bytes, is_kafka};
use crate::schema::Api;

#[derive(Debug)]
pub(super) struct Correlator {
    is_known_to_be_kafka: bool,
    framer: Framer,
    prefix: Prefix,
    in_flight: InFlight<()>,
}

impl Correlator {
    pub(super) const fn new(limits: Limits) -> Self {
        Self {
            is_known_to_be_kafka: false,
            framer: Framer::new(limits.request),
            prefix: Prefix::new(limits.kept),
            in_flight: InFlight::new(limits.in_flight),
        }
    }

    /// Take what the client sends.
    pub(super) fn asked(&mut self, mut bytes: &[u8]) -> Result<(), Opaque> {
        loop {
            match self.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => self.prefix.begin(length),
                Ok(Some(Piece::Body(body))) => {
                    self.prefix.add(body);
                    self.sniff()?;
                }
                Ok(Some(Piece::End)) => self.request()?,
                Ok(None) => return Ok(()),
                Err(_) if self.is_known_to_be_kafka => return Err(Opaque::FrameLength),
                Err(length) => return Err(first_bytes(length.0)),
            }
        }
    }

    /// The request that a response with this id answers.
    pub(super) fn answered(&mut self, correlation: i32) -> Result<Opening, Opaque> {
        self.in_flight.answered(correlation).map(|asked| asked.opening).ok_or(Opaque::Correlation)
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
        let opening = Opening::read(&mut reader).map_err(|_| short)?;
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
        if opening.key == Api::SASL_HANDSHAKE && opening.version == 0 { Err(Opaque::SaslTokens) } else { Ok(()) }
    }
}
