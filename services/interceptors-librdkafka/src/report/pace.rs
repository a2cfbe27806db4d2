//! When the next request is due, and how much it may hold.

use std::time::{Duration, Instant};

const HEARTBEAT_EVERY: Duration = Duration::from_secs(5);
const SHORTEST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Requests so far, as far as the next one depends on them.
#[derive(Debug)]
pub(super) struct Pace {
    most: usize,
    failures: u32,
    last_sent: Option<Instant>,
    not_before: Option<Instant>,
}

impl Pace {
    pub(super) const fn new() -> Self {
        Self { most: usize::MAX, failures: 0, last_sent: None, not_before: None }
    }

    /// Items of the next request at most.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// Whether it is time for a request; without anything that waits it says that we are alive.
    pub(super) fn is_due(&self, now: Instant, is_waiting: bool) -> bool {
        let is_time = self.last_sent.is_none_or(|sent| now.saturating_duration_since(sent) >= HEARTBEAT_EVERY);
        self.not_before.is_none_or(|moment| moment <= now) && (is_time || is_waiting)
    }

    /// A request goes.
    pub(super) const fn begin(&mut self, now: Instant) {
        self.last_sent = Some(now);
    }

    /// It was answered; `wait` is what the collector asked for, where something is to be sent again.
    pub(super) fn answered(&mut self, now: Instant, wait: Option<Duration>) {
        self.failures = 0;
        // What was refused among more than this may still be there.
        self.most = self.most.saturating_mul(2);
        self.wait(now, wait.map_or(Duration::ZERO, |wait| wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)));
    }

    /// It came to nothing: try again soon, and later each time.
    pub(super) fn failed(&mut self, now: Instant) {
        let wait = SHORTEST_WAIT.saturating_mul(2_u32.saturating_pow(self.failures.min(16)));
        self.failures = self.failures.saturating_add(1);
        self.wait(now, wait.min(LONGEST_WAIT));
    }

    /// It came to nothing, and nothing is likely to have changed soon.
    pub(super) fn failed_for_long(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.wait(now, LONGEST_WAIT);
    }

    /// So many items could not be read: the next request has half of them.
    pub(super) const fn halve(&mut self, sent: usize) {
        if sent > 1 {
            self.most = sent.div_euclid(2);
        }
    }

    fn wait(&mut self, now: Instant, wait: Duration) {
        self.not_before = now.checked_add(wait);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Pace;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_waits_is_due_at_once_and_a_heartbeat_every_five_seconds() {
        let (mut pace, now) = (Pace::new(), Instant::now());
        assert!(pace.is_due(now, false));

        pace.begin(now);
        pace.answered(now, None);

        assert!(pace.is_due(now, true));
        assert!(!pace.is_due(now + 4 * SECOND, false));
        assert!(pace.is_due(now + 5 * SECOND, false));
    }

    #[test]
    fn each_failure_waits_twice_as_long_up_to_ten_seconds_and_an_answer_ends_that() {
        let (mut pace, now) = (Pace::new(), Instant::now());
        let after = |pace: &Pace| (0..=20_000).find(|ms| pace.is_due(now + Duration::from_millis(*ms), true));
        let waits: Vec<_> = (0..8)
            .map(|_| {
                pace.failed(now);
                after(&pace)
            })
            .collect();
        assert_eq!(waits, [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000].map(Some));

        pace.answered(now, Some(Duration::from_secs(3)));
        assert_eq!(after(&pace), Some(3_000));
        pace.failed(now);
        assert_eq!(after(&pace), Some(200));
        pace.failed_for_long(now);
        assert_eq!(after(&pace), Some(10_000));
    }

    #[test]
    fn a_request_that_cannot_be_read_is_halved_until_one_item_is_left() {
        let (mut pace, now) = (Pace::new(), Instant::now());
        let halved = [7, 3, 1].map(|sent| {
            pace.halve(sent);
            pace.most()
        });
        assert_eq!(halved, [3, 1, 1]);

        pace.answered(now, None);
        assert_eq!(pace.most(), 2);
    }
}
