//! SCRAM (RFC 5802): the client's first message, as Kafka's brokers accept it.

use super::Claim;

pub(super) fn claim(token: &[u8]) -> Claim {
    read(token).unwrap_or(Claim::Unnamed)
}

fn read(token: &[u8]) -> Option<Claim> {
    let mut parts = std::str::from_utf8(token).ok()?.strip_prefix("n,")?.split(',');
    parts.next()?; // who to act as: nobody else
    let mut part = parts.next()?;
    if part.starts_with("m=") {
        part = parts.next()?; // reserved
    }
    let name = unescaped(part.strip_prefix("n=")?)?;
    parts.next()?.strip_prefix("r=")?;
    let token_auth = parts.filter_map(|extension| extension.strip_prefix("tokenauth=")).next_back();
    let is_token = token_auth.is_some_and(|is_token| is_token.eq_ignore_ascii_case("true"));
    Some(if is_token { Claim::DelegationToken } else { Claim::of_name(&name) })
}

/// A `saslname` with its commas and equals signs, which are written `=2C` and `=3D`.
fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split('=');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let (sign, rest) = match part.split_at_checked(2)? {
            ("2C", rest) => (',', rest),
            ("3D", rest) => ('=', rest),
            _ => return None,
        };
        plain.push(sign);
        plain.push_str(rest);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_read_with_its_commas_and_equals_signs() {
        let named = |name: &str| Claim::Principal(format!("User:{name}"));

        assert_eq!(claim(b"n,,n=alice,r=fyko+d2lbbFgONRv9qkxdawL"), named("alice"));
        assert_eq!(claim(b"n,a=alice,n=alice,r=x"), named("alice"));
        assert_eq!(claim(b"n,,m=later,n=alice,r=x"), named("alice"));
        assert_eq!(claim(b"n,,n=CN=3Da=2CO=3Db,r=x"), named("CN=a,O=b"));
    }

    #[test]
    fn a_delegation_token_names_no_owner() {
        assert_eq!(claim(b"n,,n=dG9rZW4taWQ,r=x,tokenauth=true"), Claim::DelegationToken);
        assert_eq!(claim(b"n,,n=dG9rZW4taWQ,r=x,tokenauth=false,tokenauth=True"), Claim::DelegationToken);
        for extensions in ["tokenauth=false", "TokenAuth=true", "tokenauth=true,tokenauth=no"] {
            let message = format!("n,,n=alice,r=x,{extensions}");
            assert_eq!(claim(message.as_bytes()), Claim::Principal("User:alice".into()), "{extensions}");
        }
    }

    #[test]
    fn what_brokers_refuse_names_nobody() {
        let tokens: [&[u8]; 8] =
            [b"", b"n", b"n,,", b"y,,n=alice,r=x", b"n,,n=alice", b"n,,n=a=b,r=x", b"n,,n=a=2,r=x", b"n,,n=\xff,r=x"];
        for token in tokens {
            assert_eq!(claim(token), Claim::Unnamed, "{token:?}");
        }
    }
}
