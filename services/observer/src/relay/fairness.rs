//! Tests that no direction and no connection keeps the others of its thread waiting.

use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;

use kwitness_protocol::Limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, ReadBuf, duplex};
use tokio::task::{LocalSet, spawn_local, yield_now};

use super::*;
use crate::clock::Clock;
use crate::counters::{Counters, Total};
use crate::memory_budget::MemoryBudget;
use crate::state::State;

const ROOM: usize = 16 << 20;
/// Bytes that a connection passes on in a turn of both directions.
const TWO_TURNS: usize = 512 << 10;
const LIST_GROUPS: [u8; 15] = [0, 0, 0, 11, 0, 16, 0, 0, 0, 0, 0, 1, 0, 1, b't'];
const ANSWER: [u8; 14] = [0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/// A relayed connection of which both peers have sent before it begins.
struct Scene {
    client: DuplexStream,
    broker: DuplexStream,
    counters: Arc<Counters>,
    control: channel::Sender<Control>,
}

impl Scene {
    async fn begin(sent: &[u8]) -> Self {
        let ((mut client, near), (far, mut broker)) = (duplex(ROOM), duplex(ROOM));
        client.write_all(sent).await.unwrap();
        broker.write_all(&ANSWER).await.unwrap();
        let counters = Arc::new(Counters::new(Arc::default()));
        let (limits, source) = (Limits::default(), Ipv4Addr::LOCALHOST.into());
        let tap = Tap::new(Arc::clone(&counters), source, Instant::now(), Clock::Given(|| 0), limits);
        let reservation = Reservation::new(MemoryBudget::new(1 << 20), 1);
        let (control, obeyed) = channel::channel(Control::default());
        spawn_local(async move {
            let mut watch = Watch { tap, rewriting: Rewriting::new(limits, None, None) };
            relay(near, far, &mut watch, obeyed, Deadlines::default(), None, reservation).await
        });
        Self { client, broker, counters, control }
    }

    async fn answered(&mut self) {
        let mut answer = [0; ANSWER.len()];
        self.client.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer, ANSWER);
    }

    /// How many bytes have come to the broker.
    async fn passed(&mut self) -> usize {
        let mut bytes = vec![0; ROOM];
        poll_fn(|cx| {
            let mut read = ReadBuf::new(&mut bytes);
            let _ = Pin::new(&mut self.broker).poll_read(cx, &mut read);
            Poll::Ready(read.filled().len())
        })
        .await
    }

    fn is_unread(&self) -> bool {
        let mut total = Total::default();
        self.counters.add_to(&mut total);
        total.rare.open.get(&State::RelayOnly) == Some(&1)
    }
}

/// A request that is answered, and 8 MiB behind it of which nothing is.
fn flood() -> Vec<u8> {
    let start = [&[0; 7][..], &[9, 0xff, 0xff], &[0; 6], &[0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1]].concat();
    let mut produce = (1_i32 << 20).to_be_bytes().to_vec();
    produce.extend(start);
    produce.resize((1 << 20) + 4, 0);
    [&LIST_GROUPS[..], &produce.repeat(8)].concat()
}

#[tokio::test]
async fn an_answer_comes_while_the_client_floods_the_same_connection() {
    let scene = async {
        let mut scene = Scene::begin(&flood()).await;
        scene.answered().await;
        scene.passed().await
    };
    let passed = LocalSet::new().run_until(scene).await;

    assert!(passed > 0 && passed <= TWO_TURNS, "{passed} bytes of requests came before the answer");
}

#[tokio::test]
async fn a_connection_gets_its_answer_while_another_of_its_thread_is_flooded() {
    let scene = async {
        let mut busy = Scene::begin(&flood()).await;
        let mut other = Scene::begin(&LIST_GROUPS).await;
        other.answered().await;
        busy.passed().await
    };
    let passed = LocalSet::new().run_until(scene).await;

    assert!(passed > 0 && passed <= TWO_TURNS, "{passed} bytes of another connection came before the answer");
}

#[tokio::test]
async fn a_connection_that_is_flooded_obeys_within_a_turn() {
    let scene = async {
        let mut scene = Scene::begin(&flood()).await;
        yield_now().await;
        scene.control.send_modify(|control| control.is_suspended = true);
        while !scene.is_unread() {
            yield_now().await;
        }
        scene.passed().await
    };
    let passed = LocalSet::new().run_until(scene).await;

    assert!(passed <= 2 * TWO_TURNS, "{passed} bytes passed before the connection obeyed");
}
