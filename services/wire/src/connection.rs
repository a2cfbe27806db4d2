//! The life of one connection, from both directions' bytes.

use std::mem;

use crate::cold::{names_identities, read_request, read_response};
use crate::event::{Event, Exchange, Nanos, Opaque, Request, TransactionEnd, Unread};
use crate::frame::{Framer, Piece};
use crate::header::{Opening, response_correlation};
use crate::hot::{Memory, Reading, RequestEnd, ResponseEnd, Wanted};
use crate::in_flight::{Asked, InFlight};
use crate::prefix::Prefix;
use crate::reader::{Fault, Reader};
use crate::requests::{Acks, Known, OPENING_BYTES, first_bytes, is_kafka};
use crate::sasl::{Authenticated, Sasl, Tokens, is_sasl};
use crate::schema::{Api, Layout, api};
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
    /// How many bytes of a request are kept at most to follow what is rewritten; never fewer than the eight that every
    /// request begins with.
    pub kept: usize,
    /// How many bytes of a message are kept at most to read what a client calls itself, and errors; never fewer than
    /// eight. Of Produce, Fetch, `ShareFetch` and lists of topics only the header is kept.
    pub message: usize,
    /// How many requests may wait for their responses.
    pub in_flight: usize,
    /// How many bytes of a response are held at most to change addresses in it.
    pub held: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: 100 << 20,
            response: i32::MAX as usize,
            kept: 4 << 10,
            message: 64 << 10,
            in_flight: 16 << 10,
            held: 16 << 20,
        }
    }
}

/// Follows one connection.
///
/// Bytes are given in the order in which they are passed on, the client's before the broker's that answer them. The
/// events are the same however the bytes of each side are divided.
#[derive(Debug)]
pub struct Connection {
    /// `None` when the connection is opaque: there is nothing left to remember.
    observed: Option<Box<Observed>>,
}

#[derive(Debug)]
struct Observed {
    is_known_to_be_kafka: bool,
    client: Stream,
    broker: Stream,
    in_flight: InFlight<Sent>,
    /// The request that the response which passes answers.
    answered: Option<Asked<Sent>>,
    memory: Memory,
    sasl: Sasl,
    tokens: Tokens,
    /// The frame of the broker's that passes answers a token.
    answers_token: bool,
}

/// What is remembered of a request until it is answered.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Nanos,
    /// The length of its frame.
    bytes: usize,
    wanted: Wanted,
}

/// One direction.
#[derive(Debug)]
struct Stream {
    framer: Framer,
    prefix: Prefix,
    reading: Reading,
    route: Route,
}

/// What becomes of the bytes of the frame that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// They are kept until the header is complete.
    Header,
    /// They are read as they pass.
    Passing,
    /// They are kept, up to the limit.
    Kept,
    /// Nobody reads them.
    Left,
}

/// So many bytes are tried at once to complete a header.
const PORTION: usize = 256;

impl Stream {
    fn new(longest: usize, kept: usize) -> Self {
        let (framer, prefix) = (Framer::new(longest), Prefix::new(kept));
        Self { framer, prefix, reading: Reading::new(), route: Route::Header }
    }

    fn begin(&mut self, length: usize) {
        self.prefix.begin(length);
        self.route = Route::Header;
    }

    /// Keep a portion of `body`, where the header is not complete.
    fn keep_portion(&mut self, body: &mut &[u8]) {
        let (portion, rest) = body.split_at(PORTION.min(body.len()));
        self.prefix.add(portion);
        *body = rest;
    }

    /// Nobody reads what comes after the first `header` bytes.
    fn leave(&mut self, header: usize) {
        self.prefix.truncate(header);
        self.route = Route::Left;
    }

    /// The message, which begins after the first `header` bytes, is read as it passes.
    fn pass(&mut self, header: usize, memory: &mut Memory, sink: &mut impl FnMut(Event<'_>)) {
        self.reading.feed(self.prefix.bytes().get(header..).unwrap_or_default(), memory, sink);
        self.prefix.truncate(header);
        self.route = Route::Passing;
    }
}

impl Connection {
    /// A connection that was just opened.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let client = Stream::new(limits.request, limits.message);
        let broker = Stream::new(limits.response, limits.message);
        let in_flight = InFlight::new(limits.in_flight);
        let observed = Observed {
            is_known_to_be_kafka: false,
            client,
            broker,
            in_flight,
            answered: None,
            memory: Memory::default(),
            sasl: Sasl::default(),
            tokens: Tokens::new(),
            answers_token: false,
        };
        Self { observed: Some(Box::new(observed)) }
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
                Ok(Some(Piece::Head(length))) => self.client.begin(length),
                Ok(Some(Piece::Body(body))) => self.request_body(body, sink)?,
                Ok(Some(Piece::End)) => {
                    self.request(at, sink)?;
                    self.client.prefix.release();
                }
                Ok(None) => return Ok(()),
                Err(_) if self.is_known_to_be_kafka => return Err(Opaque::FrameLength),
                Err(length) => return Err(first_bytes(length.0)),
            }
        }
    }

    fn broker_sent(&mut self, mut bytes: &[u8], at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        loop {
            match self.broker.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => self.broker.begin(length),
                Ok(Some(Piece::Body(body))) => self.response_body(body, sink)?,
                Ok(Some(Piece::End)) => {
                    self.response(at, sink)?;
                    self.broker.prefix.release();
                }
                Ok(None) => return Ok(()),
                Err(_) => return Err(Opaque::FrameLength),
            }
        }
    }

    fn request_body(&mut self, mut body: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        while self.client.route == Route::Header && !body.is_empty() {
            self.client.keep_portion(&mut body);
            self.sniff()?;
            self.request_header(sink);
        }
        match self.client.route {
            Route::Passing => self.client.reading.feed(body, &mut self.memory, sink),
            Route::Kept => self.client.prefix.add(body),
            Route::Header | Route::Left => {}
        }
        Ok(())
    }

    /// Choose the route of a request as soon as its header is complete.
    fn request_header(&mut self, sink: &mut impl FnMut(Event<'_>)) {
        let stream = &mut self.client;
        let mut reader = stream.prefix.reader();
        let kept = reader.at_hand();
        let header = Opening::read(&mut reader).map_err(Unread::from).and_then(|opening| {
            Known::of(opening)?.header(opening, &mut reader)?;
            Ok(opening)
        });
        let read = kept.saturating_sub(reader.at_hand());
        match header {
            Ok(Opening { key, version, .. }) if Reading::knows_request(key) => {
                stream.reading.begin_request(key, version, reader.left());
                stream.pass(read, &mut self.memory, sink);
            }
            Ok(Opening { key, .. }) if is_kept(key) => stream.route = Route::Kept,
            Ok(_) => stream.leave(read),
            Err(Unread::TooLong) if !stream.prefix.is_full() => {}
            Err(_) if self.tokens.may_come() => stream.route = Route::Kept,
            Err(_) => stream.leave(kept),
        }
    }

    fn response_body(&mut self, mut body: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        while self.broker.route == Route::Header && !body.is_empty() {
            self.broker.keep_portion(&mut body);
            self.response_header(sink)?;
        }
        match self.broker.route {
            Route::Passing => self.broker.reading.feed(body, &mut self.memory, sink),
            Route::Kept => self.broker.prefix.add(body),
            Route::Header | Route::Left => {}
        }
        Ok(())
    }

    /// Find the request as soon as the correlation id is complete, and the route when the header is.
    fn response_header(&mut self, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let stream = &mut self.broker;
        let Ok(correlation) = stream.prefix.reader().int32() else { return Ok(()) };
        let asked = match self.answered {
            Some(asked) => asked,
            None if self.tokens.is_answer(self.in_flight.first(), Some(correlation)) => {
                self.answers_token = true;
                stream.route = Route::Kept;
                return Ok(());
            }
            None => self.in_flight.answered(correlation).ok_or(Opaque::Correlation)?,
        };
        self.answered = Some(asked);
        let Opening { key, version, .. } = asked.opening;
        let mut reader = stream.prefix.reader();
        let kept = reader.at_hand();
        let Some(Answer { layout, header_version }) = answer(asked.opening) else {
            stream.leave(kept);
            return Ok(());
        };
        match response_correlation(header_version, &mut reader) {
            Ok(_) if Reading::knows_response(key) => {
                let read = kept.saturating_sub(reader.at_hand());
                stream.reading.begin_response(key, version, layout, asked.more.wanted, reader.left());
                stream.pass(read, &mut self.memory, sink);
            }
            Ok(_) => stream.route = Route::Kept,
            Err(Fault::Incomplete) if !stream.prefix.is_full() => {}
            Err(_) => stream.leave(kept),
        }
        Ok(())
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
        let opening = Opening::read(&mut reader);
        if self.tokens.is_token(opening) {
            self.sasl.asked();
            match self.client.prefix.whole() {
                Some(token) => self.sasl.token(token),
                None => self.sasl.unread(),
            }
            return Ok(());
        }
        let opening = opening.map_err(|_| short)?;
        let Opening { key, version, .. } = opening;
        let bytes = self.client.prefix.length();
        let (read, RequestEnd { acks, wanted }) = if self.client.route == Route::Passing {
            let client_id = reader.string(false).unwrap_or_default(); // it was read before
            sink(Event::Request(Request { key, version, client_id, bytes }));
            let end = self.client.reading.end_request(&mut self.memory, sink);
            (self.client.reading.unread().map_or(Ok(()), Err), end)
        } else {
            let known = Known::of(opening).and_then(|known| Ok((known, known.header(opening, &mut reader)?)));
            let client_id = known.as_ref().ok().and_then(|(_, header)| header.client_id);
            sink(Event::Request(Request { key, version, client_id, bytes }));
            if is_sasl(key) {
                self.sasl.asked();
            }
            let read = known.and_then(|(known, _)| {
                if is_sasl(key) {
                    let is_flexible = known.layout.flexible.contain(version);
                    let tell = |mechanism| sink(Event::Mechanism(mechanism));
                    self.sasl.read_request(key, is_flexible, &mut reader, tell)?;
                    return Ok(None);
                }
                body(known, opening, &mut reader, &mut self.memory, sink)
            });
            if read.is_err() && is_sasl(key) {
                self.sasl.unread();
            }
            let acks = if read.is_ok() { Acks::Answered } else { Acks::of_unread(key) };
            let mut wanted = Wanted::default();
            wanted.commits = read.ok().flatten();
            (read.map(drop), RequestEnd { acks, wanted })
        };
        if let Err(why) = read {
            sink(Event::Unread { key, version, why });
        }
        if acks != Acks::Never {
            let asked = Asked { opening, more: Sent { at, bytes, wanted }, may_be_silent: acks == Acks::Unknown };
            self.in_flight.push(asked).map_err(|_| Opaque::InFlight)?;
        }
        if key == Api::SASL_HANDSHAKE && version == 0 {
            self.tokens.begin();
        }
        Ok(())
    }

    fn response(&mut self, at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let Some(asked) = self.answered.take() else { return self.token_answered(sink) };
        let Opening { key, version, .. } = asked.opening;
        let Sent { at: asked_at, bytes: request_bytes, wanted } = asked.more;
        if is_sasl(key) {
            self.sasl.answered();
        } else if key != Api::API_VERSIONS {
            self.sasl.went_on(|told| sink(Event::Authenticated(told)));
        }
        let (read, ResponseEnd { error, waited, is_clients }) = if self.broker.route == Route::Passing {
            let end = self.broker.reading.end_response(asked_at, at, &mut self.memory, sink);
            (self.broker.reading.unread().map_or(Ok(()), Err), end)
        } else {
            self.memory.give_up(wanted);
            let (error, read) = self.answer(asked.opening, sink);
            if let Some(committed) = wanted.commits.filter(|_| read.is_ok() && error == 0) {
                sink(Event::TransactionEnd(TransactionEnd { version, committed }));
            }
            (read, ResponseEnd { error, waited: false, is_clients: true })
        };
        if let Err(why) = read {
            sink(Event::Unread { key, version, why });
        }
        if is_clients {
            let bytes = self.broker.prefix.length();
            let (asked, answered) = (asked_at, at);
            sink(Event::Exchange(Exchange { key, version, asked, answered, request_bytes, bytes, error, waited }));
        }
        Ok(())
    }

    /// A frame is complete that answers no request.
    fn token_answered(&mut self, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let is_answer = mem::take(&mut self.answers_token) || self.tokens.is_answer(None, None);
        if !is_answer {
            return Err(Opaque::ShortResponse);
        }
        self.sasl.answered();
        self.sasl.token_answered(self.broker.prefix.bytes(), |told| sink(Event::Authenticated(told)));
        Ok(())
    }

    /// Read of a response that is kept its error code, and whether it is what the definition says.
    fn answer(&mut self, opening: Opening, sink: &mut impl FnMut(Event<'_>)) -> (i16, Result<(), Unread>) {
        let Some(answer) = answer(opening) else { return (0, Ok(())) };
        let Opening { key, version, .. } = opening;
        let mut reader = self.broker.prefix.reader();
        if let Err(fault) = response_correlation(answer.header_version, &mut reader) {
            return (0, Err(fault.into()));
        }
        if is_sasl(key) {
            let is_flexible = answer.layout.flexible.contain(version);
            let tell = |told: Authenticated<'_>| sink(Event::Authenticated(told));
            if let Err(fault) = self.sasl.read_response(key, is_flexible, &mut reader.clone(), tell) {
                return (0, Err(fault.into()));
            }
        }
        let Memory { identities, .. } = &mut self.memory;
        let (error, read) = read_response(key, answer.layout, version, &mut reader, identities, sink);
        (error, read.map_err(Unread::from))
    }
}

/// How a request is answered, if its definition is known.
struct Answer {
    layout: &'static Layout,
    header_version: i16,
}

fn answer(Opening { key, version, .. }: Opening) -> Option<Answer> {
    let api = api(key)?;
    Some(Answer { layout: api.response(version)?, header_version: api.response_header(version)? })
}

/// Whether the body of a request is read when it is complete.
fn is_kept(key: i16) -> bool {
    key == Api::API_VERSIONS || is_sasl(key) || names_identities(key)
}

/// Read of a body what the connection itself needs, what the client calls itself, and whether it commits a transaction.
fn body(
    known: Known,
    opening: Opening,
    reader: &mut Reader<'_>,
    memory: &mut Memory,
    sink: &mut impl FnMut(Event<'_>),
) -> Result<Option<bool>, Unread> {
    let Opening { key, version, .. } = opening;
    if key == Api::API_VERSIONS && version >= 3 {
        let declared = Declared::read(known.layout, version, reader)?;
        sink(Event::Software(declared.software().ok_or(Unread::InvalidSoftware)?));
    } else if names_identities(key) {
        return Ok(read_request(known.layout, version, reader, &mut memory.identities, sink)?);
    }
    Ok(None)
}
