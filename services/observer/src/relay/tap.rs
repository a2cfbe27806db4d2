//! What is understood of the bytes that were passed on; whatever happens here, they go on.

use std::cell::RefMut;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use kwitness_wire::aggregate::{Client, Identity, Recorder};
use kwitness_wire::{Broken, Connection, Event, Limits, Nanos, Opaque, Side};
use tokio::time::Instant;

use super::End;
use crate::clock::now_ms;
use crate::control::Control;
use crate::counters::{Counters, OpaqueReason, Software, State};
use crate::log::log;
use crate::recording;

/// Follows one connection and counts it among the others of its thread.
#[derive(Debug)]
pub(crate) struct Tap {
    counters: Arc<Counters>,
    source: IpAddr,
    /// None where nothing is understood any more, or nothing is to be.
    connection: Option<Connection>,
    state: State,
    /// What times are counted from.
    epoch: Instant,
    recorded: Option<Recorded>,
    software: Option<Software>,
}

/// A connection as its thread's recorder knows it.
#[derive(Debug)]
struct Recorded {
    recorder: recording::Shared,
    client: Client,
}

impl Tap {
    pub(crate) fn new(counters: Arc<Counters>, source: IpAddr, epoch: Instant, limits: Limits) -> Self {
        counters.enter(State::Sniff);
        Self {
            counters,
            source,
            connection: Some(Connection::new(limits)),
            state: State::Sniff,
            epoch,
            recorded: None,
            software: None,
        }
    }

    /// Record the connection under this number, unless nothing is to be observed.
    pub(crate) fn record(
        &mut self,
        recorder: &recording::Shared,
        number: u64,
        identity: Identity,
        protocol: &'static str,
    ) {
        if self.connection.is_some() {
            let client = recorder.borrow_mut().open(number, identity, protocol, now_ms());
            self.recorded = Some(Recorded { recorder: Rc::clone(recorder), client });
            self.name_software(unknown());
        }
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

    /// A connection that is suspended is not observed again: what it asked meanwhile is not known.
    pub(crate) fn obey(&mut self, control: Control) {
        if control.is_suspended && self.connection.take().is_some() {
            self.turn_to(State::RelayOnly);
        }
    }

    /// Whether nothing of it can be understood.
    pub(crate) const fn is_opaque(&self) -> bool {
        matches!(self.state, State::Opaque(_))
    }

    /// Take bytes that were passed on.
    pub(crate) fn see(&mut self, side: Side, bytes: &[u8], at: Instant) {
        self.counters.passed(side, bytes.len());
        let Some(connection) = &mut self.connection else { return };
        let nanos = u64::try_from(at.saturating_duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        let recorded = self.recorded.as_mut().map(|recorded| (recorded.recorder.borrow_mut(), &mut recorded.client));
        let mut seen = Seen {
            counters: &self.counters,
            now_ms: now_ms(),
            recorded,
            has_request: false,
            opaque: None,
            software: None,
        };
        let fed = catch_unwind(AssertUnwindSafe(|| {
            connection.feed(side, bytes, Nanos(nanos), &mut |event| seen.event(&event));
        }));
        let (has_request, opaque, software) = (seen.has_request, seen.opaque, seen.software.take());
        drop(seen);
        if let Some(software) = software {
            self.name_software(software);
        }
        let opaque = if fed.is_err() { Some(OpaqueReason::Panic) } else { opaque.map(OpaqueReason::Wire) };
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
            log!(
                Warning,
                "A connection was closed because addresses could not be kept back",
                source = source,
                reason = reason
            );
        }
    }

    fn turn_to(&mut self, state: State) {
        self.counters.leave(self.state);
        self.counters.enter(state);
        self.state = state;
    }

    fn warn(&self, reason: OpaqueReason) {
        if self.counters.may_log(self.source, "opaque") {
            let source = self.source.to_string();
            log!(Warning, "A connection is passed on unread", source = source, reason = reason.name());
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.counters.leave(self.state);
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
    opaque: Option<Opaque>,
    software: Option<Software>,
}

/// Of clients that have not said what they are.
fn unknown() -> Software {
    ("unknown".into(), "unknown".into())
}

impl Seen<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if let Some((recorder, client)) = &mut self.recorded {
            recorder.record(client, event, self.now_ms);
        }
        match event {
            Event::Software(software) => self.software = Some((software.name.into(), software.version.into())),
            Event::Request(_) => self.has_request = true,
            Event::Unread { why, .. } => self.counters.unread(*why),
            Event::Opaque(reason) => self.opaque = Some(*reason),
            _ => {}
        }
    }
}
