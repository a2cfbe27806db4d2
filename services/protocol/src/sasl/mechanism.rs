//! The mechanisms of SASL that Kafka's clients use.

use super::{Claim, oauth, plain, scram};

/// How a client proves who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the mechanisms' own")]
pub enum Mechanism {
    Plain,
    ScramSha256,
    ScramSha512,
    OauthBearer,
    Gssapi,
    AwsMskIam,
    /// Any other.
    Other,
}

impl Mechanism {
    const NAMED: [Self; 6] =
        [Self::Plain, Self::ScramSha256, Self::ScramSha512, Self::OauthBearer, Self::Gssapi, Self::AwsMskIam];

    pub(super) fn of_name(name: &[u8]) -> Self {
        let named = Self::NAMED.into_iter().find(|mechanism| mechanism.name().as_bytes() == name);
        named.unwrap_or(Self::Other)
    }

    /// As a client asks for it; `other` for one that is not known.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
            Self::OauthBearer => "OAUTHBEARER",
            Self::Gssapi => "GSSAPI",
            Self::AwsMskIam => "AWS_MSK_IAM",
            Self::Other => "other",
        }
    }

    /// Whether this token, after so many others, says who the client is. What it says holds for those that follow.
    pub(super) const fn claims_by(self, token: &[u8], after: usize) -> bool {
        match self {
            Self::ScramSha256 | Self::ScramSha512 => after == 0,
            // What acknowledges a refusal says nothing. Brokers believe any other token, also after one that they refused.
            Self::OauthBearer => !matches!(token, [oauth::REFUSAL_SEEN]),
            Self::Plain | Self::Gssapi | Self::AwsMskIam | Self::Other => true,
        }
    }

    /// Who a client says that it is by such a token.
    pub(super) fn claim(self, token: &[u8]) -> Claim {
        match self {
            Self::Plain => plain::claim(token),
            Self::ScramSha256 | Self::ScramSha512 => scram::claim(token),
            Self::OauthBearer => oauth::claim(token),
            // A Kerberos ticket is encrypted, and an AWS access key names no lasting principal.
            Self::Gssapi | Self::AwsMskIam | Self::Other => Claim::Unnamed,
        }
    }

    /// Returns true if the broker's answer to the last of so many tokens, which is no error, ends the authentication.
    pub(super) const fn is_done(self, tokens: usize, answer: &[u8]) -> bool {
        match self {
            Self::Plain | Self::AwsMskIam => true,
            Self::ScramSha256 | Self::ScramSha512 => tokens >= 2 && matches!(answer, [b'v', b'=', ..]),
            // What a broker says of a token that it refuses is not empty, and no error yet.
            Self::OauthBearer => answer.is_empty(),
            // How many tokens there are is not known: the client's next request tells.
            Self::Gssapi | Self::Other => false,
        }
    }
}
