//! Passes the bytes of one connection on, both ways, until it ends.

mod flow;
mod frames;
mod rewriting;
mod stream;
mod tap;

use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use kwitness_wire::{Side, aggregate};
use tokio::sync::watch;
use tokio::time::Instant;

pub(crate) use flow::Watch;
use flow::{Broken, Cause, Flow};
pub(crate) use rewriting::Rewriting;
pub(crate) use stream::{Stream, set_options};
pub(crate) use tap::Tap;

use crate::brokers_seen::BrokersSeen;
use crate::control::{Control, later};

/// How long a client may stop within a request, or a peer may stay after the other one has ended.
const STALLED_AFTER: Duration = Duration::from_secs(30);

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client closed it.
    Client,
    /// The broker closed it.
    Broker,
    /// There was no way to a broker, or TLS failed.
    Error,
    /// A request did not come, or not wholly.
    Deadline,
    /// The observer ends.
    Drained,
    /// There were as many connections as are allowed.
    Limit,
    /// It was redirected here, and nobody knows from where, or it was meant for the observer itself.
    Loop,
}

impl End {
    pub(crate) const ALL: [Self; 7] =
        [Self::Client, Self::Broker, Self::Error, Self::Deadline, Self::Drained, Self::Limit, Self::Loop];

    /// As records and metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Broker => "broker",
            Self::Error => "error",
            Self::Deadline => "deadline",
            Self::Drained => "drained",
            Self::Limit => "limit",
            Self::Loop => "loop",
        }
    }
}

impl From<End> for aggregate::End {
    fn from(end: End) -> Self {
        match end {
            End::Client => Self::Client,
            End::Broker => Self::Broker,
            // The last one is told of no connection that was relayed.
            End::Error | End::Loop => Self::Error,
            End::Deadline => Self::Deadline,
            End::Drained => Self::Drained,
            End::Limit => Self::Limit,
        }
    }
}

/// Both directions of one connection.
struct Relay<'a> {
    client: Stream,
    broker: Stream,
    requests: Flow,
    responses: Flow,
    watch: &'a mut Watch,
    control: Control,
    /// The side that ended first.
    ended_first: Option<End>,
    first_request_by: Option<Instant>,
    makeshift: Option<Makeshift>,
}

/// A connection to some broker in place of one whose address is not known yet.
///
/// The client learns there where to go, as a client does whose metadata is old. Once the address is known this
/// connection is closed, and the client's next one goes to the right broker.
#[derive(Debug)]
pub(crate) struct Makeshift {
    pub(crate) node: i32,
    pub(crate) seen: Arc<BrokersSeen>,
}

/// Pass everything on until one side is gone, a deadline has passed, or the observer ends.
///
/// Parameter `first_request_by`: `None` where connections are redirected: no request of theirs has a deadline.
pub(crate) async fn relay(
    client: Stream,
    broker: Stream,
    watch: &mut Watch,
    mut control: watch::Receiver<Control>,
    first_request_by: Option<Instant>,
    makeshift: Option<Makeshift>,
) -> End {
    let now = Instant::now();
    let mut relay = Relay {
        client,
        broker,
        requests: Flow::new(Side::Client, now),
        responses: Flow::new(Side::Broker, now),
        watch,
        control: *control.borrow_and_update(),
        ended_first: None,
        first_request_by,
        makeshift,
    };
    relay.watch.tap.obey(relay.control);
    let mut sleep = pin!(tokio::time::sleep_until(relay.deadline().unwrap_or(now)));
    let ended = loop {
        tokio::select! {
            biased;
            ended = poll_fn(|cx| relay.poll(cx)) => break ended,
            // Who sends it lives longer than any connection.
            Ok(()) = control.changed() => {
                relay.control = *control.borrow_and_update();
                relay.watch.tap.obey(relay.control);
                sleep.as_mut().reset(relay.deadline().unwrap_or_else(|| later(Instant::now(), STALLED_AFTER)));
            }
            () = &mut sleep => match relay.deadline() {
                Some(at) if at <= Instant::now() => {
                    let is_drain = relay.control.drain_until.is_some_and(|until| until <= at);
                    break Ok(if is_drain { End::Drained } else { End::Deadline });
                }
                Some(at) => sleep.as_mut().reset(at),
                None => sleep.as_mut().reset(later(Instant::now(), STALLED_AFTER)),
            },
        }
    };
    if let Err(Broken { side, cause: Cause::Io(_) }) = &ended {
        let drained = async {
            let drains = control.wait_for(|control| control.drain_until.is_some()).await;
            let until = drains.ok().and_then(|control| control.drain_until);
            tokio::time::sleep_until(until.unwrap_or_else(Instant::now)).await;
        };
        tokio::select! {
            () = relay.deliver(*side) => {}
            () = tokio::time::sleep(STALLED_AFTER) => {}
            () = drained => {}
        }
    }
    relay.close(ended)
}

impl Relay<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<End, Broken>> {
        let is_known = |makeshift: &Makeshift| makeshift.seen.of(makeshift.node).is_some();
        let is_leaving = self.control.drain_until.is_some() || self.makeshift.as_ref().is_some_and(is_known);
        let Self { client, broker, requests, responses, watch, .. } = self;
        let asked = requests.poll(cx, client, broker, watch, is_leaving)?;
        if asked.is_ready() {
            self.ended_first.get_or_insert(End::Client);
        }
        let answered = responses.poll(cx, broker, client, watch, false)?;
        if answered.is_ready() {
            self.ended_first.get_or_insert(End::Broker);
        }
        if self.watch.tap.waits_for_rest() && self.is_quiet() {
            self.watch.tap.resume();
        }
        match self.ended_first {
            Some(end) if asked.is_ready() && answered.is_ready() => Poll::Ready(Ok(end)),
            _ if is_leaving && self.is_quiet() => Poll::Ready(Ok(End::Drained)),
            _ => Poll::Pending,
        }
    }

    /// Whether it is between frames, and every request was answered.
    fn is_quiet(&self) -> bool {
        let both = [&self.requests, &self.responses];
        let outnumber = || self.requests.frames.complete() > self.responses.frames.complete();
        both.iter().all(|flow| flow.frames.to_boundary() == Some(0) && flow.waits_for_its_side())
            && !self.watch.rewriting.awaits_answer().unwrap_or_else(outnumber)
    }

    /// When this connection is closed if nothing happens until then.
    fn deadline(&self) -> Option<Instant> {
        let requests = &self.requests;
        // What is not Kafka's has no requests that could be waited for.
        let is_kafka = !requests.frames.is_lost() && !self.watch.tap.is_opaque();
        let is_first = requests.frames.complete() == 0 && is_kafka;
        let last_read = requests.last_read.max(self.responses.last_read);
        let is_redirected = self.first_request_by.is_none();
        let by_request = if !is_redirected && is_first {
            self.first_request_by
        } else if !is_redirected && is_kafka && requests.waits_for_its_side() && requests.frames.is_within() {
            Some(later(requests.last_read, STALLED_AFTER))
        } else if requests.has_ended() || self.responses.has_ended() {
            Some(later(last_read, STALLED_AFTER))
        } else {
            None
        };
        [by_request, self.control.drain_until].into_iter().flatten().min()
    }

    /// Pass on what this side had sent before it failed. Answers have no reader any more, and a system that has some
    /// unread throws away what it has not sent.
    async fn deliver(&mut self, side: Side) {
        let Self { client, broker, requests, responses, watch, .. } = self;
        let (flow, from, to) = match side {
            Side::Client => (requests, client, broker),
            Side::Broker => (responses, broker, client),
        };
        let delivered = poll_fn(|cx| {
            let has_ended = to.poll_discard(cx);
            let passed = flow.poll(cx, from, to, watch, false);
            if flow.is_shut() { has_ended } else { passed.map(|_| ()) }
        });
        delivered.await;
        if !flow.is_shut() {
            // An error means that the other side has gone, too.
            let _ = to.sent().await;
        }
    }

    /// Close both sides; a reset of one becomes a reset of the other, which had no end before.
    fn close(self, ended: Result<End, Broken>) -> End {
        let broken = match ended {
            Ok(end) => return end,
            Err(broken) => broken,
        };
        let (end, flow, other) = match broken.side {
            Side::Client => (End::Client, self.requests, self.broker),
            Side::Broker => (End::Broker, self.responses, self.client),
        };
        match broken.cause {
            // What TLS says of bytes that are none of its own.
            Cause::Io(error) if error.kind() == ErrorKind::InvalidData => {
                if broken.side == Side::Broker {
                    self.watch.tap.warn_of_tls(&error);
                }
                End::Error
            }
            Cause::Io(_) => {
                if !flow.is_shut() {
                    other.reset();
                }
                self.ended_first.unwrap_or(end)
            }
            Cause::Rewriting(broken) => {
                self.watch.tap.warn_of(&broken);
                End::Error
            }
        }
    }
}
