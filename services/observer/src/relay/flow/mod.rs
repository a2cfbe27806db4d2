//! One direction of a connection: read, written on, and then looked at.

#[cfg(target_os = "linux")]
mod moving;

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use kwitness_protocol::{Side, wipe};
use tokio::io::ReadBuf;
use tokio::time::Instant;

use super::broken::{Broken, Cause};
use super::frames::Frames;
use super::peer::Peer;
use super::portion::Portion;
use super::sending::Sending;
use super::turn::{Capacity, TURN_BYTES, Turn};
use super::watch::Watch;

/// What is longer is not kept for the next answer.
const SPARE_BYTES: usize = 128 << 10;

thread_local! {
    /// All connections of a thread read into this one: a connection that is idle owns no buffer. What a client
    /// authenticates with is overwritten before the next read.
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; TURN_BYTES].into_boxed_slice());
    /// Likewise for what a rewritten answer becomes.
    static SPARE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What one direction remembers.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Whose bytes these are.
    side: Side,
    /// What was read and the other side has not taken yet; nothing is read until it is gone.
    unwritten: Vec<u8>,
    written: usize,
    needs_flush: bool,
    portion: Portion,
    turn: Turn,
    pub(super) sending: Sending,
    is_shut: bool,
    pub(crate) frames: Frames,
    /// The same of what the client gets, where that is not only what the broker sends.
    answers: Frames,
    pub(crate) last_read: Instant,
}

impl Flow {
    pub(crate) fn new(side: Side, now: Instant) -> Self {
        Self {
            side,
            unwritten: Vec::new(),
            written: 0,
            needs_flush: false,
            portion: Portion::default(),
            turn: Turn::new(Capacity::Enough),
            sending: Sending::Open,
            is_shut: false,
            frames: Frames::default(),
            answers: Frames::default(),
            last_read: now,
        }
    }

    /// Whether its side sends no more.
    pub(crate) const fn has_ended(&self) -> bool {
        self.sending.has_ended()
    }

    /// True once its side's end was passed on.
    pub(crate) const fn is_shut(&self) -> bool {
        self.is_shut
    }

    /// Whether its side would be read if it sent something.
    pub(crate) const fn waits_for_its_side(&self) -> bool {
        self.unwritten.is_empty() && !self.has_ended() && !self.turn.is_held_back()
    }

    /// Returns true if its side is not read, since there is no room to keep what it sends.
    pub(crate) const fn is_held_back(&self) -> bool {
        self.turn.is_held_back()
    }

    /// The memory of what the other side has not taken yet, in bytes.
    pub(crate) const fn unwritten_bytes(&self) -> usize {
        self.unwritten.capacity()
    }

    /// The frames of the bytes that the tap sees.
    pub(crate) const fn seen(&self, watch: &Watch) -> &Frames {
        match self.side {
            Side::Broker if watch.rewriting.answers() => &self.answers,
            _ => &self.frames,
        }
    }

    const fn receiver(&self) -> Side {
        match self.side {
            Side::Client => Side::Broker,
            Side::Broker => Side::Client,
        }
    }

    /// Have what is passed on from now on counted as another turn.
    pub(crate) const fn begin_turn(&mut self, capacity: Capacity) {
        self.turn = Turn::new(capacity);
    }

    /// How many bytes are read at once: as much as a turn has where a long frame passes and its receiver keeps up.
    fn longest_read(&self, to_boundary_only: bool) -> usize {
        let to_boundary = self.frames.to_boundary();
        let longest = self.portion.to_read(to_boundary);
        longest.min(to_boundary.filter(|_| to_boundary_only).unwrap_or(usize::MAX))
    }

    /// Pass on what there is, no more than is left of the turn; ready once its side's end was passed on.
    ///
    /// Parameter `to_boundary_only`: nothing is read beyond the end of the frame that was begun.
    ///
    /// # Errors
    /// Which side's connection failed, and how.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut impl Peer,
        to: &mut impl Peer,
        watch: &mut Watch,
        to_boundary_only: bool,
    ) -> Poll<Result<(), Broken>> {
        loop {
            if let Err(error) = ready!(self.poll_write_out(cx, to)) {
                return Poll::Ready(Err(Broken { side: self.receiver(), cause: Cause::Io(error) }));
            }
            if self.has_ended() {
                if !self.is_shut && self.sending != Sending::Failed {
                    // A peer that is gone already needs no notice.
                    let _ = ready!(to.poll_end(cx, self.sending == Sending::Truncated));
                    self.is_shut = true;
                }
                return Poll::Ready(Ok(()));
            }
            if self.side == Side::Broker && watch.rewriting.has_answer() {
                self.answer(cx, to, watch, &mut [])?;
                continue;
            }
            #[cfg(target_os = "linux")]
            if let Some(moved) = self.poll_move(cx, from, to, watch) {
                ready!(moved)?;
                continue;
            }
            let longest = self.longest_read(to_boundary_only);
            if longest == 0 {
                return Poll::Pending;
            }
            let longest = longest.min(ready!(self.turn.poll_left(cx)));
            let passed = BUFFER.with_borrow_mut(|buffer| {
                let buffer = buffer.get_mut(..longest).unwrap_or_default();
                self.poll_read_once(cx, from, to, watch, buffer)
            });
            ready!(passed)?;
        }
    }

    fn poll_write_out(&mut self, cx: &mut Context<'_>, to: &mut impl Peer) -> Poll<io::Result<()>> {
        while let Some(rest) = self.unwritten.get(self.written..).filter(|rest| !rest.is_empty()) {
            let count = ready!(Pin::new(&mut *to).poll_write(cx, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written = self.written.saturating_add(count);
        }
        if !self.unwritten.is_empty() {
            wipe(&mut self.unwritten);
            self.unwritten = Vec::new();
            self.written = 0;
        }
        if self.needs_flush {
            ready!(Pin::new(to).poll_flush(cx))?;
            self.needs_flush = false;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_read_once(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut impl Peer,
        to: &mut impl Peer,
        watch: &mut Watch,
        buffer: &mut [u8],
    ) -> Poll<Result<(), Broken>> {
        let mut filled = ReadBuf::new(buffer);
        match ready!(Pin::new(from).poll_read(cx, &mut filled)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.sending.end(Sending::Truncated);
                return Poll::Ready(Ok(()));
            }
            Err(error) => {
                self.sending.end(Sending::Failed);
                return Poll::Ready(Err(Broken { side: self.side, cause: Cause::Io(error) }));
            }
        }
        let bytes = filled.filled_mut();
        if bytes.is_empty() {
            self.sending.end(Sending::Whole);
            return Poll::Ready(Ok(()));
        }
        self.last_read = Instant::now();
        self.turn.use_up(bytes.len());
        self.portion.read(bytes.len());
        self.frames.advance(bytes);
        let written = match self.side {
            Side::Client => with_spare(|spare| {
                let Watch { tap, rewriting } = watch;
                let written = match rewriting.asked(bytes, spare, || tap.identity()) {
                    Ok(passed) => self.write(cx, to, passed).map(|written| self.keep(passed, written)),
                    Err(broken) => Err(Broken { side: self.side, cause: Cause::Rewriting(broken) }),
                };
                (written, rewriting.may_be_secret())
            }),
            Side::Broker => return Poll::Ready(self.answer(cx, to, watch, bytes)),
        };
        watch.tap.see(self.side, bytes, self.last_read);
        if watch.rewriting.may_be_secret() {
            wipe(bytes);
        }
        Poll::Ready(written)
    }

    /// Write what the client is to get, be it by these bytes of the broker's or not.
    fn answer(
        &mut self,
        cx: &mut Context<'_>,
        to: &mut impl Peer,
        watch: &mut Watch,
        bytes: &mut [u8],
    ) -> Result<(), Broken> {
        let at = self.last_read;
        let written = with_spare(|spare| {
            let Watch { tap, rewriting } = &mut *watch;
            let came = bytes.as_ptr_range();
            let written = match rewriting.answered(bytes, spare) {
                Ok(rewritten) => {
                    let written = self.write(cx, to, rewritten);
                    if rewriting.answers() {
                        // The broker does not see all that the client asks, so what it answers is not all either.
                        self.answers.advance(rewritten);
                        tap.see(self.side, rewritten, at);
                    }
                    let is_spare = !came.contains(&rewritten.as_ptr());
                    written.map(|written| {
                        if !is_spare {
                            self.keep(rewritten, written);
                        }
                        (is_spare && written < rewritten.len()).then_some(written)
                    })
                }
                Err(broken) => Err(Broken { side: self.side, cause: Cause::Rewriting(broken) }),
            };
            let written = written.map(|spare_written| {
                if let Some(written) = spare_written {
                    // A response that was held may be long: it is not copied again.
                    (self.unwritten, self.written) = (std::mem::take(spare), written);
                }
            });
            (written, rewriting.may_be_secret())
        });
        if !watch.rewriting.answers() {
            watch.tap.see(self.side, bytes, at);
        }
        if watch.rewriting.may_be_secret() {
            wipe(bytes);
        }
        written
    }

    /// Write what can be written now; how many bytes that is.
    fn write(&mut self, cx: &mut Context<'_>, to: &mut impl Peer, bytes: &[u8]) -> Result<usize, Broken> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let count = match Pin::new(to).poll_write(cx, bytes) {
            Poll::Ready(Ok(count)) => count,
            Poll::Ready(Err(error)) => return Err(Broken { side: self.receiver(), cause: Cause::Io(error) }),
            Poll::Pending => 0,
        };
        self.needs_flush = true;
        self.portion.written(count == bytes.len());
        Ok(count)
    }

    /// Keep what was not written.
    fn keep(&mut self, bytes: &[u8], written: usize) {
        if let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            self.unwritten = rest.to_vec();
        }
    }
}

/// Run with an empty buffer; what was put into it is overwritten where it says so.
fn with_spare<T>(run: impl FnOnce(&mut Vec<u8>) -> (T, bool)) -> T {
    SPARE.with_borrow_mut(|spare| {
        let (outcome, may_be_secret) = run(spare);
        if may_be_secret {
            wipe(spare);
        }
        spare.clear();
        spare.shrink_to(SPARE_BYTES);
        outcome
    })
}

impl Drop for Flow {
    fn drop(&mut self) {
        wipe(&mut self.unwritten);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::{Arc, Mutex};

    use kwitness_protocol::Limits;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::watch;

    use super::*;
    use crate::brokers_seen::Directory;
    use crate::clock::Clock;
    use crate::counters::Counters;
    use crate::relay::{Rewriting, Stream, Tap};
    use crate::settings::Settings;

    const SECRET: &[u8] = b"canary-bird";

    fn watch() -> Watch {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/observer_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let settings = Settings::parse(examples["valid"][0]["settings"].to_string().as_bytes()).unwrap();
        let (_, settings) = watch::channel(Arc::new(settings));
        let counters = Arc::new(Counters::new(Arc::new(Mutex::default())));
        let (limits, directory) = (Limits::default(), Directory::new(settings, Arc::default(), None));
        let tap = Tap::new(counters, Ipv4Addr::LOCALHOST.into(), Instant::now(), Clock::System, limits);
        Watch { tap, rewriting: Rewriting::new(limits, Some(directory), None) }
    }

    async fn pair() -> (TcpStream, Stream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (near, Stream::Plain(listener.accept().await.unwrap().0))
    }

    fn frame(parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        [&i32::try_from(body.len()).unwrap().to_be_bytes()[..], &body].concat()
    }

    fn buffer_has(bytes: &[u8]) -> bool {
        BUFFER.with_borrow(|buffer| buffer.windows(bytes.len()).any(|window| window == bytes))
    }

    #[tokio::test]
    async fn what_a_client_authenticates_with_does_not_stay_in_the_buffer() {
        let token = [b"\0alice\0", SECRET].concat();
        let length = i32::try_from(token.len()).unwrap().to_be_bytes();
        let metadata = frame(&[&[0, 3, 0, 0, 0, 0, 0, 2, 0, 1, b't'], SECRET]);
        let with_header = frame(&[&[0, 36, 0, 0, 0, 0, 0, 1, 0, 1, b't'], &length, &token]);
        let handshake = frame(&[&[0, 17, 0, 0, 0, 0, 0, 1, 0, 1, b't', 0, 5], b"PLAIN"]);
        let without = [handshake, frame(&[&token])].concat();
        // What is no secret stays until the next read, so this looks in the right place.
        for (sent, stays) in [(metadata, true), (with_header, false), (without, false)] {
            let ((mut client, mut from), (mut broker, mut to)) = (pair().await, pair().await);
            let (mut flow, mut watch) = (Flow::new(Side::Client, Instant::now()), watch());
            client.write_all(&sent).await.unwrap();
            let mut came = vec![0; sent.len()];
            tokio::select! {
                _ = std::future::poll_fn(|cx| flow.poll(cx, &mut from, &mut to, &mut watch, false)) => {}
                read = broker.read_exact(&mut came) => { read.unwrap(); }
            }

            assert!(came == sent, "it passes as it is");
            assert_eq!(buffer_has(SECRET), stays);
        }
    }
}
