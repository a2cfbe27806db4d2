//! Who a client says it is by SASL, and whether the broker believed it.
//!
//! Tokens are read where they are, and nothing of them is kept but the name. No type here holds a token.

mod claims;
mod mechanism;
mod oauth;
mod plain;
mod scram;
mod tokens;

use crate::reader::{Fault, Reader};
use crate::schema::Api;

pub use mechanism::Mechanism;
pub(crate) use tokens::Tokens;

/// Where a principal's name is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrincipalSource {
    /// The mechanism's own name for who authenticates.
    Sasl,
    /// A delegation token (KIP-48): the name of its owner is not on the wire.
    Token,
}

/// An attempt to authenticate that a broker has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authenticated<'a> {
    /// How.
    pub mechanism: Mechanism,
    /// As Kafka writes it, such as `User:alice`; `None` where the mechanism is not read, or the name is not on the wire.
    pub principal: Option<&'a str>,
    /// Where the principal is from.
    pub source: PrincipalSource,
    /// Whether the broker believed it.
    pub succeeded: bool,
}

/// Who a client claims to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Claim {
    /// Somebody whose name is not read.
    Unnamed,
    Principal(String),
    DelegationToken,
}

/// Longer names than any that a broker is told in practice are not kept.
const LONGEST_NAME: usize = 1024;

impl Claim {
    /// The principal that Kafka makes of a name.
    fn of_name(name: &str) -> Self {
        let is_kept = (1..=LONGEST_NAME).contains(&name.len());
        if is_kept { Self::Principal(format!("User:{name}")) } else { Self::Unnamed }
    }
}

/// Follows the authentication of one connection, which a client may repeat (KIP-368).
///
/// Clients wait for each answer. From one that does not, no name is taken: it could be told of another's success.
#[derive(Debug, Default)]
pub(crate) struct Sasl {
    attempt: Option<Attempt>,
    /// How many requests for SASL wait for an answer.
    waiting: usize,
    is_impatient: bool,
}

/// From the choice of a mechanism until the broker's last answer.
#[derive(Debug)]
struct Attempt {
    mechanism: Mechanism,
    claim: Claim,
    /// How many tokens the client has sent.
    tokens: usize,
}

impl Attempt {
    fn outcome(&self, succeeded: bool) -> Authenticated<'_> {
        let (principal, source) = match &self.claim {
            Claim::Unnamed => (None, PrincipalSource::Sasl),
            Claim::Principal(name) => (Some(&**name), PrincipalSource::Sasl),
            Claim::DelegationToken => (None, PrincipalSource::Token),
        };
        Authenticated { mechanism: self.mechanism, principal, source, succeeded }
    }
}

/// Whether a client authenticates by this API.
#[must_use]
pub const fn is_sasl(key: i16) -> bool {
    matches!(key, Api::SASL_HANDSHAKE | Api::SASL_AUTHENTICATE)
}

impl Sasl {
    /// The client sends a request for SASL, whether or not it can be read.
    pub(crate) fn asked(&mut self) {
        self.is_impatient |= self.waiting > 0;
        self.waiting = self.waiting.saturating_add(1);
        if let Some(attempt) = self.attempt.as_mut().filter(|_| self.is_impatient) {
            attempt.claim = Claim::Unnamed;
        }
    }

    /// The broker answers one, whether or not it can be read.
    pub(crate) fn answered(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        self.is_impatient &= self.waiting > 0;
    }

    /// Read the body of a request for SASL, and tell which mechanism it chooses.
    pub(crate) fn read_request(
        &mut self,
        key: i16,
        is_flexible: bool,
        body: &mut Reader<'_>,
        tell: impl FnOnce(Mechanism),
    ) -> Result<(), Fault> {
        if key == Api::SASL_HANDSHAKE {
            self.attempt = None;
            let mechanism = Mechanism::of_name(body.string(is_flexible)?.ok_or(Fault::Null)?);
            tell(mechanism);
            self.attempt = Some(Attempt { mechanism, claim: Claim::Unnamed, tokens: 0 });
        } else {
            self.token(body.bytes(is_flexible)?.ok_or(Fault::Null)?);
        }
        Ok(())
    }

    /// Read the body of a response for SASL, and tell what it decides.
    pub(crate) fn read_response(
        &mut self,
        key: i16,
        is_flexible: bool,
        body: &mut Reader<'_>,
        tell: impl FnOnce(Authenticated<'_>),
    ) -> Result<(), Fault> {
        if body.int16()? != 0 {
            self.ends(false, tell);
        } else if key == Api::SASL_AUTHENTICATE {
            body.string(is_flexible)?;
            let token = body.bytes(is_flexible)?.ok_or(Fault::Null)?;
            self.token_answered(token, tell);
        }
        Ok(())
    }

    /// The broker answers a request that is not for SASL, which it refuses before authentication has succeeded.
    pub(crate) fn went_on(&mut self, tell: impl FnOnce(Authenticated<'_>)) {
        // One that was sent before the last token says nothing of it.
        let was_answered = self.waiting == 0 && self.attempt.as_ref().is_some_and(|attempt| attempt.tokens > 0);
        if was_answered {
            self.ends(true, tell);
        }
    }

    /// The client sends this token.
    pub(crate) fn token(&mut self, token: &[u8]) {
        let Some(attempt) = &mut self.attempt else { return };
        if !self.is_impatient && attempt.mechanism.claims_by(token, attempt.tokens) {
            attempt.claim = attempt.mechanism.claim(token);
        }
        attempt.tokens = attempt.tokens.saturating_add(1);
    }

    /// The client sends a token, or chooses a mechanism, in a way that cannot be read: whom it names is not known.
    pub(crate) fn unread(&mut self) {
        if let Some(attempt) = &mut self.attempt {
            attempt.claim = Claim::Unnamed;
            attempt.tokens = attempt.tokens.saturating_add(1);
        }
    }

    /// The broker answers the client's last token with this one.
    pub(crate) fn token_answered(&mut self, token: &[u8], tell: impl FnOnce(Authenticated<'_>)) {
        if self.attempt.as_ref().is_some_and(|attempt| attempt.mechanism.is_done(attempt.tokens, token)) {
            self.ends(true, tell);
        }
    }

    fn ends(&mut self, succeeded: bool, tell: impl FnOnce(Authenticated<'_>)) {
        if let Some(attempt) = self.attempt.take() {
            tell(attempt.outcome(succeeded));
        }
    }
}
