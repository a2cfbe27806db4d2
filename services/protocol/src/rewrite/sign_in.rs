//! Follows whether a broker has let a client in that authenticates by SASL.

use crate::schema::Api;

/// Bytes behind the correlation id of a `SaslAuthenticate` response that tell whether it is the last one.
pub(super) const READ_BYTES: usize = 12;
/// The version of `SaslAuthenticate` from which its responses are flexible.
const FLEXIBLE: i16 = 2;
/// How the last message of SCRAM begins; the last ones of PLAIN, OAUTHBEARER and GSSAPI are empty.
const LAST_OF_SCRAM: &[u8] = b"v=";

/// How far the broker has let a client in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignIn {
    Required,
    /// The broker has answered `SaslHandshake`. It refuses all but `SaslAuthenticate` until authentication has succeeded.
    Begun,
    Done,
}

impl SignIn {
    /// A response to a request of this API begins. Brokers answer none but those for versions and SASL before.
    pub(super) const fn answered(&mut self, key: i16) {
        match key {
            Api::SASL_HANDSHAKE if matches!(self, Self::Required) => *self = Self::Begun,
            Api::API_VERSIONS | Api::SASL_HANDSHAKE | Api::SASL_AUTHENTICATE => {}
            _ => *self = Self::Done,
        }
    }

    /// The broker has answered `ApiVersions` without an error.
    pub(super) const fn offered(&mut self) {
        if matches!(self, Self::Begun) {
            *self = Self::Done;
        }
    }

    /// The broker has answered `SaslAuthenticate` in this version; its body begins so.
    pub(super) fn authenticated(&mut self, version: i16, start: &[u8]) {
        if token(version, start).is_some_and(|token| token.is_empty() || token.starts_with(LAST_OF_SCRAM)) {
            *self = Self::Done;
        }
    }
}

/// Returns the first bytes of SASL in a response without an error.
fn token(version: i16, start: &[u8]) -> Option<&[u8]> {
    const LENGTH_OF_TOKEN: usize = LAST_OF_SCRAM.len();
    let (is_empty, token) = if version >= FLEXIBLE {
        // No tagged fields, no error, and a message that is null or empty.
        let [0, 0, 0, 0 | 1, rest @ ..] = start else { return None };
        let end = rest.iter().position(|byte| *byte < 0x80)?.saturating_add(1);
        (matches!(rest, [0 | 1, ..]), rest.get(end..)?)
    } else {
        let ([0, 0, 0, 0, rest @ ..] | [0, 0, 0xff, 0xff, rest @ ..]) = start else { return None };
        let (length, token) = rest.split_first_chunk()?;
        (i32::from_be_bytes(*length) <= 0, token)
    };
    if is_empty { Some(&[]) } else { token.get(..LENGTH_OF_TOKEN) }
}
