//! PLAIN (RFC 4616): who to act as, who authenticates, and a password, with NUL between them.

use super::Claim;

pub(super) fn claim(token: &[u8]) -> Claim {
    // Kafka refuses to act as somebody else, so that the second name is the principal's.
    let name = token.split(|byte| *byte == 0).nth(1).and_then(|name| std::str::from_utf8(name).ok());
    name.map_or(Claim::Unnamed, Claim::of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_between_the_first_two_nuls() {
        assert_eq!(claim(b"\0alice\0secret"), Claim::Principal("User:alice".into()));
        assert_eq!(claim(b"alice\0alice\0secret"), Claim::Principal("User:alice".into()));
        assert_eq!(claim("\0ä b\0secret".as_bytes()), Claim::Principal("User:ä b".into()));
    }

    #[test]
    fn a_token_without_a_name_names_nobody() {
        for token in [&b""[..], b"secret", b"\0\0secret", b"\0\xff\0secret"] {
            assert_eq!(claim(token), Claim::Unnamed, "{token:?}");
        }
    }
}
