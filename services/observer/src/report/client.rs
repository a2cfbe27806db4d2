//! One request to the collector, over a connection of its own.

use std::future::Future;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::relay::Stream;
use crate::settings::Collector;
use crate::tls::Trust;

const CONNECT_WITHIN: Duration = Duration::from_secs(3);
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const LONGEST_ANSWER: usize = 4 << 20;

/// Opens connections to collectors.
pub trait Connect {
    /// A connection.
    type Connection: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Connect to this host and port; with TLS where CA certificates are named, in a file or as those of the system.
    ///
    /// # Errors
    /// There is no connection.
    fn connect(
        &self,
        host: &str,
        port: u16,
        tls: Option<Tls<'_>>,
    ) -> impl Future<Output = io::Result<Self::Connection>>;
}

/// TLS towards a collector.
#[derive(Clone, Copy, Debug)]
pub struct Tls<'a> {
    /// CA certificates that are trusted, PEM; without it those of the system.
    pub ca_file: Option<&'a Path>,
}

/// Connects through the system.
#[derive(Default)]
pub(crate) struct Tcp {
    trust: Trust,
}

impl Connect for Tcp {
    type Connection = Stream;

    async fn connect(&self, host: &str, port: u16, tls: Option<Tls<'_>>) -> io::Result<Stream> {
        let stream = TcpStream::connect((host, port)).await?;
        match tls {
            None => Ok(Stream::Plain(stream)),
            Some(Tls { ca_file }) => Ok(Stream::Tls(Box::new(self.trust.connect(ca_file, host, stream).await?))),
        }
    }
}

/// Posts to the collector. The token is read again for each request.
pub(crate) struct Client<C> {
    network: C,
}

impl<C: Connect> Client<C> {
    pub(crate) const fn new(network: C) -> Self {
        Self { network }
    }

    /// Post rows and totals to the replica with this ordinal.
    ///
    /// # Errors
    /// There is no connection, or no whole answer in time.
    pub(crate) async fn post(&self, to: &Collector, ordinal: u32, body: &[u8]) -> io::Result<(StatusCode, Bytes)> {
        self.send(to, ordinal, "/v1/events", Some(("application/x-ndjson", body))).await
    }

    /// Post a body of this type to the replica with this ordinal, or get what is there.
    ///
    /// # Errors
    /// There is no connection, or no whole answer in time.
    pub(crate) async fn send(
        &self,
        to: &Collector,
        ordinal: u32,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> io::Result<(StatusCode, Bytes)> {
        timeout(ANSWER_WITHIN, self.send_now(to, ordinal, path, body))
            .await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in time")))
    }

    async fn send_now(
        &self,
        to: &Collector,
        ordinal: u32,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> io::Result<(StatusCode, Bytes)> {
        let url = format!("{}{path}", to.url.replace("{ordinal}", &ordinal.to_string()).trim_end_matches('/'));
        let uri: Uri = url.parse().map_err(|_| invalid(format!("{url} is no URL")))?;
        let token = std::fs::read_to_string(&to.token_file)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", to.token_file.display())))?;
        let host = uri.authority().ok_or_else(|| invalid(format!("{url} has no host")))?.clone();
        let request = Request::builder()
            .uri(uri.path())
            .header("Host", host.as_str())
            .header("Authorization", format!("Bearer {}", token.trim()))
            .header("Kwitness-Protocol", "2")
            .header("Kwitness-Owner", ordinal.to_string());
        let (request, content) = match body {
            None => (request.method(Method::GET), Bytes::new()),
            Some((kind, body)) => {
                let request = request.method(Method::POST).header("Content-Type", kind);
                (request.header("Content-Encoding", "gzip"), Bytes::from(gzip(body)?))
            }
        };
        let request = request
            .body(Full::new(content))
            .map_err(|_| invalid("the token is none that a header can hold".to_owned()))?;
        let stream = self.connect(to, &uri).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        let connected = tokio::spawn(connection);
        let answered = async {
            let response = sender.send_request(request).await.map_err(io::Error::other)?;
            let status = response.status();
            let body = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await.map_err(io::Error::other)?;
            Ok((status, body.to_bytes()))
        };
        let answer = answered.await;
        connected.abort();
        answer
    }

    async fn connect(&self, to: &Collector, uri: &Uri) -> io::Result<C::Connection> {
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let tls = is_tls.then_some(Tls { ca_file: to.ca_file.as_deref() });
        let connected = timeout(CONNECT_WITHIN, self.network.connect(host, port, tls)).await;
        let connected = connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        connected.map_err(|error: io::Error| io::Error::new(error.kind(), format!("{host}:{port}: {error}")))
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body)?;
    encoder.finish()
}
