//! Passes the bytes of one connection on, both ways, until it ends.

mod broken;
mod copying;
mod deadlines;
#[cfg(test)]
mod fairness;
mod fallback;
mod flow;
mod frames;
mod peer;
mod portion;
mod resumption;
mod rewriting;
mod seen;
mod sending;
#[cfg(target_os = "linux")]
mod splicing;
mod stream;
mod tap;
mod turn;
mod watch;

use std::future::poll_fn;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use kwitness_protocol::Side;
use tokio::sync::watch as channel;
use tokio::task::unconstrained;
use tokio::time::Instant;

use broken::{Broken, Cause};
pub(crate) use deadlines::Deadlines;
pub(crate) use fallback::Fallback;
use flow::Flow;
pub use peer::Peer;

pub(crate) use rewriting::Rewriting;
pub(crate) use stream::{Stream, set_options};
pub(crate) use tap::Tap;
use turn::Capacity;
pub(crate) use watch::Watch;

use crate::control::{Control, later};
use crate::end::End;
use crate::memory_budget::{FREE_BYTES, Reservation};

/// How long a client may stop within a request, or a peer may stay after the other one has ended.
const STALLED_AFTER: Duration = Duration::from_secs(30);

/// Both directions of one connection.
struct Relay<'a, C, B> {
    client: C,
    broker: B,
    requests: Flow,
    responses: Flow,
    watch: &'a mut Watch,
    control: Control,
    /// Directions are polled in turn: what one of them uses up is not always the other's.
    answers_first: bool,
    /// The side that ended first.
    ended_first: Option<End>,
    deadlines: Deadlines,
    fallback: Option<Fallback>,
    reservation: Reservation,
    /// Bytes that the tap kept beyond requests when they were counted last.
    lasting_bytes: usize,
}

/// Pass everything on until one side is gone, a deadline has passed, or the observer ends.
pub(crate) fn relay<'a>(
    client: impl Peer + 'a,
    broker: impl Peer + 'a,
    watch: &'a mut Watch,
    mut control: channel::Receiver<Control>,
    deadlines: Deadlines,
    fallback: Option<Fallback>,
    reservation: Reservation,
) -> impl Future<Output = End> + 'a {
    let now = Instant::now();
    let mut relay = Relay {
        client,
        broker,
        requests: Flow::new(Side::Client, now),
        responses: Flow::new(Side::Broker, now),
        watch,
        control: *control.borrow_and_update(),
        answers_first: false,
        ended_first: None,
        deadlines,
        fallback,
        reservation,
        lasting_bytes: 0,
    };
    relay.watch.tap.obey(relay.control);
    // The future lives as long as the connection: what is built here takes no room in it.
    async move {
        let ended = relay.run(&mut control).await;
        if let Err(Broken { side, cause: Cause::Io(error) }) = &ended {
            let was_reset = error.kind() == ErrorKind::ConnectionReset;
            Box::pin(relay.deliver_in_time(*side, was_reset, &mut control)).await;
        }
        relay.close(ended)
    }
}

impl<C: Peer, B: Peer> Relay<'_, C, B> {
    async fn run(&mut self, control: &mut channel::Receiver<Control>) -> Result<End, Broken> {
        let mut sleep = pin!(tokio::time::sleep_until(self.deadline().map_or_else(Instant::now, |(at, _)| at)));
        loop {
            tokio::select! {
                biased;
                // Who sends it lives longer than any connection.
                Ok(()) = control.changed() => {
                    self.control = *control.borrow_and_update();
                    self.watch.tap.obey(self.control);
                    sleep.as_mut().reset(self.deadline().map_or_else(|| later(Instant::now(), STALLED_AFTER), |(at, _)| at));
                }
                ended = poll_fn(|cx| self.poll(cx)) => break ended,
                // Also after a turn that took all that the runtime lets a task do at once.
                () = unconstrained(sleep.as_mut()) => match self.deadline() {
                    Some((at, end)) if at <= Instant::now() => break Ok(end),
                    Some((at, _)) => sleep.as_mut().reset(at),
                    None => sleep.as_mut().reset(later(Instant::now(), STALLED_AFTER)),
                },
            }
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<End, Broken>> {
        self.resume();
        let is_leaving = self.control.drain_until.is_some() || self.fallback.as_ref().is_some_and(Fallback::is_over);
        let (for_requests, for_responses) = self.capacity(cx);
        let Self { client, broker, requests, responses, watch, .. } = self;
        requests.begin_turn(for_requests);
        responses.begin_turn(for_responses);
        let mut answered = Poll::Pending;
        if self.answers_first {
            answered = responses.poll(cx, broker, client, watch, false)?;
        }
        let asked = requests.poll(cx, client, broker, watch, is_leaving)?;
        if !self.answers_first || watch.rewriting.has_answer() {
            answered = responses.poll(cx, broker, client, watch, false)?;
        }
        self.answers_first = !self.answers_first;
        self.count_memory();
        if asked.is_ready() {
            self.ended_first.get_or_insert(End::Client);
        }
        if answered.is_ready() {
            self.ended_first.get_or_insert(End::Broker);
        }
        match self.ended_first {
            Some(end) if asked.is_ready() && answered.is_ready() => Poll::Ready(Ok(end)),
            _ if is_leaving && self.is_quiet() => Poll::Ready(Ok(End::Drained)),
            _ => Poll::Pending,
        }
    }

    /// Have a connection that is passed on unread read again, from the next frames on.
    fn resume(&mut self) {
        if self.watch.tap.may_resume() && !self.reservation.is_full() {
            let (requests, responses) = (self.requests.seen(self.watch), self.responses.seen(self.watch));
            self.watch.tap.resume(requests, responses);
        }
    }

    /// How much may be kept of what either side sends.
    fn capacity(&mut self, cx: &Context<'_>) -> (Capacity, Capacity) {
        if !self.reservation.is_full() {
            return (Capacity::Enough, Capacity::Enough);
        }
        let holds = self.watch.rewriting.held_bytes().is_some();
        let waits = self.memory_bytes().saturating_sub(self.lasting_bytes) > FREE_BYTES;
        let mut capacity = |needs_more, in_turn| match (needs_more, in_turn) {
            (false, _) => Capacity::Little,
            (true, in_turn) if self.reservation.may_keep_more(cx, in_turn) => Capacity::Enough,
            (true, _) => Capacity::Nothing,
        };
        (capacity(waits, false), capacity(holds, true))
    }

    /// Have the budget know what is kept; where there is no room, what the client does not depend on is no longer followed.
    fn count_memory(&mut self) {
        let (before, lasting) = (self.lasting_bytes, self.watch.tap.lasting_bytes());
        self.lasting_bytes = lasting;
        self.reservation.set(self.memory_bytes());
        if !self.reservation.is_full() {
            return;
        }
        let Watch { tap, rewriting } = &mut *self.watch;
        let grows = lasting > before && lasting > FREE_BYTES;
        let waiting = tap.waiting_bytes().saturating_add(rewriting.waiting_bytes());
        if grows || (waiting > FREE_BYTES && rewriting.give_up()) {
            tap.give_up();
            self.lasting_bytes = 0;
            self.reservation.set(self.memory_bytes());
        }
    }

    fn memory_bytes(&self) -> usize {
        let Watch { tap, rewriting } = &*self.watch;
        let unwritten = self.requests.unwritten_bytes().saturating_add(self.responses.unwritten_bytes());
        let held = rewriting.held_bytes().unwrap_or_default();
        let waiting = tap.waiting_bytes().saturating_add(rewriting.waiting_bytes());
        unwritten.saturating_add(held).saturating_add(waiting).saturating_add(self.lasting_bytes)
    }

    /// Whether it is between frames, and every request was answered.
    fn is_quiet(&self) -> bool {
        let both = [&self.requests, &self.responses];
        let outnumber = || self.requests.frames.complete() > self.responses.frames.complete();
        both.iter().all(|flow| flow.frames.to_boundary() == Some(0) && flow.waits_for_its_side())
            && !self.watch.rewriting.awaits_answer().unwrap_or_else(outnumber)
    }

    /// The time at which this connection is closed if nothing happens until then, and why.
    fn deadline(&self) -> Option<(Instant, End)> {
        let requests = &self.requests;
        // What is not Kafka's has no requests that could be waited for.
        let is_kafka = !requests.frames.is_lost() && !self.watch.tap.is_opaque();
        let is_first = requests.frames.complete() == 0 && is_kafka;
        let last_read = requests.last_read.max(self.responses.last_read);
        let is_redirected = self.deadlines.first_request_by.is_none();
        let by_request = if !is_redirected && is_first {
            self.deadlines.first_request_by
        } else if !is_redirected && is_kafka && requests.waits_for_its_side() && requests.frames.is_within() {
            Some(later(requests.last_read, STALLED_AFTER))
        } else if (requests.has_ended() || self.responses.has_ended()) && !self.responses.is_held_back() {
            Some(later(last_read, STALLED_AFTER))
        } else {
            None
        };
        let sign_in_by = self.deadlines.sign_in_by.filter(|_| is_kafka && !self.watch.rewriting.has_signed_in());
        let idle_after = self.deadlines.idle_after.filter(|_| self.is_quiet());
        let deadlines = [
            (self.control.drain_until, End::Drained),
            (by_request, End::Deadline),
            (sign_in_by, End::SignIn),
            (idle_after.map(|after| later(last_read, after)), End::Idle),
        ];
        deadlines.into_iter().filter_map(|(at, end)| Some((at?, end))).min_by_key(|(at, _)| *at)
    }

    /// Pass on what this side had sent, for as long as a peer may stall and the observer does not end.
    async fn deliver_in_time(&mut self, side: Side, was_reset: bool, control: &mut channel::Receiver<Control>) {
        let drained = async {
            let drains = control.wait_for(|control| control.drain_until.is_some()).await;
            let until = drains.ok().and_then(|control| control.drain_until);
            tokio::time::sleep_until(until.unwrap_or_else(Instant::now)).await;
        };
        tokio::select! {
            biased;
            () = self.deliver(side, was_reset) => {}
            () = tokio::time::sleep(STALLED_AFTER) => {}
            () = drained => {}
        }
    }

    /// Pass on what this side had sent before it failed. Answers have no reader any more, and a system that has some
    /// unread throws away what it has not sent.
    async fn deliver(&mut self, side: Side, was_reset: bool) {
        let Self { client, broker, requests, responses, watch, .. } = self;
        match side {
            Side::Client => deliver(requests, client, broker, watch, was_reset).await,
            Side::Broker => deliver(responses, broker, client, watch, was_reset).await,
        }
    }

    /// Close both sides; a reset of one becomes a reset of the other, which had no end before.
    fn close(self, ended: Result<End, Broken>) -> End {
        let broken = match ended {
            Ok(end) => return end,
            Err(broken) => broken,
        };
        let (end, flow) = match broken.side {
            Side::Client => (End::Client, &self.requests),
            Side::Broker => (End::Broker, &self.responses),
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
                    match broken.side {
                        Side::Client => self.broker.reset(),
                        Side::Broker => self.client.reset(),
                    }
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

async fn deliver(flow: &mut Flow, from: &mut impl Peer, to: &mut impl Peer, watch: &mut Watch, was_reset: bool) {
    if was_reset {
        flow.sending.note_reset();
    }
    let delivered = poll_fn(|cx| {
        let has_ended = to.poll_discard(cx);
        flow.begin_turn(Capacity::Enough);
        let passed = flow.poll(cx, from, to, watch, false);
        if flow.is_shut() { has_ended } else { passed.map(|_| ()) }
    });
    delivered.await;
    if !flow.is_shut() {
        // An error means that the other side has gone, too.
        let _ = to.sent().await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::rc::Rc;
    use std::sync::Arc;

    use kwitness_observation::Identity;
    use kwitness_protocol::Limits;
    use kwitness_recording::{Recorder, Settings, TopicNames};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;
    use crate::clock::Clock;
    use crate::counters::Counters;
    use crate::memory_budget::MemoryBudget;

    #[tokio::test]
    async fn streams_in_memory_are_relayed_and_their_events_have_the_time_of_the_given_clock() {
        let ((mut client, near), (far, mut broker)) = (duplex(8), duplex(8));
        let names = Arc::new(TopicNames::new(10));
        let recorder: crate::recording::Shared = Rc::new(Recorder::new(Settings::of_at_most(10), names, 0).into());
        let (counters, limits) = (Arc::new(Counters::new(Arc::default())), Limits::default());
        let mut tap = Tap::new(counters, Ipv4Addr::LOCALHOST.into(), Instant::now(), Clock::Given(|| 7_000), limits);
        tap.record(&recorder, 1, Identity::default(), false);
        let mut watch = Watch { tap, rewriting: Rewriting::new(limits, None, None) };
        let reservation = Reservation::new(MemoryBudget::new(1 << 20), 1);
        let (_obeyed, control) = channel::channel(Control::default());
        let request = [0, 0, 0, 11, 0, 16, 0, 0, 0, 0, 0, 1, 0, 1, b't'];
        let answer = [0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        let talk = async {
            let (mut asked, mut answered) = ([0; 15], [0; 14]);
            let (sent, came) = tokio::join!(client.write_all(&request), broker.read_exact(&mut asked));
            assert_eq!((sent.unwrap(), came.unwrap(), asked), ((), request.len(), request));
            let (sent, came) = tokio::join!(broker.write_all(&answer), client.read_exact(&mut answered));
            assert_eq!((sent.unwrap(), came.unwrap(), answered), ((), answer.len(), answer));
            drop(client);
            assert_eq!(broker.read(&mut [0]).await.unwrap(), 0);
            drop(broker);
        };

        let relayed = relay(near, far, &mut watch, control, Deadlines::default(), None, reservation);
        let (end, ()) = tokio::join!(relayed, talk);
        watch.tap.close(end);

        assert_eq!(end, End::Client);
        let window = recorder.borrow_mut().swap(10_000);
        let times: Vec<_> = window.connections.iter().map(|event| event.occurred_at_ms).collect();
        assert_eq!(times, [7_000, 7_000]);
    }
}
