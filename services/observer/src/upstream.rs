//! The way to the brokers.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::lookups::Lookups;
use crate::relay::{Stream, set_options};
use crate::settings::{Address, Upstream};
use crate::tls::{Trust, explained};

/// To an address, and for TLS after it.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long an address is waited for alone before the next one of the name is tried beside it.
const APART: Duration = Duration::from_millis(250);
/// Of a client that was redirected and knows of no observer.
const CONNECT_AS_MEANT_WITHIN: Duration = Duration::from_secs(30);

/// Connect to where a redirected client meant to go.
///
/// # Errors
/// It refused, or did not answer in time; the message names it.
pub(crate) async fn connect_as_meant(to: SocketAddr) -> io::Result<Stream> {
    let connected = within(CONNECT_AS_MEANT_WITHIN, TcpStream::connect(to)).await;
    let opened = connected.and_then(|stream| set_options(&stream).map(|()| Stream::Plain(stream)));
    opened.map_err(|error| io::Error::new(error.kind(), format!("{to}: {error}")))
}

/// Connects to brokers, and takes the bootstrap servers in turn.
#[derive(Default)]
pub(crate) struct Brokers {
    next: AtomicUsize,
    lookups: Lookups,
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
        self.open(broker, upstream).await.map_err(|error| {
            let words = format!("{broker}: {error}");
            explained(error, words)
        })
    }

    async fn open(&self, broker: &Address, upstream: &Upstream) -> io::Result<Stream> {
        let addresses = self.lookups.addresses(&broker.host, broker.port).await?;
        let stream = race(addresses).await.inspect_err(|_| self.lookups.distrust(&broker.host))?;
        set_options(&stream)?;
        let Some(tls) = &upstream.tls else { return Ok(Stream::Plain(stream)) };
        let handshake = self.trust.connect(tls.ca_file.as_deref(), &broker.host, stream);
        Ok(Stream::Tls(Box::new(within(CONNECT_WITHIN, handshake).await?)))
    }
}

/// Connect to the first of these addresses that answers: one after the other is tried beside those before it (RFC 8305).
async fn race(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let (mut waiting, mut attempts) = (addresses.into_iter(), JoinSet::new());
    loop {
        if let Some(address) = waiting.next() {
            attempts.spawn(async move { within(CONNECT_WITHIN, TcpStream::connect(address)).await });
        }
        tokio::select! {
            ended = attempts.join_next() => match ended {
                Some(Ok(Ok(stream))) => return Ok(stream),
                Some(Ok(Err(error))) => last = error,
                Some(Err(error)) => last = io::Error::other(error),
                None => return Err(last),
            },
            () = sleep(APART), if waiting.len() > 0 => {}
        }
    }
}

async fn within<T>(time: Duration, done: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(time, done).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
