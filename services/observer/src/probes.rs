//! The port that Kubernetes and Prometheus ask: `/healthz`, `/readyz` and `/metrics`.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

/// How long a question may take to arrive.
const READ_WITHIN: Duration = Duration::from_secs(5);
/// How long the system is left alone after it refused.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers what is asked.
pub(crate) trait Answers: Send + Sync + 'static {
    /// None when clients can be served, else what is wrong, in one line.
    fn trouble(&self) -> Option<String>;
    /// The text of a scrape.
    fn metrics(&self) -> String;
}

/// Listen on this port of all addresses, and answer until the process ends.
///
/// # Errors
/// The port cannot be had.
pub(crate) fn serve(port: u16, answers: Arc<impl Answers>) -> io::Result<()> {
    let socket = socket2::Socket::new(socket2::Domain::IPV6, socket2::Type::STREAM, None);
    let listener = match socket {
        Ok(socket) => both_families(&socket, port).map(|()| std::net::TcpListener::from(socket)),
        Err(error) => Err(error), // a machine without IPv6
    };
    let listener = listener.or_else(|_| std::net::TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, port)))?;
    listener.set_nonblocking(true)?;
    tokio::spawn(accept(TcpListener::from_std(listener)?, answers));
    Ok(())
}

fn both_families(socket: &socket2::Socket, port: u16) -> io::Result<()> {
    socket.set_only_v6(false)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)).into())?;
    socket.listen(16)
}

async fn accept(listener: TcpListener, answers: Arc<impl Answers>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = answer(&request, &*answers);
                async { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(READ_WITHIN);
            // Whoever breaks off needs no answer.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn answer(request: &Request<Incoming>, answers: &impl Answers) -> Response<Full<Bytes>> {
    let (status, kind, text) = match request.uri().path() {
        "/healthz" => (StatusCode::OK, "text/plain; charset=utf-8", "ok".to_owned()),
        "/readyz" => match answers.trouble() {
            None => (StatusCode::OK, "text/plain; charset=utf-8", "ok".to_owned()),
            Some(trouble) => (StatusCode::SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", trouble),
        },
        "/metrics" => (StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", answers.metrics()),
        _ => (StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "not found".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}
