//! Up to which time everything that was counted is delivered, or counted as dropped.

use std::collections::VecDeque;

/// Follows harvests through the queue.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Windows that end before this time, in milliseconds since 1970, have numbers below this.
    waiting: VecDeque<(u64, u64)>,
    until_ms: u64,
}

impl Progress {
    pub(super) fn from(start_ms: u64) -> Self {
        Self { waiting: VecDeque::new(), until_ms: start_ms }
    }

    /// All windows that end before this are in the queue, whose next number is this.
    pub(super) fn add(&mut self, until_ms: u64, next: u64) {
        match self.waiting.back_mut() {
            Some((until, last)) if *last == next => *until = until_ms.max(*until),
            _ => self.waiting.push_back((until_ms, next)),
        }
    }

    /// Every number below this is final.
    pub(super) fn settle(&mut self, settled: u64) -> u64 {
        while let Some((until_ms, _)) = self.waiting.pop_front_if(|(_, next)| *next <= settled) {
            self.until_ms = until_ms.max(self.until_ms);
        }
        self.until_ms
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn it_is_as_far_as_what_is_settled() {
        let mut progress = Progress::from(5);
        progress.add(10, 4);
        progress.add(20, 9);
        progress.add(30, 9);

        assert_eq!([3, 4, 8, 9].map(|settled| progress.settle(settled)), [5, 10, 10, 30]);
    }
}
