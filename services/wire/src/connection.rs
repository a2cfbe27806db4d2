//! The life of one connection, from both directions' bytes.

use crate::event::{Event, Exchange, Nanos, Opaque, Request, Unread};
use crate::frame::{Framer, Piece};
use crate::header::Opening;
use crate::in_flight::{Asked, InFlight};
use crate::prefix::Prefix;
use crate::reader::Reader;
use crate::requests::{Acks, Known, OPENING_BYTES, first_bytes, is_kafka};
use crate::schema::Api;
use crate::software::Declared;

/// Who sent the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side that opened the connection.
    Client,
    /// The side that answers.
    Broker,
}

/// What one connection may cost, and which frames are believed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest request in bytes; a broker's `socket.request.max.bytes` is 100 MiB unless it is set.
    pub request: usize,
    /// The longest response in bytes.
    pub response: usize,
    /// How many bytes of a request are kept at most; never fewer than the eight that every request begins with.
    pub kept: usize,
    /// How many requests may wait for their responses.
    pub in_flight: usize,
    /// How many bytes of a response are held at most to change addresses in it.
    pub held: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { request: 100 << 20, response: i32::MAX as usize, kept: 4 << 10, in_flight: 16 << 10, held: 16 << 20 }
    }
}

const CORRELATION_BYTES: usize = 4;

/// Follows one connection.
///
/// Bytes are given in the order in which they are passed on, the client's before the broker's that answer them. The
/// events are the same however the bytes of each side are divided.
#[derive(Debug)]
pub struct Connection {
    /// `None` when the connection is opaque: there is nothing left to remember.
    observed: Option<Observed>,
}

#[derive(Debug)]
struct Observed {
    is_known_to_be_kafka: bool,
    client: Stream,
    broker: Stream,
    in_flight: InFlight<Sent>,
}

/// What is remembered of a request until it is answered.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Nanos,
    /// The length of its frame.
    bytes: usize,
}

/// One direction.
#[derive(Debug)]
struct Stream {
    framer: Framer,
    prefix: Prefix,
}

impl Connection {
    /// A connection that was just opened.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        let client = Stream { framer: Framer::new(limits.request), prefix: Prefix::new(limits.kept) };
        let broker = Stream { framer: Framer::new(limits.response), prefix: Prefix::new(CORRELATION_BYTES) };
        let in_flight = InFlight::new(limits.in_flight);
        Self { observed: Some(Observed { is_known_to_be_kafka: false, client, broker, in_flight }) }
    }

    /// Whether nothing of it is understood any more.
    #[must_use]
    pub const fn is_opaque(&self) -> bool {
        self.observed.is_none()
    }

    /// Take what `side` sent at this time, and tell `sink` what that means.
    pub fn feed(&mut self, side: Side, bytes: &[u8], at: Nanos, sink: &mut impl FnMut(Event<'_>)) {
        let Some(observed) = &mut self.observed else { return };
        let fed = match side {
            Side::Client => observed.client_sent(bytes, at, sink),
            Side::Broker => observed.broker_sent(bytes, at, sink),
        };
        if let Err(reason) = fed {
            self.observed = None;
            sink(Event::Opaque(reason));
        }
    }
}

impl Observed {
    fn client_sent(&mut self, mut bytes: &[u8], at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        loop {
            match self.client.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => self.client.prefix.begin(length),
                Ok(Some(Piece::Body(body))) => {
                    self.client.prefix.add(body);
                    self.sniff()?;
                }
                Ok(Some(Piece::End)) => self.request(at, sink)?,
                Ok(None) => return Ok(()),
                Err(_) if self.is_known_to_be_kafka => return Err(Opaque::FrameLength),
                Err(length) => return Err(first_bytes(length.0)),
            }
        }
    }

    fn broker_sent(&mut self, mut bytes: &[u8], at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        loop {
            match self.broker.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => self.broker.prefix.begin(length),
                Ok(Some(Piece::Body(body))) => self.broker.prefix.add(body),
                Ok(Some(Piece::End)) => self.response(at, sink)?,
                Ok(None) => return Ok(()),
                Err(_) => return Err(Opaque::FrameLength),
            }
        }
    }

    /// Judge by the first request whether this is Kafka's protocol, as soon as it can be told.
    fn sniff(&mut self) -> Result<(), Opaque> {
        if self.is_known_to_be_kafka || self.client.prefix.bytes().len() < OPENING_BYTES {
            return Ok(());
        }
        let opening = Opening::read(&mut self.client.prefix.reader()).map_err(|_| Opaque::NotKafka)?;
        if !is_kafka(opening) {
            return Err(Opaque::NotKafka);
        }
        self.is_known_to_be_kafka = true;
        Ok(())
    }

    fn request(&mut self, at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let mut reader = self.client.prefix.reader();
        let short = if self.is_known_to_be_kafka { Opaque::ShortRequest } else { Opaque::NotKafka };
        let opening = Opening::read(&mut reader).map_err(|_| short)?;
        let Opening { key, version, .. } = opening;
        let known = Known::of(opening).and_then(|known| Ok((known, known.header(opening, &mut reader)?)));
        let client_id = known.as_ref().ok().and_then(|(_, header)| header.client_id);
        sink(Event::Request(Request { key, version, client_id, bytes: self.client.prefix.length() }));
        let acks = match known.and_then(|(known, _)| body(known, opening, &mut reader, sink)) {
            Ok(acks) => acks,
            Err(why) => {
                sink(Event::Unread { key, version, why });
                Acks::of_unread(key)
            }
        };
        if acks != Acks::Never {
            let sent = Sent { at, bytes: self.client.prefix.length() };
            let asked = Asked { opening, more: sent, may_be_silent: acks == Acks::Unknown };
            self.in_flight.push(asked).map_err(|_| Opaque::InFlight)?;
        }
        if key == Api::SASL_HANDSHAKE && version == 0 { Err(Opaque::SaslTokens) } else { Ok(()) }
    }

    fn response(&mut self, at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let correlation = self.broker.prefix.reader().int32().map_err(|_| Opaque::ShortResponse)?;
        let asked = self.in_flight.answered(correlation).ok_or(Opaque::Correlation)?;
        let Opening { key, version, .. } = asked.opening;
        let bytes = self.broker.prefix.length();
        sink(Event::Exchange(Exchange {
            key,
            version,
            asked: asked.more.at,
            answered: at,
            request_bytes: asked.more.bytes,
            bytes,
            error: 0,
            waited: false,
        }));
        Ok(())
    }
}

/// Read of a body what the connection itself needs.
fn body(
    known: Known,
    opening: Opening,
    reader: &mut Reader<'_>,
    sink: &mut impl FnMut(Event<'_>),
) -> Result<Acks, Unread> {
    if opening.key == Api::API_VERSIONS && opening.version >= 3 {
        let declared = Declared::read(known.layout, opening.version, reader)?;
        sink(Event::Software(declared.software().ok_or(Unread::InvalidSoftware)?));
    }
    Ok(known.acks(opening, reader)?)
}
