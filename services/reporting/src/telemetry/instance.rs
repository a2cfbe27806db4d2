//! What is remembered of one client instance, and what it may do (`ClientMetricsInstance` of Kafka 4.3.1).

use super::errors::Error;

/// Times of requests, and how the last one ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    /// In milliseconds of the caller's clock; 0 for never.
    asked_ms: u64,
    pushed_ms: u64,
    /// Which set of subscriptions it was matched against.
    pub(super) version: u32,
    /// The number of what it is asked for in that set.
    pub(super) requested: u32,
    last_error: Error,
    is_terminating: bool,
}

impl Instance {
    pub(super) const fn new(version: u32, requested: u32) -> Self {
        Self { asked_ms: 0, pushed_ms: 0, version, requested, last_error: Error::None, is_terminating: false }
    }

    /// Whether it may ask for its subscriptions.
    pub(super) fn ask(&mut self, now_ms: u64, interval_ms: u64) -> Result<(), Error> {
        let last = self.asked_ms.max(self.pushed_ms);
        if now_ms.saturating_sub(last) >= interval_ms {
            self.asked_ms = now_ms;
        } else if !matches!(self.last_error, Error::UnknownSubscriptionId | Error::UnsupportedCompressionType) {
            return Err(Error::ThrottlingQuotaExceeded);
        }
        self.last_error = Error::None;
        Ok(())
    }

    /// Whether it may push now; `check` says whether what it pushes is taken.
    pub(super) fn push(
        &mut self,
        now_ms: u64,
        interval_ms: u64,
        is_terminating: bool,
        check: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let outcome = if self.is_terminating {
            Err(Error::InvalidRequest)
        } else if self.is_due(now_ms, interval_ms) || is_terminating {
            check()
        } else {
            Err(Error::ThrottlingQuotaExceeded)
        };
        self.last_error = outcome.err().unwrap_or_default();
        // As the broker does it: also where the push was refused.
        self.is_terminating = is_terminating;
        outcome
    }

    fn is_due(&mut self, now_ms: u64, interval_ms: u64) -> bool {
        let is_due = self.asked_ms > self.pushed_ms || now_ms.saturating_sub(self.pushed_ms) >= interval_ms;
        if is_due {
            self.pushed_ms = now_ms;
        }
        is_due
    }
}
