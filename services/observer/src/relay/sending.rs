//! States whether a side of a relayed connection still sends, or how it ended.

/// The state of what a side sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sending {
    /// It sends.
    Open,
    /// It was reset, and what came before is still read. The system says so once: a read then finds no more than an end.
    Reset,
    /// It ended in good order.
    Whole,
    /// It ended without the end that TLS has, as a process does that is killed.
    Truncated,
    /// It failed.
    Failed,
}

impl Sending {
    pub(super) const fn has_ended(self) -> bool {
        !matches!(self, Self::Open | Self::Reset)
    }

    /// Note that writing to this side was answered by a reset.
    pub(super) fn note_reset(&mut self) {
        if *self == Self::Open {
            *self = Self::Reset;
        }
    }

    /// Note its end.
    pub(super) fn end(&mut self, ended: Self) {
        *self = if *self == Self::Reset { Self::Failed } else { ended };
    }
}
