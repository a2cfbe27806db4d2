//! What has to be written to the client, without a copy wherever the bytes at hand will do.

use std::ops::Range;

/// Collects, of bytes that came, what goes on.
pub(super) struct Output<'a> {
    came: &'a mut [u8],
    /// The part of `came` that goes on, until something else has to be written behind it.
    part: Range<usize>,
    written: &'a mut Vec<u8>,
    is_written: bool,
}

impl<'a> Output<'a> {
    /// Nothing goes on yet. `written` is emptied.
    pub(super) fn new(came: &'a mut [u8], written: &'a mut Vec<u8>) -> Self {
        written.clear();
        Self { came, part: 0..0, written, is_written: false }
    }

    /// How many bytes came.
    pub(super) const fn len(&self) -> usize {
        self.came.len()
    }

    /// This part of the bytes that came, which may be changed until it goes on.
    pub(super) fn came(&mut self, part: Range<usize>) -> &mut [u8] {
        self.came.get_mut(part).unwrap_or_default()
    }

    /// This part of the bytes that came goes on as it is now.
    pub(super) fn pass(&mut self, part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        if !self.is_written && self.part.is_empty() {
            self.part = part;
        } else if !self.is_written && self.part.end == part.start {
            self.part.end = part.end;
        } else {
            self.write_part();
            self.written.extend_from_slice(self.came.get(part).unwrap_or_default());
        }
    }

    /// Where to append what goes on and did not come.
    pub(super) fn write(&mut self) -> &mut Vec<u8> {
        self.write_part();
        self.written
    }

    fn write_part(&mut self) {
        if !self.is_written {
            self.is_written = true;
            self.written.extend_from_slice(self.came.get(self.part.clone()).unwrap_or_default());
        }
    }

    /// All that came goes on as it came, and nothing else.
    pub(super) fn restore(&mut self) {
        self.written.clear();
        (self.part, self.is_written) = (0..self.came.len(), false);
    }

    /// All that goes on.
    pub(super) fn finish(self) -> &'a [u8] {
        if self.is_written { self.written } else { self.came.get(self.part).unwrap_or_default() }
    }
}
