//! The thread that looks into copies.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use kwitness_observation::record_headers::Rules;
use kwitness_protocol::samples::LeftOut;
use kwitness_recording::SeenInBatch;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::watch;

use super::budget::Budget;
use super::copies::{Copied, Seen};
use crate::settings::Settings;
use crate::sync::lock_ignoring_poison;

const SECOND: Duration = Duration::from_secs(1);

/// Everything that it needs.
pub(super) struct Looking {
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) copied: Receiver<Copied>,
    pub(super) seen: Seen,
}

impl Looking {
    /// Look into one copy after the other, until there are no more.
    pub(super) fn go_on(self) {
        let (began, mut budget, mut memory) = (Instant::now(), Budget::default(), Vec::new());
        loop {
            let wait = if self.seen.gate().is_shut() { until_next_second(began) } else { Duration::MAX };
            let copied = match self.copied.recv_timeout(wait) {
                Ok(copied) => Some(copied),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let settings = Arc::clone(&self.settings.borrow());
            let Some(headers) = &settings.report.headers else {
                self.seen.gate().shut(false);
                continue;
            };
            let has_some = budget.has_some(began.elapsed().as_secs(), headers.cpu_permille);
            match copied {
                Some(copied) if has_some => {
                    let before = spent();
                    self.look(&copied, &headers.rules, &mut memory);
                    budget.spend(spent().saturating_sub(before));
                }
                Some(_) => self.seen.gate().leave_out(LeftOut::Budget),
                None => {}
            }
            // Relay threads copy nothing that would not be looked into.
            self.seen.gate().shut(!budget.has_some(began.elapsed().as_secs(), headers.cpu_permille));
        }
    }

    fn look(&self, copied: &Copied, rules: &Rules, memory: &mut Vec<u8>) {
        let Copied { thread, client, sample } = copied;
        let Some(seen) = self.seen.by_thread.get(*thread) else { return };
        // Whoever takes what was seen waits until it is added, not until it is seen.
        let look =
            || SeenInBatch::look(sample, rules, memory).map(|batch| lock_ignoring_poison(seen).add(client, &batch));
        match catch_unwind(AssertUnwindSafe(look)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.seen.gate().leave_out(why),
            Err(_) => self.seen.gate().leave_out(LeftOut::Panic),
        }
    }
}

fn until_next_second(began: Instant) -> Duration {
    SECOND.saturating_sub(Duration::from_nanos(began.elapsed().subsec_nanos().into()))
}

/// The processor time of this thread, in nanoseconds.
fn spent() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    part(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(part(time.tv_nsec))
}
