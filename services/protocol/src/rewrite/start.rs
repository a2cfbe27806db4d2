//! Reads where a response begins: its length and correlation id.

use std::ops::Range;

use super::output::Output;

pub(super) const START_BYTES: usize = 8;
pub(super) const LENGTH_BYTES: usize = 4;
pub(super) const CORRELATION_BYTES: usize = 4;

/// Length and correlation id, as far as they came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    pub(super) bytes: [u8; START_BYTES],
    pub(super) have: usize,
    /// They were passed on as they came, since nothing is changed in what they begin.
    pub(super) have_passed: bool,
}

impl Start {
    pub(super) const NONE: Self = Self { bytes: [0; START_BYTES], have: 0, have_passed: false };

    /// Take what is missing of the first `wanted` bytes from the front of `bytes`; how many were taken.
    pub(super) fn take(&mut self, wanted: usize, bytes: &[u8]) -> usize {
        let missing = self.bytes.iter_mut().take(wanted).skip(self.have);
        let taken = missing.zip(bytes).map(|(place, byte)| *place = *byte).count();
        self.have = self.have.saturating_add(taken);
        taken
    }

    /// Returns true if the frame is too short for a correlation id.
    pub(super) fn is_short(&self) -> bool {
        self.have == LENGTH_BYTES && (0..4).contains(&self.length())
    }

    pub(super) fn length(&self) -> i32 {
        let [a, b, c, d, ..] = self.bytes;
        i32::from_be_bytes([a, b, c, d])
    }

    pub(super) fn correlation(&self) -> i32 {
        let [.., a, b, c, d] = self.bytes;
        i32::from_be_bytes([a, b, c, d])
    }

    /// It goes on; this part of what came is it, or its last bytes.
    pub(super) fn pass(&self, part: Range<usize>, output: &mut Output<'_>) {
        if self.have_passed {
            return;
        }
        if part.len() == self.have {
            output.pass(part);
        } else {
            output.write().extend(self.bytes.iter().take(self.have));
        }
    }
}
