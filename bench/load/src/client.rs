//! A client that has asked what clients ask first.

use std::io::Write;
use std::net::TcpStream;

use crate::frames::Frames;
use crate::messages::{api_versions_request, metadata_request};

/// Connect, and wait for the answers to `ApiVersions` and Metadata.
pub(crate) fn connect(to: &str) -> TcpStream {
    let mut stream = TcpStream::connect(to).expect("a connection");
    stream.set_nodelay(true).unwrap();
    let mut frames = Frames::new(stream.try_clone().unwrap());
    for request in [api_versions_request(), metadata_request()] {
        stream.write_all(&request).unwrap();
        frames.next().expect("an answer");
    }
    stream
}
