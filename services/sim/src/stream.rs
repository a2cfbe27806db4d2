//! A stream of the simulated network as the relay has it, with what goes through it written down.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use kwitness_observer::simulation::Peer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::TcpStream;

use crate::history::Tape;
use crate::sabotage::Sabotage;

/// One side of a relayed connection.
pub(crate) struct Taped {
    stream: TcpStream,
    tape: Rc<RefCell<Tape>>,
    sabotage: Option<Sabotage>,
}

impl Taped {
    pub(crate) fn new(stream: TcpStream, sabotage: Option<Sabotage>) -> (Self, Rc<RefCell<Tape>>) {
        let tape = Rc::default();
        (Self { stream, tape: Rc::clone(&tape), sabotage }, tape)
    }
}

impl Peer for Taped {
    fn poll_end(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn sent(&self) -> impl Future<Output = io::Result<()>> {
        std::future::ready(Ok(()))
    }

    fn reset(self) {
        self.tape.borrow_mut().is_reset = true;
    }
}

impl AsyncRead for Taped {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        if matches!(read, Poll::Ready(Ok(()))) {
            let new = into.filled().get(before..).unwrap_or_default();
            let mut tape = self.tape.borrow_mut();
            tape.read.extend_from_slice(new);
            tape.saw_end |= new.is_empty();
        }
        read
    }
}

impl AsyncWrite for Taped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let at = self.tape.borrow().written.len();
        let written = match self.sabotage.and_then(|sabotage| sabotage.of_bytes(at, bytes)) {
            Some(spoiled) => Pin::new(&mut self.stream).poll_write(cx, &spoiled).map_ok(|_| bytes.len()),
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
        };
        if let Poll::Ready(Ok(count)) = written {
            self.tape.borrow_mut().written.extend_from_slice(bytes.get(..count).unwrap_or_default());
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
