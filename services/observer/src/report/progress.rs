//! Up to which time everything that was seen is delivered, or counted as dropped.

use std::collections::VecDeque;

/// Follows the windows of all threads through the queue.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Thread, end in milliseconds since 1970, and the number that follows the window's own.
    waiting: VecDeque<(usize, u64, u64)>,
    /// Up to which time each thread's windows are settled.
    threads: Vec<u64>,
}

impl Progress {
    /// Of so many threads that began at this time, in milliseconds since 1970.
    pub(crate) fn new(threads: usize, start_ms: u64) -> Self {
        Self { waiting: VecDeque::new(), threads: vec![start_ms; threads] }
    }

    /// A window of this thread is in the queue, whose next number is this.
    pub(crate) fn add(&mut self, thread: usize, end_ms: u64, next: u64) {
        self.waiting.push_back((thread, end_ms, next));
    }

    /// Every number below this is final. The time up to which nothing is open, in milliseconds since 1970.
    pub(crate) fn settle(&mut self, settled: u64) -> u64 {
        while let Some((thread, end_ms, _)) = self.waiting.pop_front_if(|(_, _, next)| *next <= settled) {
            if let Some(until) = self.threads.get_mut(thread) {
                *until = end_ms.max(*until);
            }
        }
        self.threads.iter().copied().min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn it_is_as_far_as_the_slowest_thread_and_the_oldest_window_that_waits() {
        let mut progress = Progress::new(2, 5);
        progress.add(0, 10, 4);
        progress.add(1, 10, 6);
        progress.add(0, 20, 9);

        assert_eq!(progress.settle(5), 5);
        assert_eq!(progress.settle(6), 10);
        assert_eq!(progress.settle(9), 10);
        progress.add(1, 20, 9); // without rows
        assert_eq!(progress.settle(9), 20);
    }
}
