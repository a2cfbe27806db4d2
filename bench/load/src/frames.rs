//! Frames out of a stream, read many at once.

use std::io::Read;

const BUFFER_BYTES: usize = 256 << 10;
/// So much of a frame is shown; nobody needs more.
const SHOWN: usize = 64;

/// Reads frames of a connection.
pub(crate) struct Frames<S> {
    stream: S,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<S: Read> Frames<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, buffer: vec![0; BUFFER_BYTES], start: 0, end: 0 }
    }

    /// The stream, to write to.
    pub(crate) const fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// The length of the next frame and its first bytes, when it was read wholly; none when the peer is gone.
    pub(crate) fn next(&mut self) -> Option<(usize, [u8; SHOWN])> {
        let mut head = [0; 4];
        self.fill(4)?;
        head.copy_from_slice(&self.buffer[self.start..self.start + 4]);
        self.start += 4;
        let length = usize::try_from(i32::from_be_bytes(head)).expect("a length is not negative");
        let mut shown = [0; SHOWN];
        let count = length.min(SHOWN);
        self.fill(count)?;
        shown[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
        let mut left = length;
        while left > 0 {
            self.fill(1)?;
            let taken = left.min(self.end - self.start);
            self.start += taken;
            left -= taken;
        }
        Some((length, shown))
    }

    /// Whether a frame's length is at hand without reading.
    pub(crate) fn has_more(&self) -> bool {
        self.end - self.start >= 4
    }

    fn fill(&mut self, count: usize) -> Option<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count {
            match self.stream.read(&mut self.buffer[self.end..]) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.end += read,
            }
        }
        Some(())
    }
}
