//! Tokens without any header, which older clients send after `SaslHandshake` version 0.

use crate::header::Opening;
use crate::reader::Fault;
use crate::requests::Known;

/// Tells such tokens, and the broker's, from requests and responses.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    /// How many tokens have no answer yet, while the client sends them.
    unanswered: Option<usize>,
}

impl Tokens {
    pub(crate) const fn new() -> Self {
        Self { unanswered: None }
    }

    /// The client has sent `SaslHandshake` version 0.
    pub(crate) const fn begin(&mut self) {
        self.unanswered = Some(0);
    }

    /// Returns true if a frame of the client's may be a token.
    pub(crate) const fn may_come(&self) -> bool {
        self.unanswered.is_some()
    }

    /// Returns true if a token waits for its answer.
    pub(crate) fn await_answer(&self) -> bool {
        self.unanswered.is_some_and(|unanswered| unanswered > 0)
    }

    /// Whether a complete frame of the client's, which begins with this, is a token. The first that is none ends them.
    pub(crate) fn is_token(&mut self, opening: Result<Opening, Fault>) -> bool {
        // The first bytes of no mechanism's tokens are an API and a version that Kafka has.
        let is_request = || opening.is_ok_and(|opening| Known::of(opening).is_ok());
        self.unanswered = self.unanswered.filter(|_| !is_request()).map(|unanswered| unanswered.saturating_add(1));
        self.may_come()
    }

    /// Whether a frame of the broker's answers a token, if it does not answer the request that waits longest, which is
    /// this one. Such frames can be too short for a correlation id. A broker need not answer the last token.
    pub(crate) fn is_answer(&mut self, waiting: Option<Opening>, correlation: Option<i32>) -> bool {
        if correlation.is_some() && waiting.map(|opening| opening.correlation) == correlation {
            return false;
        }
        let one_less = self.unanswered.and_then(|unanswered| unanswered.checked_sub(1));
        self.unanswered = one_less.or(self.unanswered);
        one_less.is_some()
    }
}
