//! The first bytes of a frame, however they arrive.

use std::fmt;

use crate::reader::Reader;
use crate::wipe::wipe;

/// Room for a header of usual size, in bytes.
const USUAL: usize = 256;

/// Keeps the first bytes of the frame that passes, up to a limit.
///
/// What is kept grows with the bytes that came, never by a length that a peer declared. It may be a secret: it is
/// overwritten as soon as it is not needed, and not shown.
pub(crate) struct Prefix {
    limit: usize,
    length: usize,
    kept: Vec<u8>,
}

impl Prefix {
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, length: 0, kept: Vec::new() }
    }

    /// A frame of `length` bytes begins.
    pub(crate) fn begin(&mut self, length: usize) {
        self.length = length;
        self.truncate(0);
    }

    pub(crate) fn add(&mut self, body: &[u8]) {
        let wanted = self.limit.saturating_sub(self.kept.len());
        let (kept, _) = body.split_at(wanted.min(body.len()));
        self.make_room(kept.len());
        self.kept.extend_from_slice(kept);
    }

    /// Grow by hand, so that what was kept does not stay behind in the memory that is given back.
    fn make_room(&mut self, wanted: usize) {
        let room = self.kept.capacity().saturating_sub(self.kept.len());
        if room < wanted {
            let mut grown = Vec::with_capacity(self.kept.len().saturating_add(wanted.max(self.kept.len())));
            grown.extend_from_slice(&self.kept);
            wipe(&mut self.kept);
            self.kept = grown;
        }
    }

    /// Keep no more than the first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        if let Some(beyond @ [_, ..]) = self.kept.get_mut(length..) {
            wipe(beyond);
            self.kept.truncate(length);
        }
    }

    /// How many bytes are kept at most.
    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    /// Returns true if no more is kept, whatever comes.
    pub(crate) const fn is_full(&self) -> bool {
        self.kept.len() >= self.limit
    }

    /// The frame is done with: between frames little memory is held.
    pub(crate) fn release(&mut self) {
        self.truncate(0);
        self.kept.shrink_to(USUAL);
    }

    /// The length of the whole frame.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// A reader of what is kept.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader::of_prefix(&self.kept, self.length)
    }

    /// The frame, if all of it is kept.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        (self.kept.len() == self.length).then_some(&self.kept)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.kept
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Prefix({} of {} bytes)", self.kept.len(), self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_grows_with_what_came_and_not_with_what_was_declared() {
        let mut prefix = Prefix::new(4096);

        prefix.begin(usize::MAX);
        prefix.add(&[1; 10]);
        assert!(prefix.kept.capacity() <= 64);

        prefix.add(&vec![2; 100_000]);
        assert_eq!(prefix.bytes().len(), 4096);
        assert!(prefix.kept.capacity() <= 8192);
    }
}
