//! Clients that send as much as is answered, or so many requests a second, and what they saw.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use rustls::ClientConfig;

use crate::client::{connect, greeted, opened};
use crate::frames::Frames;
use crate::messages::{CORRELATION, fetch_request, produce_request};
use crate::tls::connected;

/// What is to be sent.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) to: String,
    pub(crate) milliseconds: usize,
    /// Bytes of a batch, written or read.
    pub(crate) batch: usize,
    /// Connections that write.
    pub(crate) produce: usize,
    /// Connections that read.
    pub(crate) fetch: usize,
    /// Requests of a connection that may wait for their answers, where there is no rate.
    pub(crate) in_flight: usize,
    /// Requests a second of all connections; 0 is as many as are answered.
    pub(crate) rate: usize,
    /// Clients speak TLS; not where there is a rate.
    pub(crate) tls: Option<Arc<ClientConfig>>,
}

/// What one connection saw.
#[derive(Default)]
struct Seen {
    requests: u64,
    seconds: f64,
    /// From the moment a request was due to its answer.
    latencies: Vec<Duration>,
}

/// Drive, and print requests, bytes of batches, seconds and, with a rate, latencies in microseconds.
pub(crate) fn drive(wanted: &Wanted) {
    let connections = wanted.produce + wanted.fetch;
    let together = Arc::new(Barrier::new(connections));
    let clients: Vec<_> = (0..connections)
        .map(|number| {
            let bytes = wanted.batch;
            let request = if number < wanted.produce { produce_request(bytes) } else { fetch_request(bytes) };
            let together = Arc::clone(&together);
            let lasts = Duration::from_millis(u64::try_from(wanted.milliseconds).unwrap());
            let (in_flight, rate) = (wanted.in_flight, wanted.rate);
            if let Some(config) = &wanted.tls {
                assert_eq!(rate, 0, "reading and writing have one thread with TLS");
                let frames = greeted(connected(config, &wanted.to, opened(&wanted.to)));
                return thread::spawn(move || {
                    together.wait();
                    as_answered(frames, request, lasts, in_flight)
                });
            }
            let frames = connect(&wanted.to);
            thread::spawn(move || {
                together.wait();
                if rate == 0 {
                    as_answered(frames, request, lasts, in_flight)
                } else {
                    let every =
                        Duration::from_secs(1) * u32::try_from(connections).unwrap() / u32::try_from(rate).unwrap();
                    let first = every * u32::try_from(number).unwrap() / u32::try_from(connections).unwrap();
                    when_due(frames, request, lasts, first, every)
                }
            })
        })
        .collect();
    let seen: Vec<Seen> = clients.into_iter().map(|client| client.join().expect("a client")).collect();
    let requests: u64 = seen.iter().map(|one| one.requests).sum();
    let bytes = requests * u64::try_from(wanted.batch).unwrap();
    let seconds = seen.iter().map(|one| one.seconds).fold(0.0, f64::max);
    let mut latencies: Vec<_> = seen.into_iter().flat_map(|one| one.latencies).collect();
    latencies.sort_unstable();
    let quantile = |share: usize| latencies.get(latencies.len() * share / 1000).map_or(0, Duration::as_micros);
    println!(
        r#"{{"requests": {requests}, "bytes": {bytes}, "seconds": {seconds}, "p50_us": {}, "p99_us": {}}}"#,
        quantile(500),
        quantile(990)
    );
}

pub(crate) fn send(stream: &mut impl Write, request: &mut [u8], number: u64) {
    let correlation = u32::try_from(number & 0x7fff_ffff).unwrap().to_be_bytes();
    request[4 + CORRELATION..4 + CORRELATION + 4].copy_from_slice(&correlation);
    stream.write_all(request).expect("a relay that lives");
}

/// Always `in_flight` requests wait for their answers.
fn as_answered<S>(mut frames: Frames<S>, mut request: Vec<u8>, lasts: Duration, in_flight: usize) -> Seen
where
    S: Read + Write,
{
    let (began, mut sent, mut answered) = (Instant::now(), 0, 0);
    let in_flight = u64::try_from(in_flight).unwrap();
    while sent < in_flight {
        send(frames.stream(), &mut request, sent);
        sent += 1;
    }
    while answered < sent {
        frames.next().expect("an answer");
        answered += 1;
        if began.elapsed() < lasts {
            send(frames.stream(), &mut request, sent);
            sent += 1;
        }
    }
    Seen { requests: answered, seconds: began.elapsed().as_secs_f64(), latencies: Vec::new() }
}

/// A request is sent when it is due, whether those before it were answered or not.
fn when_due(
    mut frames: Frames<TcpStream>,
    mut request: Vec<u8>,
    lasts: Duration,
    first: Duration,
    every: Duration,
) -> Seen {
    let mut stream = frames.stream().try_clone().unwrap();
    let began = Instant::now() + first;
    let count = u64::try_from(lasts.as_nanos() / every.as_nanos()).unwrap();
    let due = move |number: u64| began + Duration::from_nanos(u64::try_from(every.as_nanos()).unwrap() * number);
    let writer = thread::spawn(move || {
        for number in 0..count {
            thread::sleep(due(number).saturating_duration_since(Instant::now()));
            send(&mut stream, &mut request, number);
        }
    });
    let latencies: Vec<_> = (0..count)
        .map(|number| {
            frames.next().expect("an answer");
            due(number).elapsed()
        })
        .collect();
    writer.join().expect("a writer");
    Seen { requests: count, seconds: began.elapsed().as_secs_f64(), latencies }
}
