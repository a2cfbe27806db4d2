//! The port that Kubernetes and Prometheus ask: `/healthz`, `/readyz` and `/metrics`.

use std::convert::Infallible;
use std::io;
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
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::sockets::{EVERY_ADDRESS, listen};

/// How long a question may take to arrive.
const READ_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may stay; a scrape that comes later opens another.
const SERVED_FOR: Duration = Duration::from_mins(1);
/// How many connections are served at once. What is beyond waits, one of a family accepted, and takes no descriptors
/// from clients.
const MOST_CONNECTIONS: usize = 64;
/// How long the system is left alone after it refused.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers what is asked.
pub(crate) trait Answers: Send + Sync + 'static {
    /// None when clients can be served, else what is wrong, in one line.
    fn trouble(&self) -> Option<String>;
    /// None unless the process has to be started again, else why, in one line.
    fn failure(&self) -> Option<String>;
    /// The text of a scrape.
    fn metrics(&self) -> String;
}

/// Listen on this port of all addresses, and answer until the process ends.
///
/// # Errors
/// The port cannot be had.
pub(crate) fn serve(port: u16, answers: &Arc<impl Answers>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    for listener in listen(EVERY_ADDRESS, port)? {
        tokio::spawn(accept(listener, Arc::clone(answers), Arc::clone(&places)));
    }
    Ok(())
}

async fn accept(listener: TcpListener, answers: Arc<impl Answers>, places: Arc<Semaphore>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = answer(&request, &*answers);
                async { Ok::<_, Infallible>(response) }
            });
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(READ_WITHIN);
            // Whoever breaks off needs no answer.
            let _ = timeout(SERVED_FOR, server.serve_connection(TokioIo::new(stream), service)).await;
            drop(place);
        });
    }
}

fn answer(request: &Request<Incoming>, answers: &impl Answers) -> Response<Full<Bytes>> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let probe = |problem: Option<String>| match problem {
        None => (StatusCode::OK, PLAIN, "ok".to_owned()),
        Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, PLAIN, problem),
    };
    let (status, kind, text) = match request.uri().path() {
        "/healthz" => probe(answers.failure()),
        "/readyz" => probe(answers.trouble()),
        "/metrics" => (StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", answers.metrics()),
        _ => (StatusCode::NOT_FOUND, PLAIN, "not found".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}
