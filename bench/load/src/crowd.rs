//! Many connections at once: all of them with a request on its way, or all of them new.

use std::any::Any;
use std::io::{Read, Write};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use rustls::ClientConfig;

use crate::client::{connect, greeted, opened};
use crate::drive::send;
use crate::frames::Frames;
use crate::messages::{fetch_request, name, produce_request};
use crate::tls::connected;

/// A connection is not served that waits longer for an answer.
const PATIENCE: Duration = Duration::from_mins(1);
const STACK_BYTES: usize = 128 << 10;

/// Have every connection send a request before the first answer is read, round after round. Half of them produce.
///
/// # Panics
/// A connection is not served.
pub(crate) fn busy(to: &str, connections: usize, batch: usize, lasts: Duration) {
    let mut clients: Vec<_> = (0..connections).map(|_| connect(to)).collect();
    for client in &mut clients {
        client.stream().set_read_timeout(Some(PATIENCE)).unwrap();
    }
    println!("ready");
    let mut requests = [produce_request(batch), fetch_request(batch)];
    let (began, mut rounds) = (Instant::now(), 0);
    while rounds == 0 || began.elapsed() < lasts {
        for (number, client) in clients.iter_mut().enumerate() {
            let request = &mut requests[number % 2];
            name(request, number);
            send(client.stream(), request, rounds);
        }
        for client in &mut clients {
            client.next().expect("an answer");
        }
        rounds += 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    let requests = rounds * u64::try_from(connections).unwrap();
    println!(r#"{{"connections": {connections}, "rounds": {rounds}, "requests": {requests}, "seconds": {seconds}}}"#);
}

/// Have all clients close and connect again at the same time, and print the seconds until the last had an answer to a
/// request of 4 KiB, of each storm.
///
/// # Panics
/// A client is not served.
pub(crate) fn storm(to: &str, connections: usize, storms: usize, tls: Option<&Arc<ClientConfig>>) {
    let together = Arc::new(Barrier::new(connections));
    let clients: Vec<_> = (0..connections)
        .map(|_| {
            let (to, tls, together) = (to.to_owned(), tls.cloned(), Arc::clone(&together));
            let started = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
                let mut held = once(&to, tls.as_ref());
                let mut times = Vec::new();
                for _ in 0..storms {
                    together.wait();
                    let began = Instant::now();
                    drop(held);
                    held = once(&to, tls.as_ref());
                    times.push((began, Instant::now()));
                }
                together.wait();
                times
            });
            started.expect("a thread")
        })
        .collect();
    let times: Vec<_> = clients.into_iter().map(|client| client.join().expect("a client")).collect();
    let seconds: Vec<_> = (0..storms)
        .map(|storm| {
            let began = times.iter().map(|client| client[storm].0).min().unwrap();
            times.iter().map(|client| client[storm].1 - began).max().unwrap().as_secs_f64()
        })
        .collect();
    println!(r#"{{"connections": {connections}, "seconds": {seconds:?}}}"#);
}

/// A connection that was served once.
fn once(to: &str, tls: Option<&Arc<ClientConfig>>) -> Box<dyn Any> {
    let stream = opened(to);
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    match tls {
        Some(config) => Box::new(served(connected(config, to, stream))),
        None => Box::new(served(stream)),
    }
}

fn served<S: Read + Write>(stream: S) -> Frames<S> {
    let mut frames = greeted(stream);
    send(frames.stream(), &mut produce_request(4 << 10), 0);
    frames.next().expect("an answer");
    frames
}
