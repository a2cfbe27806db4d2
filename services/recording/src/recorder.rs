//! Adds up what connections tell, window by window.

use std::mem;
use std::sync::Arc;

use kwitness_observation::{Change, Identity, IdentityKey, instance_id};
use kwitness_protocol::samples::Sampling;
use kwitness_protocol::schema::Api;
use kwitness_protocol::{
    Authenticated, Commit, Event, Exchange, IdentityField, Message, PartitionExchange, PrincipalSource, Request,
    SharedWishes, Side, Topic, TransactionEnd, is_sasl,
};

use super::client::{Client, InTopic, Named, Places};
use super::commits::PendingOffset;
use super::identities::key_of;
use super::lag::Positions;
use super::life::{ConnectionEvent, End, Happened, Security, Unfollowed};
use super::requests::{Exchanges, RequestBudget, RequestEvent};
use super::settings::Settings;
use super::tally::grow;
use super::topics::TopicNames;
use super::window::{ApiKey, PartitionKey, TopicKey, WINDOW_FULL, Window};

const JOIN_GROUP: i16 = 11;
const SYNC_GROUP: i16 = 14;
const END_TXN: i16 = 26;
/// Why a request or response is not told: the process tells as many in a second as it may.
const EVENTS_LIMIT: &str = "events_limit";
/// Whom a broker takes a client for that does not authenticate.
const ANONYMOUS: &[u8] = b"User:ANONYMOUS";
/// Identities of a connection in a window; with more, it would take places of other clients.
const MOST_IDENTITIES: u8 = 8;
const NANOSECONDS_IN_MICROSECOND: u64 = 1_000;

/// Adds up what connections tell. A process may have several, each with its own connections.
#[derive(Debug)]
pub struct Recorder {
    settings: Settings,
    names: Arc<TopicNames>,
    window: Window,
    /// Of the window; none is 0.
    number: u64,
}

impl Recorder {
    /// A recorder whose first window is the one of `now_ms`. All recorders of a process and cluster share `names`.
    #[must_use]
    pub fn new(settings: Settings, names: Arc<TopicNames>, now_ms: u64) -> Self {
        let window = Window::new(&settings, aligned(&settings, now_ms));
        Self { settings, names, window, number: 1 }
    }

    /// Take other settings. Limits and the length of windows hold from the next window on, the rest at once; but what is
    /// known already of a client is dropped or hashed with the next window.
    pub fn set(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// When the window ends, in milliseconds since 1970.
    #[must_use]
    pub const fn ends_ms(&self) -> u64 {
        self.window.end_ms
    }

    /// End the window, and begin the one of `now_ms`. What it takes does not depend on how much is in it.
    pub fn swap(&mut self, now_ms: u64) -> Window {
        let start_ms = aligned(&self.settings, now_ms).max(self.window.start_ms);
        self.number = self.number.saturating_add(1);
        mem::replace(&mut self.window, Window::new(&self.settings, start_ms))
    }

    /// A connection was accepted; `connection` is a number that no other of this process has or had.
    ///
    /// Its opening is told when the broker has answered more than which versions it knows, so that it is known by then
    /// who the client is and whether it authenticates by SASL, or when it becomes opaque or ends.
    #[must_use]
    pub fn open(&mut self, connection: u64, identity: Identity, is_encrypted: bool, opened_at_ms: u64) -> Client {
        let mut identity = Arc::new(identity);
        self.settings.identity.apply(&mut identity);
        Client {
            connection,
            opened_at_ms,
            security: Security { is_encrypted, is_sasl: false, is_missed: false },
            is_anonymous: false,
            identity,
            is_told: false,
            last_error: None,
            opaque: None,
            places: Places::default(),
            exchanges: Exchanges::default(),
            positions: Positions::default(),
            fetch_answered: None,
        }
    }

    /// What is to be told of each message, where that is wanted.
    #[must_use]
    pub fn wishes(&self) -> Option<&SharedWishes> {
        self.settings.requests.as_ref().map(|requests| &requests.wishes)
    }

    /// Which batches are to be looked into, where that is wanted.
    #[must_use]
    pub const fn sampling(&self) -> Option<&Sampling> {
        self.settings.headers.as_ref()
    }

    /// Count what a connection tells. It belongs to the window that is open, and what is told of the connection itself
    /// happened at `now_ms`, in milliseconds since 1970.
    pub fn record(&mut self, client: &mut Client, event: &Event<'_>, now_ms: u64) {
        match event {
            Event::Request(request) => self.request(client, request),
            Event::Software(software) => {
                self.learn(client, IdentityKey::ClientSoftwareName, software.name.as_bytes());
                self.learn(client, IdentityKey::ClientSoftwareVersion, software.version.as_bytes());
            }
            Event::Mechanism(_) => {}
            Event::Identity { field: IdentityField::ClientInstanceId, value } => {
                if let Some(id) = instance_id(value) {
                    self.learn(client, IdentityKey::ClientInstanceId, id.as_bytes());
                }
            }
            Event::Identity { field, value } => self.learn(client, key_of(*field), value),
            Event::Authenticated(authenticated) => self.authenticated(client, authenticated, now_ms),
            Event::TopicName { id, name } => self.names.tell(*id, name),
            Event::Partition(exchange) => self.partition(client, exchange, now_ms),
            Event::Presence { topic, partitions } => self.presence(client, topic, *partitions, now_ms),
            Event::TransactionEnd(end) => self.transaction_end(client, *end),
            Event::Commit(commit) => self.commit(client, commit),
            Event::End { topic, partition, offset } => self.names.watermarks.keep(topic, *partition, *offset, now_ms),
            Event::Exchange(exchange) => self.exchange(client, exchange),
            Event::Message(message) => self.message(client, message, now_ms),
            Event::Unread { key, version, why } => {
                self.window.unread.add(*why);
                if self.has_api_rows() {
                    let row = self.api(client, *key, *version);
                    self.window.api_tally(row).into_iter().for_each(|tally| tally.unread.add(*why));
                }
            }
            Event::Opaque(opaque) => self.give_up(client, Unfollowed::Opaque(*opaque)),
        }
    }

    /// Nothing of the connection is told any more. A [`Connection`](kwitness_protocol::Connection) says so itself where its bytes are
    /// the reason.
    pub fn give_up(&mut self, client: &mut Client, why: Unfollowed) {
        self.window.opaque.add(why);
        client.opaque = Some(why);
        client.positions = Positions::default();
        self.tell_opened(client);
    }

    /// Its connection is read again, after it was given up or not read from its beginning.
    ///
    /// Parameter `is_missed`: an authentication may have passed unread, so a client that is served is not anonymous.
    pub fn resume(&mut self, client: &mut Client, is_missed: bool) {
        client.opaque = None;
        client.security.is_missed |= is_missed;
        // The response that passed then was not read to its end.
        client.places.answered = Named::None;
        client.places.unanswered = Named::None;
        client.exchanges.forget_waiting();
        client.fetch_answered = None;
    }

    /// A connection ended, at this time in milliseconds since 1970.
    pub fn close(&mut self, mut client: Client, end: End, now_ms: u64) {
        self.tell_opened(&mut client);
        let duration_ms = now_ms.saturating_sub(client.opened_at_ms);
        self.happened(&client, now_ms, Happened::Closed { end, duration_ms, last_error: client.last_error });
    }

    /// A principal that the broker did not believe is nobody's.
    fn authenticated(&mut self, client: &mut Client, authenticated: &Authenticated<'_>, now_ms: u64) {
        client.security.is_sasl = true;
        self.tell_opened(client);
        let Authenticated { mechanism, principal, source, succeeded } = *authenticated;
        if let Some(principal) = principal.filter(|_| succeeded) {
            self.learn(client, IdentityKey::Principal, principal.as_bytes());
        }
        let is_read = principal.is_some() || source == PrincipalSource::Token;
        let source = Some(source).filter(|_| is_read);
        self.happened(client, now_ms, Happened::Authenticated { mechanism, source, succeeded });
    }

    fn tell_opened(&mut self, client: &mut Client) {
        if !mem::replace(&mut client.is_told, true) {
            self.happened(client, client.opened_at_ms, Happened::Opened);
        }
    }

    fn happened(&mut self, client: &Client, occurred_at_ms: u64, kind: Happened) {
        if self.settings.connections {
            let Client { connection, security, is_anonymous, opaque, .. } = *client;
            let mut identity = Arc::clone(&client.identity);
            self.settings.identity.apply(&mut identity);
            let event = ConnectionEvent { connection, occurred_at_ms, identity, security, is_anonymous, opaque, kind };
            self.window.happened(event);
        }
    }

    fn request(&mut self, client: &mut Client, request: &Request<'_>) {
        if let Some(id) = request.client_id {
            self.learn(client, IdentityKey::ClientId, id);
        }
        client.security.is_sasl |= is_sasl(request.key);
        client.places.unanswered = Named::None;
        if self.has_api_rows() {
            let row = self.api(client, request.key, request.version);
            self.window.api_tally(row).into_iter().for_each(|tally| tally.add_request(request));
        }
    }

    /// The broker does what a client asks that has authenticated, or needs not; a Produce that is never answered is
    /// taken for one that it does.
    fn serves(&mut self, client: &mut Client) {
        if client.is_told {
            return;
        }
        if !client.security.is_sasl && !client.security.is_missed {
            client.is_anonymous = true;
            self.learn(client, IdentityKey::Principal, ANONYMOUS);
        }
        self.tell_opened(client);
    }

    fn partition(&mut self, client: &mut Client, exchange: &PartitionExchange<'_>, now_ms: u64) {
        self.serves(client);
        note_error(client, exchange.error);
        if self.settings.headers.is_some() && exchange.error == 0 {
            let (who, topic) = (self.who(client), self.window.topic(&exchange.topic));
            self.window.pass(who, topic, exchange.key == Api::PRODUCE, exchange.content.records);
        }
        if !self.settings.traffic {
            return;
        }
        if let Some(fetched) = exchange.fetched {
            client.positions.keep(&exchange.topic, exchange.partition, fetched, now_ms);
        }
        let who = self.who(client);
        let last = client.places.topic.filter(|last| last.api == exchange.key);
        let last = last.filter(|last| self.window.is_topic(last.topic, &exchange.topic));
        let topic = last.map_or_else(|| self.window.topic(&exchange.topic), |last| last.topic);
        let row = last.map_or_else(|| self.window.by_topic(TopicKey::new(who, topic, exchange.key)), |last| last.row);
        let partition = PartitionKey::new(who, topic, exchange.partition, exchange.key);
        let last = last.filter(|last| last.partition == partition);
        let partition_row = last.map_or_else(|| self.window.partition(partition), |last| last.partition_row);
        let named = if exchange.confirmed { &mut client.places.answered } else { &mut client.places.unanswered };
        if named.add(row)
            && let Some(tally) = self.window.topic_tally(row)
        {
            grow(&mut tally.requests, 1);
        }
        if let Some(tally) = self.window.partition_tally(partition_row) {
            tally.add(exchange);
        }
        client.places.topic = Some(InTopic { api: exchange.key, topic, row, partition, partition_row });
    }

    fn presence(&mut self, client: &mut Client, topic: &Topic<'_>, partitions: u32, now_ms: u64) {
        if self.settings.traffic {
            let who = self.who(client);
            let lag = client.positions.lag(topic, &self.names.watermarks, now_ms);
            let topic = self.window.topic(topic);
            self.window.present(who, topic, partitions, lag);
        }
    }

    fn transaction_end(&mut self, client: &mut Client, end: TransactionEnd) {
        if self.settings.traffic {
            let row = self.api(client, END_TXN, end.version);
            self.window.api_tally(row).into_iter().for_each(|tally| tally.add_end(end));
        }
        let Some(id) = client.identity.get(IdentityKey::TransactionalId) else { return };
        let offsets = self.names.transactions.remove(id);
        offsets.iter().filter(|_| end.committed).for_each(|offset| self.window.confirm(offset, &self.names));
    }

    /// Count an offset of the client's own group: what an administrator sets for a group is no progress of it.
    fn commit(&mut self, client: &mut Client, commit: &Commit<'_>) {
        let who = self.who(client);
        let group = self.settings.identity.value(IdentityKey::GroupId, commit.group);
        let Some(group) = group.filter(|_| self.settings.traffic) else { return };
        let commit = &Commit { group: &group, ..*commit };
        if !commit.is_transactional {
            self.window.compare(who, commit, &self.names);
        }
        if client.identity.get(IdentityKey::GroupId) == Some(commit.group)
            && self.window.commit(who, commit)
            && commit.is_transactional
            && let Some(id) = client.identity.get(IdentityKey::TransactionalId)
        {
            self.names.transactions.add(id, PendingOffset::new(&client.identity, commit));
        }
    }

    fn exchange(&mut self, client: &mut Client, exchange: &Exchange) {
        match exchange.key {
            Api::API_VERSIONS => {}
            key if is_sasl(key) => self.tell_opened(client),
            _ => self.serves(client),
        }
        note_error(client, exchange.error);
        if self.has_api_rows() {
            let nanoseconds = exchange.answered.0.saturating_sub(exchange.asked.0);
            let is_timed = self.settings.latency && !matches!(exchange.key, JOIN_GROUP | SYNC_GROUP);
            let microseconds = is_timed.then_some(nanoseconds / NANOSECONDS_IN_MICROSECOND);
            let row = self.api(client, exchange.key, exchange.version);
            let gap = client.gap(exchange).unwrap_or_default();
            if let Some(tally) = self.window.api_tally(row) {
                tally.add(exchange, microseconds);
                tally.longest_gap_us = tally.longest_gap_us.max(gap / NANOSECONDS_IN_MICROSECOND);
            }
            if let Some(microseconds) = microseconds.filter(|_| !exchange.waited) {
                let row = match client.places.answered {
                    Named::One(row) => row,
                    _ => self.window.by_topic(TopicKey::without_topic(client.places.who, exchange.key)),
                };
                self.window.topic_tally(row).into_iter().for_each(|tally| tally.served.add(microseconds));
            }
        }
        client.places.answered = Named::None;
    }

    /// A response is told if its request was; one that is not is counted with its request.
    fn message(&mut self, client: &mut Client, message: &Message<'_>, now_ms: u64) {
        let Some(settings) = &self.settings.requests else { return };
        let (RequestBudget { budget, most_per_second, most_bytes }, own) = settings.budget_of(message.opening.key);
        let events = if message.is_answered { 2 } else { 1 };
        let has_room = match message.side {
            Side::Client => budget.take(events, *most_per_second, now_ms),
            Side::Broker if client.exchanges.answered(message.exchange) => true,
            Side::Broker => return,
        };
        let mut identity = Arc::clone(&client.identity);
        self.settings.identity.apply(&mut identity);
        let number = client.exchanges.next;
        let event = RequestEvent::new(message, client.connection, number, identity, now_ms);
        let reason = own.unwrap_or(if has_room { WINDOW_FULL } else { EVENTS_LIMIT });
        if has_room && self.window.exchanged(event, *most_bytes) {
            client.exchanges.told(message);
        } else {
            (0..events).for_each(|_| self.window.left_out.add(reason));
        }
    }

    const fn has_api_rows(&self) -> bool {
        self.settings.traffic || self.settings.latency
    }

    fn api(&mut self, client: &mut Client, key: i16, version: i16) -> u32 {
        let key = ApiKey::new(self.who(client), key, version);
        if let Some((_, row)) = client.places.api.filter(|(last, _)| *last == key) {
            return row;
        }
        let row = self.window.api(key);
        client.places.api = Some((key, row));
        row
    }

    fn who(&mut self, client: &mut Client) -> u32 {
        if client.places.window != self.number {
            self.settings.identity.apply(&mut client.identity);
            let who = self.window.place(&client.identity);
            client.places = Places { window: self.number, who, identities: 1, ..Places::default() };
        }
        client.places.who
    }

    fn learn(&mut self, client: &mut Client, key: IdentityKey, value: &[u8]) {
        let change = self.settings.identity.set(&mut client.identity, key, value);
        if change == Change::None || client.places.window != self.number {
            return;
        }
        let Places { who: before, identities, .. } = client.places;
        let who = match change {
            _ if identities == MOST_IDENTITIES => self.window.other(),
            Change::Grown => self.window.grown(before, &client.identity),
            _ => self.window.place(&client.identity),
        };
        if who != before {
            let identities = identities.saturating_add(1).min(MOST_IDENTITIES);
            client.places = Places { window: self.number, who, identities, ..Places::default() };
        }
    }
}

const fn note_error(client: &mut Client, error: i16) {
    if error != 0 {
        client.last_error = Some(error);
    }
}

fn aligned(settings: &Settings, now_ms: u64) -> u64 {
    let into = now_ms.checked_rem(settings.window_ms.get()).unwrap_or_default();
    now_ms.saturating_sub(into)
}
