//! What is understood of the bytes that were passed on; whatever happens here, they go on.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kwitness_wire::{Broken, Connection, Event, Limits, Nanos, Opaque, Side};
use tokio::time::Instant;

use crate::control::Control;
use crate::counters::{Counters, OpaqueReason, State};
use crate::log::log;

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
}

impl Tap {
    pub(crate) fn new(counters: Arc<Counters>, source: IpAddr, epoch: Instant, limits: Limits) -> Self {
        counters.enter(State::Sniff);
        Self { counters, source, connection: Some(Connection::new(limits)), state: State::Sniff, epoch }
    }

    /// A connection that is suspended is not observed again: what it asked meanwhile is not known.
    pub(crate) fn obey(&mut self, control: Control) {
        if control.is_suspended && self.connection.take().is_some() {
            self.turn_to(State::RelayOnly);
        }
    }

    /// Take bytes that were passed on.
    pub(crate) fn see(&mut self, side: Side, bytes: &[u8], at: Instant) {
        self.counters.passed(side, bytes.len());
        let Some(connection) = &mut self.connection else { return };
        let nanos = u64::try_from(at.saturating_duration_since(self.epoch).as_nanos()).unwrap_or(u64::MAX);
        let mut seen = Seen { counters: &self.counters, has_request: false, opaque: None };
        let fed = catch_unwind(AssertUnwindSafe(|| {
            connection.feed(side, bytes, Nanos(nanos), &mut |event| seen.event(&event));
        }));
        let Seen { has_request, opaque, .. } = seen;
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
    }
}

struct Seen<'a> {
    counters: &'a Counters,
    has_request: bool,
    opaque: Option<Opaque>,
}

impl Seen<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Request(_) => self.has_request = true,
            Event::Unread { why, .. } => self.counters.unread(*why),
            Event::Opaque(reason) => self.opaque = Some(*reason),
            _ => {}
        }
    }
}
