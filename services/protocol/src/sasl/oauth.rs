//! OAUTHBEARER (RFC 7628): the client's first message.

use super::Claim;
use super::claims::subject;

const SEPARATOR: char = '\u{1}';
/// All of the message by which a client acknowledges that it was refused.
pub(super) const REFUSAL_SEEN: u8 = 1;

pub(super) fn claim(token: &[u8]) -> Claim {
    read(token).map_or(Claim::Unnamed, |name| Claim::of_name(&name))
}

/// The principal's name: the one to act as, which Kafka accepts only if it is the principal's; else the token's subject,
/// by which Kafka names the principal unless `sasl.oauthbearer.sub.claim.name` says otherwise.
fn read(token: &[u8]) -> Option<String> {
    let mut parts = std::str::from_utf8(token).ok()?.split(SEPARATOR);
    let acts_as = parts.next()?.strip_prefix("n,")?.strip_suffix(',')?;
    if let Some(name) = acts_as.strip_prefix("a=").filter(|name| !name.is_empty()) {
        return Some(name.to_owned()); // brokers compare it as it is
    }
    let (scheme, token) = parts.filter_map(|part| part.strip_prefix("auth=")).next_back()?.split_once(' ')?;
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
        assert_eq!(of("n,a=a=2Cb,\u{1}auth=Bearer opaque\u{1}\u{1}"), Claim::Principal("User:a=2Cb".into()));
    }

    #[test]
    fn of_several_tokens_in_a_message_the_last_is_the_one_that_brokers_judge() {
        let mallory = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5In0.";

        let claim = of(&format!("n,,\u{1}auth=Bearer {TOKEN}\u{1}auth=Bearer {mallory}\u{1}\u{1}"));

        assert_eq!(claim, Claim::Principal("User:mallory".into()));
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
