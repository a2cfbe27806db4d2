//! The message of one direction that is read as it passes.

use super::fetch::FetchRequest;
use super::fetch_response::FetchResponse;
use super::memory::Memory;
use super::produce::ProduceRequest;
use super::produce_response::ProduceResponse;
use super::share_fetch::{ShareFetchRequest, ShareFetchResponse};
use super::topic_list::TopicList;
use super::units::Units;
use super::wanted::Wanted;
use crate::cold::{Effect, Outcome};
use crate::event::{Event, Nanos};
use crate::reasons::Unread;
use crate::requests::Acks;
use crate::schema::{Api, Layout};

/// What a response says of the whole exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResponseEnd {
    pub(crate) outcome: Outcome,
    pub(crate) waited: bool,
    pub(crate) is_empty: bool,
    /// Whether it is a client's: brokers fetch from one another.
    pub(crate) is_clients: bool,
}

impl ResponseEnd {
    pub(crate) const fn new(outcome: Outcome, is_clients: bool) -> Self {
        Self { outcome, waited: false, is_empty: false, is_clients }
    }

    /// It answers a Fetch or `ShareFetch`.
    const fn fetched(&mut self, outcome: Outcome, has_records: bool, took_long: bool) {
        self.outcome = outcome;
        self.waited = took_long || !has_records;
        self.is_empty = !has_records && outcome.error == 0;
    }
}

#[derive(Debug)]
enum Message {
    ProduceRequest(ProduceRequest),
    ProduceResponse(ProduceResponse),
    FetchRequest(FetchRequest),
    FetchResponse(FetchResponse),
    ShareFetchRequest(ShareFetchRequest),
    ShareFetchResponse(ShareFetchResponse),
    TopicList(TopicList),
}

/// A message that is read as it passes, from its header's end on.
#[derive(Debug)]
pub(crate) struct Reading {
    units: Units,
    message: Option<Message>,
    wanted: Wanted,
    unread: Option<Unread>,
}

/// Nine tenths of the longest wait, in nanoseconds.
const NEARLY_A_MILLISECOND: u64 = 900_000;

impl Reading {
    pub(crate) const fn new() -> Self {
        let wanted = Wanted { parts: 0, max_wait_ms: 0, is_replica: false, effect: Effect::None };
        Self { units: Units::new(), message: None, wanted, unread: None }
    }

    /// Returns true if requests of this API are read as they pass.
    pub(crate) const fn knows_request(key: i16) -> bool {
        matches!(key, Api::PRODUCE | Api::FETCH | Api::SHARE_FETCH)
    }

    /// Returns true if responses of this API are.
    pub(crate) const fn knows_response(key: i16) -> bool {
        Self::knows_request(key) || TopicList::answers(key)
    }

    /// The body of a request begins, of so many bytes, in a version that the tables have.
    pub(crate) fn begin_request(&mut self, key: i16, version: i16, bytes: usize) {
        self.begin(bytes);
        self.message = match key {
            Api::PRODUCE => Some(Message::ProduceRequest(ProduceRequest::new(version))),
            Api::FETCH => Some(Message::FetchRequest(FetchRequest::new(version))),
            Api::SHARE_FETCH => Some(Message::ShareFetchRequest(ShareFetchRequest::default())),
            _ => None,
        };
    }

    /// The body of a response begins, of so many bytes, after the tagged fields of its header.
    pub(crate) fn begin_response(
        &mut self,
        key: i16,
        version: i16,
        layout: &'static Layout,
        wanted: Wanted,
        bytes: usize,
    ) {
        self.begin(bytes);
        self.wanted = wanted;
        self.message = match key {
            Api::PRODUCE => Some(Message::ProduceResponse(ProduceResponse::new(version, wanted.parts))),
            Api::FETCH => Some(Message::FetchResponse(FetchResponse::new(version, wanted.is_replica))),
            Api::SHARE_FETCH => Some(Message::ShareFetchResponse(ShareFetchResponse::new(version))),
            _ if TopicList::answers(key) => Some(Message::TopicList(TopicList::new(layout, version))),
            _ => None,
        };
    }

    fn begin(&mut self, bytes: usize) {
        self.units.begin(bytes);
        self.unread = None;
    }

    /// Take the next bytes of the body.
    pub(crate) fn feed(&mut self, bytes: &[u8], memory: &mut Memory, tell: &mut impl FnMut(Event<'_>)) {
        let is_read = self.unread.is_some() || self.units.are_done();
        let Some(message) = self.message.as_mut().filter(|_| !is_read) else { return };
        let Self { units, .. } = self;
        let fed = match message {
            Message::ProduceRequest(one) => units.feed(bytes, one, memory, tell),
            Message::ProduceResponse(one) => units.feed(bytes, one, memory, tell),
            Message::FetchRequest(one) => units.feed(bytes, one, memory, tell),
            Message::FetchResponse(one) => units.feed(bytes, one, memory, tell),
            Message::ShareFetchRequest(one) => units.feed(bytes, one, memory, tell),
            Message::ShareFetchResponse(one) => units.feed(bytes, one, memory, tell),
            Message::TopicList(one) => units.feed(bytes, one, memory, tell),
        };
        self.unread = fed.err();
    }

    /// How many bytes of the body come next that are not read, of so many.
    pub(crate) fn unread_bytes(&self, inner: usize) -> usize {
        let is_over = self.message.is_none() || self.unread.is_some() || self.units.are_done();
        if is_over { inner } else { self.units.unread_bytes().min(inner) }
    }

    /// Have so many bytes of the body pass, no more than are unread.
    pub(crate) const fn pass(&mut self, bytes: usize) {
        self.units.pass(bytes);
    }

    /// Why the message is not, or not wholly, understood.
    pub(crate) const fn unread(&self) -> Option<Unread> {
        self.unread
    }
}

/// What a complete request says of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestEnd {
    pub(crate) acks: Acks,
    pub(crate) wanted: Wanted,
}

impl Reading {
    /// The acks of a Produce, once they were read, and whether its producer is idempotent.
    pub(crate) const fn produced(&self) -> (Option<i16>, bool) {
        match &self.message {
            Some(Message::ProduceRequest(request)) => (request.acks, request.is_idempotent),
            _ => (None, false),
        }
    }

    /// The request is complete; of a Produce that nobody answers tell what was sent.
    pub(crate) fn end_request(&mut self, memory: &mut Memory, tell: &mut impl FnMut(Event<'_>)) -> RequestEnd {
        self.feed(&[], memory, tell);
        let mut wanted = Wanted::default();
        let mut acks = Acks::Answered;
        match &self.message {
            Some(Message::ProduceRequest(request)) => {
                acks = match request.acks {
                    None => Acks::Unknown,
                    Some(0) => Acks::Never,
                    Some(_) => Acks::Answered,
                };
                if self.unread.is_none() && acks == Acks::Answered {
                    wanted.parts = request.parts;
                } else {
                    let is_told = self.unread.is_none();
                    request.take_back(memory, &mut |event| {
                        if is_told {
                            tell(event);
                        }
                    });
                }
            }
            Some(Message::FetchRequest(request)) => {
                (wanted.max_wait_ms, wanted.is_replica) = (request.max_wait_ms, request.is_replica);
                if request.is_replica {
                    memory.session.clear();
                }
            }
            Some(Message::ShareFetchRequest(request)) => wanted.max_wait_ms = request.max_wait_ms,
            _ => {}
        }
        RequestEnd { acks, wanted }
    }

    /// The response is complete.
    pub(crate) fn end_response(
        &mut self,
        asked: Nanos,
        at: Nanos,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> ResponseEnd {
        self.feed(&[], memory, tell);
        let wanted = std::mem::take(&mut self.wanted);
        let mut end = ResponseEnd::new(Outcome::default(), !wanted.is_replica);
        let nearly_all = u64::try_from(wanted.max_wait_ms).unwrap_or_default().saturating_mul(NEARLY_A_MILLISECOND);
        let took_long = at.0.saturating_sub(asked.0) >= nearly_all;
        match &self.message {
            Some(Message::ProduceResponse(response)) => {
                memory.parts.release(wanted.parts);
                end.outcome = response.outcome;
            }
            Some(Message::FetchResponse(response)) => {
                end.fetched(response.outcome, response.has_records, took_long);
                if end.is_clients && self.unread.is_none() {
                    for (topic, partitions) in memory.session.presence(at) {
                        let Some(topic) = memory.topics.topic(topic) else { continue };
                        tell(Event::Presence { topic, partitions });
                    }
                }
                if response.lacks_aborted {
                    self.unread.get_or_insert(Unread::TooMany);
                }
            }
            Some(Message::ShareFetchResponse(response)) => {
                end.fetched(response.outcome, response.has_records, took_long);
                if response.lacks_gaps {
                    self.unread.get_or_insert(Unread::TooMany);
                }
            }
            Some(Message::TopicList(response)) => end.outcome = response.outcome,
            _ => {}
        }
        end
    }
}
