//! One side of a connection, with or without TLS.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsStream;

use super::peer::Peer;

const KEEPALIVE_AFTER: Duration = Duration::from_mins(1);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(15);
const KEEPALIVE_PROBES: u32 = 4;
/// How many seconds what was sent may stay unacknowledged, or unsent because the peer takes nothing, before the peer
/// counts as gone. The system retransmits for 15 minutes otherwise, and keepalive does not ask while something is outstanding.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_SECONDS: u64 = 90;

/// A connection to a client or a broker.
#[derive(Debug)]
pub(crate) enum Stream {
    /// As it is.
    Plain(TcpStream),
    /// Within TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Send small pieces at once, and notice a peer that is gone.
///
/// # Errors
/// The system refuses an option, which it does for a connection that is closed already.
pub(crate) fn set_options(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_AFTER).with_interval(KEEPALIVE_EVERY);
    let socket = SockRef::from(stream);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(Duration::from_secs(UNACKNOWLEDGED_SECONDS)))?;
    socket.set_tcp_keepalive(&keepalive.with_retries(KEEPALIVE_PROBES))
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        }
    }

    /// Whether nobody between reads what passes.
    pub(crate) const fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// Where the client meant to go before the connection was redirected here.
    ///
    /// # Errors
    /// It was not redirected, or that cannot be told.
    pub(crate) fn original_destination(&self) -> io::Result<SocketAddr> {
        #[cfg(target_os = "linux")]
        {
            let socket = SockRef::from(self.tcp());
            let is_ipv4 = self.local_address()?.is_ipv4();
            let found = if is_ipv4 { socket.original_dst_v4() } else { socket.original_dst_v6() }?;
            found.as_socket().ok_or_else(|| io::ErrorKind::Unsupported.into())
        }
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The address of this end.
    ///
    /// # Errors
    /// The connection is closed already.
    pub(crate) fn local_address(&self) -> io::Result<SocketAddr> {
        self.tcp().local_addr()
    }

    /// The port of this end, where there is one.
    pub(crate) fn local_port(&self) -> Option<u16> {
        self.tcp().local_addr().ok().map(|address| address.port())
    }
}

impl Peer for Stream {
    fn poll_end(&mut self, cx: &mut Context<'_>, is_truncated: bool) -> Poll<io::Result<()>> {
        match self {
            Self::Tls(stream) if is_truncated => Pin::new(stream.get_mut().0).poll_shutdown(cx),
            _ => Pin::new(self).poll_shutdown(cx),
        }
    }

    async fn sent(&self) -> io::Result<()> {
        let socket = SockRef::from(self.tcp());
        #[cfg(target_os = "linux")]
        socket.set_tcp_notsent_lowat(1)?;
        // A second descriptor is registered with the runtime, and is writable only once nothing is left.
        TcpStream::from_std(socket.try_clone()?.into())?.writable().await
    }

    fn socket(&self) -> Option<&TcpStream> {
        match self {
            Self::Plain(stream) => Some(stream),
            Self::Tls(_) => None,
        }
    }

    fn reset(self) {
        // A connection that is gone already needs no reset.
        let _ = SockRef::from(self.tcp()).set_linger(Some(Duration::ZERO));
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, into),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_peer_that_acknowledges_nothing_counts_as_gone_after_ninety_seconds() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();

        set_options(&stream).unwrap();

        assert_eq!(SockRef::from(&stream).tcp_user_timeout().unwrap(), Some(Duration::from_secs(90)));
    }
}
