//! A broker: it answers requests in their order, refuses some, and ends some connections early.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;
use turmoil::net::{TcpListener, TcpStream};

use crate::dice::Dice;
use crate::frames::{self, Answered, FETCH, Request};
use crate::history::{Answer, BrokerSide, Shared};

/// The address that a Metadata answer names, and the one that clients of a gateway must get instead.
pub(crate) const OWN_ADDRESS: (&str, i32) = ("broker", 9092);
pub(crate) const GATEWAY_ADDRESS: (&str, i32) = ("observer", 9093);
/// Longer than what clients send.
const LONGEST_REQUEST: usize = 4 << 20;

/// How a broker is.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    pub(crate) history: Shared,
    /// The observer keeps its addresses from clients.
    pub(crate) is_behind_gateway: bool,
    /// Chance of all its processes.
    pub(crate) dice: Rc<RefCell<Dice>>,
}

/// One process, until it is killed.
pub(crate) async fn run(broker: Broker) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", 9092)).await?;
    loop {
        let (stream, peer) = listener.accept().await?;
        let side = Rc::new(RefCell::new(BrokerSide { port: peer.port(), ..BrokerSide::default() }));
        broker.history.borrow_mut().brokers.push(Rc::clone(&side));
        let (broker, dice) = (broker.clone(), broker.dice.borrow_mut().split());
        tokio::task::spawn_local(async move {
            let outcome = broker.serve(stream, &side, dice).await;
            let what = outcome.map_or_else(|error| error.kind().to_string(), ToOwned::to_owned);
            broker.history.borrow_mut().note(format_args!("broker, port {}: {what}", peer.port()));
        });
    }
}

impl Broker {
    async fn serve(&self, mut stream: TcpStream, side: &RefCell<BrokerSide>, mut dice: Dice) -> io::Result<&str> {
        let mut buffer = vec![0; 16 << 10];
        let mut at = 0;
        loop {
            while let Some(frame) = whole(side, at)? {
                at += 4 + frame.len();
                let request = frames::read(&frame).ok_or(io::ErrorKind::InvalidData)?;
                if dice.one_in(8) {
                    sleep(Duration::from_millis(dice.within(1, 800))).await;
                }
                if request.acks != 0 && !self.answer(&mut stream, side, request, &mut dice).await? {
                    return Ok("closed within an answer");
                }
            }
            let count = stream.read(&mut buffer).await?;
            if count == 0 {
                side.borrow_mut().saw_end = true;
                return Ok("ended in order");
            }
            side.borrow_mut().got.extend_from_slice(&buffer[..count]);
        }
    }

    /// Returns false if the connection is to be closed within the answer.
    async fn answer(
        &self,
        stream: &mut TcpStream,
        side: &RefCell<BrokerSide>,
        request: Request,
        dice: &mut Dice,
    ) -> io::Result<bool> {
        let answered = request.partitions.iter().map(|(partition, _)| {
            let error = if dice.one_in(10) { 6 } else { 0 };
            let has_records = request.key == FETCH && error == 0 && !dice.one_in(4);
            let records = if has_records { dice.within(1, 40) } else { 0 };
            Answered { partition: *partition, error, records: i32::try_from(records).unwrap_or_default() }
        });
        let answered: Vec<_> = answered.collect();
        let bytes_each = usize::try_from(dice.within(1, 200)).unwrap_or(1);
        let bytes = frames::answer(&request, &answered, bytes_each, OWN_ADDRESS);
        let address = if self.is_behind_gateway { GATEWAY_ADDRESS } else { OWN_ADDRESS };
        let for_client = frames::answer(&request, &answered, bytes_each, address);
        let end = side.borrow().sent.len() + bytes.len();
        side.borrow_mut().answers.push(Answer { end, for_client, request, answered });
        let is_cut = dice.one_in(150);
        let most = if is_cut { dice.within(0, bytes.len() as u64 - 1) } else { bytes.len() as u64 };
        for piece in dice.pieces(&bytes[..usize::try_from(most).unwrap_or_default()]) {
            let mut rest = piece;
            while !rest.is_empty() {
                let count = stream.write(rest).await?;
                side.borrow_mut().sent.extend_from_slice(&rest[..count]);
                rest = &rest[count..];
            }
        }
        Ok(!is_cut)
    }
}

/// The frame that begins there, once all of it has come.
fn whole(side: &RefCell<BrokerSide>, at: usize) -> io::Result<Option<Vec<u8>>> {
    let side = side.borrow();
    let Some(length) = side.got.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()) else { return Ok(None) };
    let length = usize::try_from(i32::from_be_bytes(length)).map_err(|_| io::ErrorKind::InvalidData)?;
    if length > LONGEST_REQUEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(side.got.get(at + 4..at + 4 + length).map(<[u8]>::to_vec))
}
