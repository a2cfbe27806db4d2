//! Moves bytes from one socket to another within the kernel, through a pipe of the thread.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::task::{Context, Poll, ready};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use tokio::io::Interest;
use tokio::net::TcpStream;

use super::turn::TURN_BYTES;

thread_local! {
    /// Empty between two calls.
    static PIPE: RefCell<Option<Pipe>> = const { RefCell::new(None) };
}

/// Bytes that were moved.
pub(super) struct Moved {
    /// How many bytes were read; none at the end.
    pub(super) read: usize,
    /// Those that the receiver has not read yet, or why it reads no more.
    pub(super) rest: io::Result<Vec<u8>>,
}

/// Move what has come, at most so many bytes; `None` where the system gives no pipe.
pub(super) fn poll_move(
    cx: &mut Context<'_>,
    from: &TcpStream,
    to: &TcpStream,
    most: usize,
) -> Option<Poll<io::Result<Moved>>> {
    PIPE.with_borrow_mut(|kept| {
        let pipe = match kept {
            Some(pipe) => pipe,
            None => kept.insert(Pipe::new().ok()?),
        };
        let read = match pipe.poll_fill(cx, from, most) {
            Poll::Ready(Ok(read)) => read,
            other => return Some(other.map_ok(|read| Moved { read, rest: Ok(Vec::new()) })),
        };
        let rest = pipe.empty(to, read);
        if rest.is_err() {
            *kept = None; // with what is left in it
        }
        Some(Poll::Ready(Ok(Moved { read, rest })))
    })
}

#[derive(Debug)]
struct Pipe {
    input: OwnedFd,
    output: File,
}

impl Pipe {
    fn new() -> io::Result<Self> {
        let (output, input) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // A smaller one does as well.
        let _ = fcntl_setpipe_size(&input, TURN_BYTES);
        Ok(Self { input, output: output.into() })
    }

    /// Take what the socket has.
    fn poll_fill(&self, cx: &mut Context<'_>, from: &TcpStream, most: usize) -> Poll<io::Result<usize>> {
        loop {
            ready!(from.poll_read_ready(cx))?;
            let fill = || Ok(splice(from, None, &self.input, None, most, SpliceFlags::NONBLOCK)?);
            match from.try_io(Interest::READABLE, fill) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                filled => return Poll::Ready(filled),
            }
        }
    }

    /// Give the socket so many bytes, which are all that there are; returns those that it does not take now.
    fn empty(&mut self, to: &TcpStream, bytes: usize) -> io::Result<Vec<u8>> {
        let mut left = bytes;
        while left > 0 {
            let empty = || Ok(splice(&self.output, None, to, None, left, SpliceFlags::NONBLOCK)?);
            match to.try_io(Interest::WRITABLE, empty) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => left = left.saturating_sub(written),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        let mut rest = vec![0; left];
        self.output.read_exact(&mut rest)?;
        Ok(rest)
    }
}
