//! What is understood of the bytes that were passed on; whatever happens here, they go on.

mod resuming;
mod warnings;

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{Connection, Limits, Nanos, Opaque, SharedWishes, Side};
use kwitness_recording::{Client, Security, Unfollowed};
use tokio::time::Instant;

use crate::client_information::Informed;
use crate::clock::Clock;
use crate::control::Control;
use crate::counters::{Counters, Software};
use crate::end::End;
use crate::headers::Copies;
use crate::open_connections::Open;
use crate::recording;
use crate::relay::copying::Copying;
use crate::relay::resumption::{Pauses, Skipped};
use crate::relay::seen::Seen;
use crate::state::State;

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
    clock: Clock,
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
    reads_nothing: bool,
    pauses: Pauses,
    /// None once the frames that had begun when it was read again are over.
    skipped: Option<Skipped>,
    /// Since it is not recorded from its beginning.
    unrecorded: Option<Unrecorded>,
}

/// A connection that was opened while nothing is to be observed.
#[derive(Debug)]
struct Unrecorded {
    recorder: recording::Shared,
    opened_at_ms: u64,
}

/// A connection as its thread's recorder knows it.
#[derive(Debug)]
struct Recorded {
    recorder: recording::Shared,
    client: Client,
}

/// A connection as whoever asks for open ones sees it.
#[derive(Debug)]
struct Listed {
    number: u64,
    identity: Arc<Identity>,
    security: Security,
}

impl Tap {
    pub(crate) fn new(counters: Arc<Counters>, source: IpAddr, epoch: Instant, clock: Clock, limits: Limits) -> Self {
        counters.enter(State::Sniff);
        Self {
            counters,
            source,
            limits,
            connection: Some(Connection::new(limits)),
            state: State::Sniff,
            epoch,
            clock,
            recorded: None,
            listed: None,
            wishes: None,
            copying: None,
            software: None,
            informed: Informed::default(),
            keeps_names: false,
            is_introduced: false,
            reads_nothing: false,
            pauses: Pauses::default(),
            skipped: None,
            unrecorded: None,
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
        let opened_at_ms = self.clock.now_ms();
        let security = Security { is_encrypted, is_sasl: false, is_missed: false };
        let identity = if self.connection.is_some() {
            let client = recorder.borrow_mut().open(number, identity, is_encrypted, opened_at_ms);
            let known = Arc::clone(client.identity());
            self.recorded = Some(Recorded { recorder: Rc::clone(recorder), client });
            self.name_software(unknown());
            known
        } else {
            self.unrecorded = Some(Unrecorded { recorder: Rc::clone(recorder), opened_at_ms });
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
            recorder.borrow_mut().close(client, end.into(), self.clock.now_ms());
        }
    }

    fn name_software(&mut self, software: Software) {
        self.counters.software(&software, true);
        if let Some(before) = self.software.replace(software) {
            self.counters.software(&before, false);
        }
    }

    /// Read nothing, or let it be read again.
    pub(crate) fn obey(&mut self, control: Control) {
        if control.reads_nothing() && self.connection.take().is_some() {
            self.skipped = None;
            self.turn_to(State::RelayOnly);
        }
        self.reads_nothing = control.reads_nothing();
    }

    /// The bytes of what is remembered of requests until they are answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.connection.as_ref().map_or(0, Connection::waiting_bytes)
    }

    /// The bytes of what is remembered beyond that.
    pub(crate) fn lasting_bytes(&self) -> usize {
        let of_client = self.recorded.as_ref().map_or(0, |recorded| recorded.client.lasting_bytes());
        self.connection.as_ref().map_or(0, Connection::lasting_bytes).saturating_add(of_client)
    }

    /// Read nothing more, and remember nothing: there is no memory for it.
    pub(crate) fn give_up(&mut self) {
        if self.connection.is_none() {
            return;
        }
        let reason = Unfollowed::Opaque(Opaque::InFlight);
        if let Some(Recorded { recorder, client }) = &mut self.recorded {
            recorder.borrow_mut().give_up(client, reason);
        }
        self.end_as(reason);
    }

    fn end_as(&mut self, reason: Unfollowed) {
        self.connection = None;
        self.skipped = None;
        self.pauses.begin(reason, Instant::now());
        self.turn_to(State::Opaque(reason));
        self.warn(reason);
    }

    /// Whether nothing of it can be understood.
    pub(crate) const fn is_opaque(&self) -> bool {
        matches!(self.state, State::Opaque(_))
    }

    /// Take bytes that were passed on.
    pub(crate) fn see(&mut self, side: Side, bytes: &[u8], at: Instant) {
        self.counters.passed(side, bytes.len());
        let bytes = match &mut self.skipped {
            None => bytes,
            Some(skipped) => {
                let rest = skipped.cut(side, bytes);
                if skipped.is_over() {
                    self.skipped = None;
                }
                rest
            }
        };
        let nanos = u64::try_from(at.saturating_duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        self.follow(|connection, seen| connection.feed(side, bytes, Nanos(nanos), &mut |event| seen.event(&event)));
    }

    /// How many bytes come next of `side` that are not read.
    pub(crate) fn unread_bytes(&self, side: Side) -> usize {
        match &self.connection {
            _ if self.skipped.is_some() => 0,
            None => usize::MAX,
            Some(connection) => connection.unread_bytes(side),
        }
    }

    /// So many bytes of `side` have passed, no more than are unread.
    pub(crate) fn pass_unread(&mut self, side: Side, bytes: usize) {
        self.counters.passed(side, bytes);
        if let Some(connection) = &mut self.connection {
            connection.pass_unread(side, bytes);
        }
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
            now_ms: self.clock.now_ms(),
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
            self.end_as(reason);
        } else if has_request && self.state == State::Sniff {
            self.turn_to(State::Observed);
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

/// Of clients that have not said what they are.
fn unknown() -> Software {
    ("unknown".into(), "unknown".into())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use kwitness_recording::{Happened, Recorder, Settings, TopicNames};

    use super::*;
    use crate::counters::Total;

    #[test]
    fn an_error_of_ours_while_reading_makes_one_connection_opaque_and_is_counted_and_told() {
        let counters = Arc::new(Counters::new(Arc::new(Mutex::default())));
        let recorder = Recorder::new(Settings::of_at_most(10), Arc::new(TopicNames::new(10)), 0);
        let recorder: recording::Shared = Rc::new(recorder.into());
        let tap = || {
            Tap::new(
                Arc::clone(&counters),
                Ipv4Addr::LOCALHOST.into(),
                Instant::now(),
                Clock::System,
                Limits::default(),
            )
        };
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
