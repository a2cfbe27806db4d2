//! A client that has asked what clients ask first.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::frames::Frames;
use crate::messages::{api_versions_request, metadata_request};

/// Connect, and wait for the answers to `ApiVersions` and Metadata.
pub(crate) fn connect(to: &str) -> Frames<TcpStream> {
    greeted(opened(to))
}

/// Connect, and no more.
pub(crate) fn opened(to: &str) -> TcpStream {
    let stream = TcpStream::connect(to).expect("a connection");
    stream.set_nodelay(true).unwrap();
    stream
}

/// Wait for the answers to `ApiVersions` and Metadata.
pub(crate) fn greeted<S: Read + Write>(stream: S) -> Frames<S> {
    let mut frames = Frames::new(stream);
    for request in [api_versions_request(), metadata_request()] {
        frames.stream().write_all(&request).unwrap();
        frames.next().expect("an answer");
    }
    frames
}
