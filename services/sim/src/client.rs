//! Clients: they connect, exchange requests and answers, and end in good order, or not.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};
use turmoil::net::TcpStream;
use turmoil::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use crate::dice::Dice;
use crate::frames::{self, API_VERSIONS, FETCH, METADATA, PRODUCE, Request};
use crate::history::{ClientSide, Shared};

/// Like `request.timeout.ms`, and shorter.
const ANSWER_WITHIN: Duration = Duration::from_secs(6);
const CONNECT_WITHIN: Duration = Duration::from_secs(4);

/// How much clients do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) clients: u64,
    /// Until when they do it.
    pub(crate) until: Duration,
    /// The longest pause between exchanges.
    pub(crate) pause_ms: u64,
}

/// All clients, until the last one has ended.
pub(crate) async fn run(history: Shared, load: Load, mut dice: Dice) -> turmoil::Result {
    let until = Instant::now() + load.until;
    let each = (0..load.clients).map(|number| {
        let client = Client { number, load, until, history: Rc::clone(&history), dice: dice.split() };
        tokio::task::spawn_local(client.run())
    });
    for client in each.collect::<Vec<_>>() {
        client.await?;
    }
    Ok(())
}

struct Client {
    number: u64,
    load: Load,
    until: Instant,
    history: Shared,
    dice: Dice,
}

impl Client {
    async fn run(mut self) {
        while Instant::now() < self.until {
            sleep(Duration::from_millis(self.dice.within(0, 1_500))).await;
            let Ok(Ok(stream)) = timeout(CONNECT_WITHIN, TcpStream::connect(("observer", 9092))).await else {
                self.history.borrow_mut().note(format_args!("client {} has no connection", self.number));
                continue;
            };
            let port = stream.local_addr().map(|address| address.port()).unwrap_or_default();
            let side = Rc::new(RefCell::new(ClientSide { port, ..ClientSide::default() }));
            self.history.borrow_mut().clients.push(Rc::clone(&side));
            let outcome = self.converse(stream, &side).await;
            let what = outcome.map_or_else(|error| error.kind().to_string(), ToOwned::to_owned);
            self.history.borrow_mut().note(format_args!("client {} port {port}: {what}", self.number));
        }
    }

    async fn converse(&mut self, stream: TcpStream, side: &RefCell<ClientSide>) -> io::Result<&'static str> {
        let (mut from, mut to) = stream.into_split();
        if self.dice.one_in(25) {
            // The observer closes who asks nothing.
            sleep(Duration::from_secs(12)).await;
            return Ok("asked nothing");
        }
        let rounds = self.dice.within(1, 25);
        let mut correlation = 0;
        for _ in 0..rounds {
            if Instant::now() >= self.until {
                break;
            }
            let mut frames = Vec::new();
            let (mut answers, mut fetches) = (0, false);
            for _ in 0..self.dice.within(1, 4) {
                correlation += 1;
                let request = self.draw(correlation, fetches);
                fetches |= request.key == FETCH;
                answers += usize::from(request.acks != 0);
                let bytes_each = usize::try_from(self.dice.within(1, 90)).unwrap_or(1);
                frames.extend(frames::request(&request, format!("app-{}", self.number).as_bytes(), bytes_each));
                let end = side.borrow().sent.len() + frames.len();
                side.borrow_mut().requests.push((end, request));
            }
            if self.dice.one_in(40) {
                let part = usize::try_from(self.dice.within(1, frames.len() as u64)).unwrap_or(1);
                write(&mut to, side, &[&frames[..part.min(frames.len())]]).await?;
                return Ok("ended within a request");
            }
            let pieces = self.dice.pieces(&frames);
            let exchanged = async { tokio::try_join!(write(&mut to, side, &pieces), read(&mut from, side, answers)) };
            timeout(ANSWER_WITHIN, exchanged).await.map_err(|_| io::ErrorKind::TimedOut)??;
            sleep(Duration::from_millis(self.dice.within(0, self.load.pause_ms))).await;
        }
        if self.dice.one_in(5) {
            return Ok("closed");
        }
        to.shutdown().await?;
        timeout(ANSWER_WITHIN, read(&mut from, side, usize::MAX)).await.map_err(|_| io::ErrorKind::TimedOut)??;
        Ok("ended in order")
    }

    /// No client of Kafka has two Fetches outstanding on a connection.
    fn draw(&mut self, correlation: i32, fetches: bool) -> Request {
        let key = match (correlation, *self.dice.pick(&[PRODUCE, PRODUCE, FETCH, METADATA])) {
            (1, _) => API_VERSIONS,
            (_, FETCH) if fetches => PRODUCE,
            (_, key) => key,
        };
        let acks = if key == PRODUCE { *self.dice.pick(&[-1, 1, -1, 0]) } else { -1 };
        let topic = self.dice.pick(&[b"orders", b"trades"]).to_vec();
        let count = if matches!(key, PRODUCE | FETCH) { self.dice.within(1, 3) } else { 0 };
        let number =
            |dice: &mut Dice| i64::try_from(if dice.one_in(12) { dice.within(1, 900) } else { dice.within(1, 20) });
        let partitions =
            (0..count).map(|index| (i32::try_from(index).unwrap_or_default(), number(&mut self.dice).unwrap_or(1)));
        let partitions = partitions.collect();
        Request { key, correlation, acks, topic, partitions }
    }
}

async fn write(to: &mut OwnedWriteHalf, side: &RefCell<ClientSide>, pieces: &[&[u8]]) -> io::Result<()> {
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let count = to.write(rest).await?;
            side.borrow_mut().sent.extend_from_slice(&rest[..count]);
            rest = &rest[count..];
        }
    }
    Ok(())
}

/// Read so many answers, or until the end.
async fn read(from: &mut OwnedReadHalf, side: &RefCell<ClientSide>, answers: usize) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    for _ in 0..answers {
        let mut left = 4_usize;
        let mut length = Vec::new();
        while left > 0 {
            let most = left.min(buffer.len());
            let count = from.read(&mut buffer[..most]).await?;
            if count == 0 {
                side.borrow_mut().saw_end = true;
                return if answers == usize::MAX { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            side.borrow_mut().got.extend_from_slice(&buffer[..count]);
            left -= count;
            if length.len() < 4 {
                length.extend_from_slice(&buffer[..count]);
                if let (0, Ok(bytes)) = (left, <[u8; 4]>::try_from(length.as_slice())) {
                    left = usize::try_from(i32::from_be_bytes(bytes)).map_err(|_| io::ErrorKind::InvalidData)?;
                }
            }
        }
    }
    Ok(())
}
