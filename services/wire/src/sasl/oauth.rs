//! OAUTHBEARER (RFC 7628): the client's first message.

use super::Claim;
use super::claims::subject;
use super::scram::unescaped;

const SEPARATOR: char = '\u{1}';

pub(super) fn claim(token: &[u8]) -> Claim {
    read(token).map_or(Claim::Unnamed, |name| Claim::of_name(&name))
}

/// The principal's name: the one to act as, which Kafka accepts only if it is the principal's; else the token's subject,
/// by which Kafka names the principal unless `sasl.oauthbearer.sub.claim.name` says otherwise.
fn read(token: &[u8]) -> Option<String> {
    let mut parts = std::str::from_utf8(token).ok()?.split(SEPARATOR);
    let acts_as = parts.next()?.strip_prefix("n,")?.strip_suffix(',')?;
    if let Some(name) = acts_as.strip_prefix("a=").filter(|name| !name.is_empty()) {
        return unescaped(name);
    }
    let (scheme, token) = parts.find_map(|part| part.strip_prefix("auth="))?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    subject(token.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// {"alg":"none"} and {"sub":"alice"}
    const TOKEN: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.";

    fn of(message: &str) -> Claim {
        claim(message.as_bytes())
    }

    #[test]
    fn the_name_is_the_tokens_subject_or_the_one_to_act_as() {
        let alice = Claim::Principal("User:alice".into());

        assert_eq!(of(&format!("n,,\u{1}auth=Bearer {TOKEN}\u{1}\u{1}")), alice);
        assert_eq!(of(&format!("n,,\u{1}tenant=a\u{1}auth=bearer {TOKEN}\u{1}\u{1}")), alice);
        assert_eq!(of("n,a=alice,\u{1}auth=Bearer opaque\u{1}\u{1}"), alice);
        assert_eq!(of(&format!("n,a=bob,\u{1}auth=Bearer {TOKEN}\u{1}\u{1}")), Claim::Principal("User:bob".into()));
    }

    #[test]
    fn a_message_without_a_name_names_nobody() {
        for message in
            ["", "n,,", "n,,\u{1}\u{1}", "n,,\u{1}auth=Bearer opaque\u{1}\u{1}", "y,,\u{1}auth=Bearer a\u{1}"]
        {
            assert_eq!(of(message), Claim::Unnamed, "{message:?}");
        }
        assert_eq!(of(&format!("n,,\u{1}auth=Basic {TOKEN}\u{1}\u{1}")), Claim::Unnamed);
    }
}
