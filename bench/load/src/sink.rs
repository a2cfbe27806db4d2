//! Answers at once what a broker would answer later.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use rustls::ServerConfig;
use socket2::{Domain, Socket, Type};

use crate::frames::Frames;
use crate::messages::{CORRELATION, FETCH, FETCH_BYTES, response};
use crate::tls::accepted;

/// Connections that wait to be accepted; beyond it clients try again after a second.
const BACKLOG: i32 = 4_096;
const STACK_BYTES: usize = 128 << 10;
/// Answers are written together up to so many bytes, while requests are at hand.
const TOGETHER: usize = 64 << 10;

/// Serve on a free port of loopback, by TLS if it is configured, and print the address.
pub(crate) fn serve(tls: Option<&Arc<ServerConfig>>) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a port of loopback");
    socket.listen(BACKLOG).unwrap();
    let listener = TcpListener::from(socket);
    let port = listener.local_addr().unwrap().port();
    println!("127.0.0.1:{port}");
    for stream in listener.incoming() {
        let stream = stream.expect("a client");
        stream.set_nodelay(true).unwrap();
        let answering = thread::Builder::new().stack_size(STACK_BYTES);
        let started = if let Some(config) = tls {
            let stream = accepted(config, stream);
            answering.spawn(move || answer(stream, port))
        } else {
            answering.spawn(move || answer(stream, port))
        };
        started.expect("a thread");
    }
}

fn answer<S: Read + Write>(stream: S, port: u16) {
    let mut frames = Frames::new(stream);
    let mut known: HashMap<(i16, usize), Vec<u8>> = HashMap::new();
    let mut together = Vec::new();
    while let Some((_, request)) = frames.next() {
        let key = i16::from_be_bytes([request[0], request[1]]);
        let most: [u8; 4] = request[FETCH_BYTES..FETCH_BYTES + 4].try_into().unwrap();
        let fetched = if key == FETCH { usize::try_from(i32::from_be_bytes(most)).unwrap() } else { 0 };
        let answer = known.entry((key, fetched)).or_insert_with(|| response(key, fetched, port));
        answer[4..8].copy_from_slice(&request[CORRELATION..CORRELATION + 4]);
        let is_last = !frames.has_more() || together.len() + answer.len() > TOGETHER;
        let written = if is_last && together.is_empty() {
            frames.stream().write_all(answer)
        } else {
            together.extend_from_slice(answer);
            if is_last { frames.stream().write_all(&together) } else { Ok(()) }
        };
        if is_last {
            together.clear();
        }
        if written.is_err() {
            return;
        }
    }
}
