//! States what a relay needs of a connection, so that a test can give it another than a socket.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection to a client or a broker.
pub trait Peer: AsyncRead + AsyncWrite + Unpin {
    /// Send nothing more; a truncated end is one without the notice that TLS has.
    fn poll_end(&mut self, cx: &mut Context<'_>, is_truncated: bool) -> Poll<io::Result<()>>;

    /// Wait until the system has sent everything that was written.
    ///
    /// # Errors
    /// The peer is gone, or the system has no such notice.
    fn sent(&self) -> impl Future<Output = io::Result<()>>;

    /// Close it so that the peer sees a reset, as the other side's peer gave one.
    fn reset(self);

    /// Returns the socket, where what passes is what the peers read and write.
    fn socket(&self) -> Option<&TcpStream> {
        None
    }

    /// Read what comes and drop it; ready once nothing comes any more.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 4 << 10];
        loop {
            let mut read = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut *self).poll_read(cx, &mut read)) {
                Ok(()) if !read.filled().is_empty() => {}
                _ => return Poll::Ready(()),
            }
        }
    }
}

#[cfg(test)]
impl Peer for tokio::io::DuplexStream {
    fn poll_end(&mut self, cx: &mut Context<'_>, _: bool) -> Poll<io::Result<()>> {
        Pin::new(self).poll_shutdown(cx)
    }

    async fn sent(&self) -> io::Result<()> {
        Ok(())
    }

    fn reset(self) {}
}
