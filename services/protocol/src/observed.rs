//! Follows both directions of a connection whose bytes are understood.

use std::mem;

use crate::cold::{is_kept, read_request, read_response};
use crate::event::{Event, Exchange, Message, Nanos, Request};
use crate::frame::Piece;
use crate::header::{Opening, response_correlation};
use crate::hot::{Memory, Reading, RequestEnd, ResponseEnd, Wanted};
use crate::in_flight::{Asked, InFlight};
use crate::limits::Limits;
use crate::messages::Messages;
use crate::reader::Fault;
use crate::reasons::{Opaque, Unread};
use crate::requests::{Acks, Answer, Known, OPENING_BYTES, first_bytes, is_kafka, read_header};
use crate::sasl::{Sasl, Tokens, is_sasl};
use crate::schema::Api;
use crate::sent::Sent;
use crate::side::Side;
use crate::stream::{Route, Stream};

#[derive(Debug)]
pub(crate) struct Observed {
    is_known_to_be_kafka: bool,
    pub(crate) client: Stream,
    pub(crate) broker: Stream,
    in_flight: InFlight<Sent>,
    /// The request that the response which passes answers.
    answered: Option<Asked<Sent>>,
    pub(crate) memory: Memory,
    sasl: Sasl,
    tokens: Tokens,
    /// Responses are left out until one answers a request that was read, since requests passed before them unread.
    is_resuming: bool,
    /// The frame of the broker's that passes answers a token.
    answers_token: bool,
    /// How many requests came.
    requests: u64,
    /// Where messages are told one by one.
    pub(crate) messages: Option<Box<Messages>>,
}

impl Observed {
    pub(crate) fn new(limits: Limits) -> Self {
        let client = Stream::new(limits.request, limits.message);
        let broker = Stream::new(limits.response, limits.message);
        let in_flight = InFlight::new(limits.in_flight);
        Self {
            is_known_to_be_kafka: false,
            client,
            broker,
            in_flight,
            answered: None,
            memory: Memory::default(),
            sasl: Sasl::default(),
            tokens: Tokens::new(),
            is_resuming: false,
            answers_token: false,
            requests: 0,
            messages: None,
        }
    }

    /// One of which frames have passed already.
    pub(crate) fn resumed(limits: Limits) -> Self {
        Self { is_resuming: true, ..Self::new(limits) }
    }

    /// The bytes of what is remembered of requests until they are answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.in_flight.bytes().saturating_add(self.memory.waiting_bytes())
    }

    /// Take what the client sent.
    pub(crate) fn client_sent(
        &mut self,
        mut bytes: &[u8],
        at: Nanos,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Opaque> {
        loop {
            match self.client.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => {
                    self.client.begin(length);
                    if let Some(messages) = self.messages.as_mut().filter(|_| !self.tokens.may_come()) {
                        messages.begin_request(length);
                    }
                }
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

    /// Take what the broker sent.
    pub(crate) fn broker_sent(
        &mut self,
        mut bytes: &[u8],
        at: Nanos,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Opaque> {
        loop {
            match self.broker.framer.next(&mut bytes) {
                Ok(Some(Piece::Head(length))) => {
                    self.broker.begin(length);
                    self.messages.iter_mut().for_each(|messages| messages.begin_response(length));
                }
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
        if let Some(messages) = &mut self.messages {
            messages.asked(body, &mut self.memory);
        }
        if self.is_known_to_be_kafka {
            self.request_at_once(&mut body);
        }
        while self.client.route == Route::Header && !body.is_empty() {
            self.client.keep_portion(&mut body);
            self.sniff()?;
            if self.client.route == Route::Header {
                self.request_header(sink);
            }
        }
        self.client.add(body, &mut self.memory, sink);
        Ok(())
    }

    /// Choose the route of a request whose header is at hand as a whole, if the request is read as it passes.
    fn request_at_once(&mut self, body: &mut &[u8]) {
        let Some(mut reader) = self.client.beginning(body) else { return };
        if let Ok(Opening { key, version, .. }) = read_header(&mut reader)
            && Reading::knows_request(key)
        {
            self.client.reading.begin_request(key, version, reader.left());
            self.client.pass_at_once(body, &reader);
        }
    }

    /// Choose the route of a request as soon as its header is complete.
    fn request_header(&mut self, sink: &mut impl FnMut(Event<'_>)) {
        let stream = &mut self.client;
        let mut reader = stream.prefix.reader();
        let kept = reader.at_hand();
        let header = read_header(&mut reader);
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
        let whole = body;
        self.response_at_once(&mut body)?;
        while self.broker.route == Route::Header && !body.is_empty() {
            self.broker.keep_portion(&mut body);
            let correlation = self.broker.prefix.reader().int32();
            if let Some(asked) = self.asked(correlation)? {
                self.response_header(asked, sink);
            }
        }
        self.broker.add(body, &mut self.memory, sink);
        if let Some(messages) = &mut self.messages {
            messages.answered(whole, self.answered.map(|asked| asked.opening), &mut self.memory);
        }
        Ok(())
    }

    /// The request that the frame of the broker's answers, as soon as its correlation id has come. `None` also where it
    /// answers a token.
    fn asked(&mut self, correlation: Result<i32, Fault>) -> Result<Option<Asked<Sent>>, Opaque> {
        if let (None, Ok(correlation)) = (self.answered, correlation) {
            if self.is_resuming {
                if !self.in_flight.may_be_answered(correlation) {
                    self.broker.route = Route::Left;
                    return Ok(None);
                }
                self.is_resuming = false;
            }
            if self.tokens.is_answer(self.in_flight.first(), Some(correlation)) {
                self.answers_token = true;
                self.broker.route = Route::Kept;
                return Ok(None);
            }
            self.answered = Some(self.in_flight.answered(correlation).ok_or(Opaque::Correlation)?);
        }
        Ok(self.answered)
    }

    /// Choose the route of a response whose header is at hand as a whole, if the response is read as it passes.
    fn response_at_once(&mut self, body: &mut &[u8]) -> Result<(), Opaque> {
        let Some(mut reader) = self.broker.beginning(body) else { return Ok(()) };
        let Some(asked) = self.asked(reader.clone().int32())? else { return Ok(()) };
        let Opening { key, version, .. } = asked.opening;
        if let Some(Answer { layout, header_version }) =
            Answer::to(asked.opening).filter(|_| Reading::knows_response(key))
            && response_correlation(header_version, &mut reader).is_ok()
        {
            self.broker.reading.begin_response(key, version, layout, asked.more.wanted, reader.left());
            self.broker.pass_at_once(body, &reader);
        }
        Ok(())
    }

    /// Choose the route of a response as soon as its header is complete.
    fn response_header(&mut self, asked: Asked<Sent>, sink: &mut impl FnMut(Event<'_>)) {
        let stream = &mut self.broker;
        let Opening { key, version, .. } = asked.opening;
        let mut reader = stream.prefix.reader();
        let kept = reader.at_hand();
        let Some(Answer { layout, header_version }) = Answer::to(asked.opening) else {
            stream.leave(kept);
            return;
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
    }

    /// Judge by the first request whether this is Kafka's protocol, as soon as it can be told.
    fn sniff(&mut self) -> Result<(), Opaque> {
        if self.is_known_to_be_kafka || self.client.prefix.bytes().len() < OPENING_BYTES {
            return Ok(());
        }
        let opening = Opening::read(&mut self.client.prefix.reader()).map_err(|_| Opaque::NotKafka)?;
        if self.is_resuming && Known::of(opening).is_err() {
            // It may be a token of SASL's, which has no header.
            self.client.route = Route::Left;
            return Ok(());
        }
        if !is_kafka(opening) {
            return Err(Opaque::NotKafka);
        }
        self.is_known_to_be_kafka = true;
        Ok(())
    }

    fn request(&mut self, at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        if self.is_resuming && !self.is_known_to_be_kafka {
            return Ok(());
        }
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
            let (acks, is_idempotent) = self.client.reading.produced();
            sink(Event::Request(Request { key, version, client_id, bytes, acks, is_idempotent }));
            let end = self.client.reading.end_request(&mut self.memory, sink);
            (self.client.reading.unread().map_or(Ok(()), Err), end)
        } else {
            let known = Known::of(opening).and_then(|known| Ok((known, known.header(opening, &mut reader)?)));
            let client_id = known.as_ref().ok().and_then(|(_, header)| header.client_id);
            sink(Event::Request(Request { key, version, client_id, bytes, acks: None, is_idempotent: false }));
            if is_sasl(key) {
                self.sasl.asked();
            }
            let read = known.and_then(|(known, _)| {
                read_request(known, opening, &mut reader, &mut self.sasl, &mut self.memory.cold, sink)
            });
            if read.is_err() && is_sasl(key) {
                self.sasl.unread();
            }
            let acks = if read.is_ok() { Acks::Answered } else { Acks::of_unread(key) };
            let mut wanted = Wanted::default();
            wanted.effect = read.unwrap_or_default();
            (read.map(drop), RequestEnd { acks, wanted })
        };
        if let Err(why) = read {
            sink(Event::Unread { key, version, why });
        }
        self.requests = self.requests.saturating_add(1);
        let number = self.requests;
        if let Some(messages) = &mut self.messages {
            let contents = messages.request(&mut self.memory);
            if wanted.is_clients() {
                let is_answered = acks != Acks::Never;
                let (side, exchange, contents) = (Side::Client, number, contents.as_ref());
                let (error, took) = (0, None);
                sink(Event::Message(Message { side, exchange, opening, bytes, is_answered, error, took, contents }));
            }
        }
        if acks != Acks::Never {
            let more = Sent { at, bytes, wanted, number };
            let asked = Asked { opening, more, may_be_silent: acks == Acks::Unknown };
            self.in_flight.push(asked).map_err(|_| Opaque::InFlight)?;
        }
        if key == Api::SASL_HANDSHAKE && version == 0 {
            self.tokens.begin();
        }
        Ok(())
    }

    fn response(&mut self, at: Nanos, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Opaque> {
        let Some(asked) = self.answered.take() else {
            return if self.is_resuming { Ok(()) } else { self.token_answered(sink) };
        };
        let opening @ Opening { key, version, .. } = asked.opening;
        let Sent { at: asked_at, bytes: request_bytes, wanted, number } = asked.more;
        if is_sasl(key) {
            self.sasl.answered();
        } else if key != Api::API_VERSIONS {
            self.sasl.went_on(|told| sink(Event::Authenticated(told)));
        }
        let (read, ResponseEnd { outcome, waited, is_empty, is_clients }) = if self.broker.route == Route::Passing {
            let end = self.broker.reading.end_response(asked_at, at, &mut self.memory, sink);
            (self.broker.reading.unread().map_or(Ok(()), Err), end)
        } else {
            self.memory.give_up(wanted);
            let mut reader = self.broker.prefix.reader();
            let (sasl, memory) = (&mut self.sasl, &mut self.memory.cold);
            let (outcome, read) = read_response(asked.opening, wanted.effect, &mut reader, sasl, memory, sink);
            (read, ResponseEnd::new(outcome, true))
        };
        if let Err(why) = read {
            sink(Event::Unread { key, version, why });
        }
        let error = outcome.error;
        if is_clients {
            let bytes = self.broker.prefix.length();
            let throttle_ms = u32::try_from(outcome.throttle_ms).unwrap_or_default();
            sink(Event::Exchange(Exchange {
                key,
                version,
                asked: asked_at,
                answered: at,
                request_bytes,
                bytes,
                error,
                throttle_ms,
                waited,
                is_empty,
            }));
        }
        if let Some(messages) = &mut self.messages {
            let contents = messages.response(&mut self.memory);
            if is_clients {
                let took = Some(Nanos(at.0.saturating_sub(asked_at.0)));
                let (side, exchange, bytes) = (Side::Broker, number, self.broker.prefix.length());
                let (is_answered, contents) = (false, contents.as_ref());
                sink(Event::Message(Message { side, exchange, opening, bytes, is_answered, error, took, contents }));
            }
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
}
