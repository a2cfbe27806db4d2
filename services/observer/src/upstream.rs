//! The way to the brokers.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::relay::{Stream, set_options};
use crate::settings::{Address, Upstream};
use crate::tls::{Trust, explained};

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// Of a client that was redirected and knows of no observer.
const CONNECT_AS_MEANT_WITHIN: Duration = Duration::from_secs(30);

/// Connect to where a redirected client meant to go.
///
/// # Errors
/// It refused, or did not answer in time; the message names it.
pub(crate) async fn connect_as_meant(to: SocketAddr) -> io::Result<Stream> {
    let connected = timeout(CONNECT_AS_MEANT_WITHIN, TcpStream::connect(to)).await;
    let connected = connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    let opened = connected.and_then(|stream| set_options(&stream).map(|()| Stream::Plain(stream)));
    opened.map_err(|error| io::Error::new(error.kind(), format!("{to}: {error}")))
}

/// Connects to brokers, and takes the bootstrap servers in turn.
#[derive(Default)]
pub(crate) struct Brokers {
    next: AtomicUsize,
    trust: Trust,
}

impl Brokers {
    /// Connect to the next bootstrap server, or to the first of those after it that answers.
    ///
    /// # Errors
    /// What the last one said; no server is given twice.
    pub(crate) async fn connect_to_any(&self, upstream: &Upstream) -> io::Result<Stream> {
        let servers = &upstream.bootstrap_servers;
        let first = self.next.fetch_add(1, Relaxed).checked_rem(servers.len()).unwrap_or_default();
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for server in servers.iter().cycle().skip(first).take(servers.len()) {
            match self.connect(server, upstream).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Connect to one broker.
    ///
    /// # Errors
    /// It refused, did not answer in time, or is not who it should be; the message names it.
    pub(crate) async fn connect(&self, broker: &Address, upstream: &Upstream) -> io::Result<Stream> {
        let connecting = async {
            let stream = TcpStream::connect((broker.host.as_str(), broker.port)).await?;
            set_options(&stream)?;
            Ok(match &upstream.tls {
                None => Stream::Plain(stream),
                Some(tls) => {
                    Stream::Tls(Box::new(self.trust.connect(tls.ca_file.as_deref(), &broker.host, stream).await?))
                }
            })
        };
        let connected =
            timeout(CONNECT_WITHIN, connecting).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        connected.map_err(|error: io::Error| {
            let words = format!("{broker}: {error}");
            explained(error, words)
        })
    }
}
