//! What is understood of the bytes that were passed on; whatever happens here, they go on.

use std::cell::RefMut;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use kwitness_wire::aggregate::{Client, Identity, Recorder, Security, Unfollowed};
use kwitness_wire::samples::{LeftOut, Sample, Sampling};
use kwitness_wire::schema::Api;
use kwitness_wire::{Broken, Connection, Event, Limits, Nanos, Opaque, SharedWishes, Side};
use tokio::time::Instant;

use super::End;
use crate::client_information::{Information, Informed};
use crate::clock::now_ms;
use crate::control::Control;
use crate::counters::{Counters, Software, State};
use crate::headers::Copies;
use crate::log::log;
use crate::open_connections::Open;
use crate::recording;
use crate::tls::{CERTIFICATE_REQUIRED, wants_certificate};
use crate::unserved::Unserved;

/// Follows one connection and counts it among the others of its thread.
#[derive(Debug)]
pub(crate) struct Tap {
    counters: Arc<Counters>,
    source: IpAddr,
    limits: Limits,
    /// None where nothing is understood any more, or nothing is to be.
    connection: Option<Connection>,
    state: State,
    /// What times are counted from.
    epoch: Instant,
    recorded: Option<Recorded>,
    listed: Option<Listed>,
    /// What the connection tells of each message.
    wishes: Option<SharedWishes>,
    copying: Option<Copying>,
    software: Option<Software>,
    informed: Informed,
    /// Clients see the brokers' own names.
    keeps_names: bool,
    /// The client asked for something beside who it talks to and may be.
    is_introduced: bool,
    is_to_resume: bool,
}

/// A connection as its thread's recorder knows it.
#[derive(Debug)]
struct Recorded {
    recorder: recording::Shared,
    client: Client,
}

/// Batches of a connection that are looked into.
#[derive(Debug)]
struct Copying {
    copies: Copies,
    thread: usize,
    /// One in so many is; `None` where none is.
    every: Option<NonZeroU32>,
    /// Those that came before it was known who the client is.
    waiting: Vec<Sample>,
}

/// So many batches wait until it is known who the client is.
const MOST_WAITING: usize = 4;

impl Copying {
    /// Copy the batches that are wanted now.
    fn follow(&mut self, connection: &mut Connection, wanted: Option<&Sampling>, number: u64) {
        let every = wanted.map(|wanted| wanted.every);
        if self.every != every {
            self.every = every;
            connection.sample(wanted.cloned(), number);
        }
    }

    /// Have those looked into that were copied.
    fn hand_on(&mut self, connection: &mut Connection, client: &Client) {
        if self.every.is_none() {
            return;
        }
        for sample in connection.samples() {
            if self.waiting.len() < MOST_WAITING || client.is_known() {
                self.waiting.push(sample);
            } else {
                self.copies.gate().leave_out(LeftOut::QueueFull);
            }
        }
        if client.is_known() {
            self.waiting.drain(..).for_each(|sample| self.copies.put(self.thread, client.identity(), sample));
        }
    }
}

/// A connection as whoever asks for open ones sees it.
#[derive(Debug)]
struct Listed {
    number: u64,
    identity: Arc<Identity>,
    security: Security,
}

impl Tap {
    pub(crate) fn new(counters: Arc<Counters>, source: IpAddr, epoch: Instant, limits: Limits) -> Self {
        counters.enter(State::Sniff);
        Self {
            counters,
            source,
            limits,
            connection: Some(Connection::new(limits)),
            state: State::Sniff,
            epoch,
            recorded: None,
            listed: None,
            wishes: None,
            copying: None,
            software: None,
            informed: Informed::default(),
            keeps_names: false,
            is_introduced: false,
            is_to_resume: false,
        }
    }

    /// Of a client that sees the brokers' own names, so that it may sign them.
    pub(crate) const fn keeping_names(mut self) -> Self {
        self.keeps_names = true;
        self
    }

    /// Of which batches are looked into as settings say, and put among those of its thread.
    pub(crate) fn copying(mut self, copies: Copies, thread: usize) -> Self {
        self.copying = Some(Copying { copies, thread, every: None, waiting: Vec::new() });
        self
    }

    /// List the connection under this number, and record it unless nothing is to be observed.
    pub(crate) fn record(&mut self, recorder: &recording::Shared, number: u64, identity: Identity, is_encrypted: bool) {
        let opened_at_ms = now_ms();
        let security = Security { is_encrypted, is_sasl: false };
        let identity = if self.connection.is_some() {
            let client = recorder.borrow_mut().open(number, identity, is_encrypted, opened_at_ms);
            let known = Arc::clone(client.identity());
            self.recorded = Some(Recorded { recorder: Rc::clone(recorder), client });
            self.name_software(unknown());
            known
        } else {
            Arc::new(identity)
        };
        let open = Open { identity: Arc::clone(&identity), security, opened_at_ms, state: self.state };
        self.counters.connections.add(number, open);
        self.listed = Some(Listed { number, identity, security });
    }

    /// Have it listed with what is known of its client now.
    fn list_again(&mut self) {
        let (Some(listed), Some(Recorded { client, .. })) = (&mut self.listed, &self.recorded) else { return };
        // What is listed is never changed in its place, so another identity is one that has grown.
        if !Arc::ptr_eq(&listed.identity, client.identity()) || listed.security != client.security() {
            (listed.identity, listed.security) = (Arc::clone(client.identity()), client.security());
            let (identity, security) = (Arc::clone(&listed.identity), listed.security);
            self.counters.connections.change(listed.number, |open| {
                (open.identity, open.security) = (identity, security);
            });
        }
    }

    /// What is known of the client.
    pub(crate) fn identity(&self) -> Arc<Identity> {
        let recorded = self.recorded.as_ref().map(|recorded| recorded.client.identity());
        recorded.or_else(|| self.listed.as_ref().map(|listed| &listed.identity)).cloned().unwrap_or_default()
    }

    /// The connection has ended.
    pub(crate) fn close(&mut self, end: End) {
        if let Some(Recorded { recorder, client }) = self.recorded.take() {
            recorder.borrow_mut().close(client, end.into(), now_ms());
        }
    }

    fn name_software(&mut self, software: Software) {
        self.counters.software(&software, true);
        if let Some(before) = self.software.replace(software) {
            self.counters.software(&before, false);
        }
    }

    /// Read nothing, or read again. A connection is read again once it is at rest, if its client had said who it is
    /// before: that is not said again.
    pub(crate) fn obey(&mut self, control: Control) {
        if control.reads_nothing() && self.connection.take().is_some() {
            self.turn_to(State::RelayOnly);
        }
        self.is_to_resume = !control.reads_nothing() && self.state == State::RelayOnly && self.is_introduced;
    }

    /// Whether it is to be read again from the next time on when it is between frames and nothing waits for an answer.
    pub(crate) const fn waits_for_rest(&self) -> bool {
        self.is_to_resume
    }

    /// Read it again.
    pub(crate) fn resume(&mut self) {
        self.is_to_resume = false;
        self.connection = Some(Connection::new(self.limits));
        self.wishes = None;
        if let Some(copying) = &mut self.copying {
            copying.every = None;
        }
        self.turn_to(State::Sniff);
    }

    /// Whether nothing of it can be understood.
    pub(crate) const fn is_opaque(&self) -> bool {
        matches!(self.state, State::Opaque(_))
    }

    /// Take bytes that were passed on.
    pub(crate) fn see(&mut self, side: Side, bytes: &[u8], at: Instant) {
        self.counters.passed(side, bytes.len());
        let nanos = u64::try_from(at.saturating_duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        self.follow(|connection, seen| connection.feed(side, bytes, Nanos(nanos), &mut |event| seen.event(&event)));
    }

    fn follow(&mut self, read: impl FnOnce(&mut Connection, &mut Seen<'_>)) {
        let Some(connection) = &mut self.connection else { return };
        let recorded = self.recorded.as_mut().map(|recorded| (recorded.recorder.borrow_mut(), &mut recorded.client));
        let wishes = recorded.as_ref().and_then(|(recorder, _)| recorder.wishes());
        if self.wishes.as_ref() != wishes {
            self.wishes = wishes.cloned();
            connection.tell_messages(self.wishes.clone());
        }
        let number = self.listed.as_ref().map_or(0, |listed| listed.number);
        if let Some((copying, (recorder, _))) = self.copying.as_mut().zip(recorded.as_ref()) {
            copying.follow(connection, recorder.sampling(), number);
        }
        let mut seen = Seen {
            counters: &self.counters,
            now_ms: now_ms(),
            recorded,
            has_request: false,
            is_introduced: self.is_introduced,
            opaque: None,
            software: None,
            unserved: None,
            informed: &mut self.informed,
            is_refused: false,
        };
        let followed = catch_unwind(AssertUnwindSafe(|| read(connection, &mut seen)));
        if followed.is_err() {
            seen.give_up();
        }
        let (has_request, opaque, software) = (seen.has_request, seen.opaque, seen.software.take());
        self.is_introduced = seen.is_introduced;
        if let Some((copying, (_, client))) = self.copying.as_mut().zip(seen.recorded.as_ref()) {
            copying.hand_on(connection, client);
        }
        let (unserved, is_refused) = (seen.unserved, seen.is_refused);
        drop(seen);
        self.list_again();
        if is_refused {
            self.warn_of_software();
        }
        if let Some(unserved) = unserved
            && !self.keeps_names
        {
            self.warn_of_mechanism(unserved);
        }
        if let Some(software) = software {
            self.name_software(software);
        }
        let opaque = if followed.is_err() { Some(Unfollowed::Panic) } else { opaque.map(Unfollowed::Opaque) };
        if let Some(reason) = opaque {
            self.connection = None;
            self.turn_to(State::Opaque(reason));
            self.warn(reason);
        } else if has_request && self.state == State::Sniff {
            self.turn_to(State::Observed);
        }
    }

    /// Say why this connection is closed.
    pub(crate) fn warn_of(&self, broken: &Broken) {
        if self.counters.may_log(self.source, "rewriting") {
            let (source, reason) = (self.source.to_string(), broken.to_string());
            let message = match broken {
                Broken::Request { .. } => "A connection was closed because a request of its client cannot be read",
                _ => "A connection was closed because addresses could not be kept back",
            };
            log!(Warning, message, source = source, reason = reason);
        }
    }

    fn warn_of_mechanism(&self, unserved: Unserved) {
        self.counters.unserved(unserved);
        if self.counters.may_log(self.source, "unserved") {
            let (source, mechanism) = (self.source.to_string(), unserved.name());
            let reason = "the mechanism signs the broker's name, which is another here: use the brokers' own addresses, \
                          or PLAIN, SCRAM or OAUTHBEARER";
            let message = "A client is likely to fail to sign in";
            log!(Warning, message, source = source, mechanism = mechanism, reason = reason);
        }
    }

    fn warn_of_software(&self) {
        if self.counters.may_log(self.source, "software") {
            let source = self.source.to_string();
            let reason = "name and version of its software must match [a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?";
            log!(Warning, "A client is refused by brokers with INVALID_REQUEST", source = source, reason = reason);
        }
    }

    /// Say why a broker ended TLS, where it is one that somebody can do something about.
    pub(crate) fn warn_of_tls(&self, error: &std::io::Error) {
        if wants_certificate(error) {
            self.counters.unserved(Unserved::ClientCertificate);
            if self.counters.may_log(self.source, "unserved") {
                let (source, reason) = (self.source.to_string(), CERTIFICATE_REQUIRED);
                log!(Warning, "A client was closed because the broker ended TLS", source = source, reason = reason);
            }
        }
    }

    fn turn_to(&mut self, state: State) {
        self.counters.leave(self.state);
        self.counters.enter(state);
        self.state = state;
        if let Some(listed) = &self.listed {
            self.counters.connections.change(listed.number, |open| open.state = state);
        }
    }

    fn warn(&self, reason: Unfollowed) {
        if self.counters.may_log(self.source, "opaque") {
            let source = self.source.to_string();
            log!(Warning, "A connection is passed on unread", source = source, reason = reason.name());
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.close(End::Error); // if it is not closed, an error of ours ended it
        self.counters.leave(self.state);
        if let Some(listed) = &self.listed {
            self.counters.connections.remove(listed.number);
        }
        if let Some(software) = &self.software {
            self.counters.software(software, false);
        }
    }
}

struct Seen<'a> {
    counters: &'a Counters,
    now_ms: u64,
    recorded: Option<(RefMut<'a, Recorder>, &'a mut Client)>,
    has_request: bool,
    is_introduced: bool,
    opaque: Option<Opaque>,
    software: Option<Software>,
    unserved: Option<Unserved>,
    informed: &'a mut Informed,
    /// A broker refuses what the client calls its software.
    is_refused: bool,
}

/// Of clients that have not said what they are.
fn unknown() -> Software {
    ("unknown".into(), "unknown".into())
}

/// Whether clients ask for this before they have said who they are.
const fn is_introduction(key: i16) -> bool {
    matches!(key, Api::API_VERSIONS | Api::SASL_HANDSHAKE | Api::SASL_AUTHENTICATE)
}

impl Seen<'_> {
    /// Reading it ended by an error of ours.
    fn give_up(&mut self) {
        if let Some((recorder, client)) = &mut self.recorded {
            recorder.give_up(client, Unfollowed::Panic);
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        if let Some((recorder, client)) = &mut self.recorded {
            recorder.record(client, event, self.now_ms);
        }
        if let Some(information) = self.informed.by(event) {
            self.counters.informed(information);
            self.is_refused |= information == Information::Invalid;
        }
        match event {
            Event::Software(software) => self.software = Some((software.name.into(), software.version.into())),
            Event::Request(request) => {
                self.has_request = true;
                self.is_introduced |= !is_introduction(request.key);
            }
            Event::Mechanism(mechanism) => self.unserved = Unserved::of(*mechanism),
            Event::Unread { why, .. } => self.counters.unread(*why),
            Event::Opaque(reason) => self.opaque = Some(*reason),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use kwitness_wire::aggregate::{Happened, Settings, TopicNames};

    use super::*;
    use crate::counters::Total;

    #[test]
    fn an_error_of_ours_while_reading_makes_one_connection_opaque_and_is_counted_and_told() {
        let counters = Arc::new(Counters::new(Arc::new(Mutex::default())));
        let recorder = Recorder::new(Settings::of_at_most(10), Arc::new(TopicNames::new(10)), 0);
        let recorder: recording::Shared = Rc::new(recorder.into());
        let tap = || Tap::new(Arc::clone(&counters), Ipv4Addr::LOCALHOST.into(), Instant::now(), Limits::default());
        let (mut tap, mut other) = (tap(), tap());
        tap.record(&recorder, 1, Identity::default(), false);
        other.record(&recorder, 2, Identity::default(), false);

        tap.follow(|_, _| panic!("a parser's"));
        let list_groups = [0, 0, 0, 11, 0, 16, 0, 0, 0, 0, 0, 1, 0, 1, b't'];
        tap.see(Side::Client, &list_groups, Instant::now());
        other.see(Side::Client, &list_groups, Instant::now());

        assert!(tap.is_opaque() && !other.is_opaque());
        let mut total = Total::default();
        counters.add_to(&mut total);
        let rare = total.rare;
        let panic = State::Opaque(Unfollowed::Panic);
        assert_eq!((rare.open[&panic], rare.open[&State::Observed], rare.open[&State::Sniff]), (1, 1, 0));
        assert_eq!(rare.opaque[&Unfollowed::Panic], 1);
        tap.close(End::Client);
        let window = recorder.borrow_mut().swap(0);
        let told: Vec<_> = window.connections.iter().map(|event| (event.connection, event.opaque)).collect();
        assert_eq!(told, [(1, Some(Unfollowed::Panic)); 2]);
        assert!(matches!(window.connections[1].kind, Happened::Closed { .. }));
    }
}
