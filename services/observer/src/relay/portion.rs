//! Decides how many bytes are read at once.

use super::turn::TURN_BYTES;

const USUAL_BYTES: usize = 64 << 10;
/// Of a frame that may be long: its beginning, so that the rest can be moved unread.
const BEGINNING_BYTES: usize = 2 << 10;

/// Fewer bytes are read and written sooner than moved.
#[cfg(target_os = "linux")]
const LEAST_MOVED_BYTES: usize = 32 << 10;

/// Follows the reads and writes of one direction.
#[derive(Debug, Default)]
pub(super) struct Portion {
    /// The receiver took all that was written to it last.
    receiver_keeps_up: bool,
    /// Bytes were moved unread, and what comes next may be the beginning of more of them.
    expects_unread: bool,
}

impl Portion {
    /// How many bytes to read, where so many are missing to the end of the frame.
    pub(super) fn to_read(&self, to_boundary: Option<usize>) -> usize {
        let is_long = to_boundary.is_some_and(|left| left > USUAL_BYTES);
        match self {
            Self { expects_unread: true, .. } => BEGINNING_BYTES,
            Self { receiver_keeps_up: true, .. } if is_long => TURN_BYTES,
            _ => USUAL_BYTES,
        }
    }

    /// How many of so many bytes to move: what the receiver does not take has to be kept.
    #[cfg(target_os = "linux")]
    pub(super) fn to_move(&self, unread: usize) -> usize {
        if self.receiver_keeps_up { unread } else { unread.min(USUAL_BYTES) }
    }

    /// How many bytes are worth moving: also the rest of those of which some were moved, so that the next read begins
    /// where something is read.
    #[cfg(target_os = "linux")]
    pub(super) const fn least_to_move(&self) -> usize {
        if self.expects_unread { 1 } else { LEAST_MOVED_BYTES }
    }

    /// So many bytes were read. Where a whole beginning leads to nothing that is moved, frames are short again.
    pub(super) const fn read(&mut self, bytes: usize) {
        self.expects_unread = self.expects_unread && bytes < BEGINNING_BYTES;
    }

    /// Bytes were moved.
    #[cfg(target_os = "linux")]
    pub(super) const fn moved(&mut self) {
        self.expects_unread = true;
    }

    /// The receiver took all of the bytes that were written, or did not.
    pub(super) const fn written(&mut self, all: bool) {
        self.receiver_keeps_up = all;
    }
}
