//! Whom a JSON Web Token is about (RFC 7519). Its signature is the broker's business.

use crate::wipe::wipe;

/// The claim `sub` of a token, if it is one and has it.
pub(super) fn subject(token: &str) -> Option<String> {
    let mut payload = base64url(token.split('.').nth(1)?)?;
    let subject = Json { rest: &payload }.member(b"sub");
    wipe(&mut payload);
    subject
}

/// The bytes that base64url without padding stands for (RFC 4648).
fn base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0_u32);
    for character in text.trim_end_matches('=').bytes() {
        let six = match character {
            b'A'..=b'Z' => character.wrapping_sub(b'A'),
            b'a'..=b'z' => character.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => character.wrapping_sub(b'0').wrapping_add(52),
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(six);
        count = count.wrapping_add(6);
        if count >= 8 {
            count = count.wrapping_sub(8);
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    Some(bytes)
}

/// Reads a JSON object from the front, as far as its members' names and one text need it.
struct Json<'a> {
    rest: &'a [u8],
}

impl Json<'_> {
    /// The text that the member with this name has; the last one's, where names are not unique.
    fn member(mut self, name: &[u8]) -> Option<String> {
        let mut found = None;
        self.sign(b'{')?;
        loop {
            let is_it = self.text()? == name;
            self.sign(b':')?;
            if is_it && self.peek()? == b'"' {
                found = Some(String::from_utf8(self.text()?).ok()?);
            } else {
                self.value()?;
            }
            if self.sign(b',').is_none() {
                return self.sign(b'}').and(found);
            }
        }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Go past this sign; `None` if another one comes.
    fn sign(&mut self, sign: u8) -> Option<()> {
        if self.peek()? == sign { self.next().map(|_| ()) } else { None }
    }

    /// Go past a value, whatever is in it.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.text()?),
                b'{' | b'[' => {
                    depth = depth.checked_add(1)?;
                    self.next()?;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.next()?;
                }
                b',' | b':' if depth == 0 => return None,
                b',' | b':' => drop(self.next()?),
                _ => {
                    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                    let length = self.rest.iter().take_while(|byte| is_plain(byte)).count();
                    let (_, rest) = self.rest.split_at_checked(length.max(1))?;
                    self.rest = rest;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A text, with what is escaped in it.
    fn text(&mut self) -> Option<Vec<u8>> {
        self.sign(b'"')?;
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return Some(text),
                b'\\' => self.escaped(&mut text)?,
                byte => text.push(byte),
            }
        }
    }

    fn escaped(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let character = match self.next()? {
            sign @ (b'"' | b'\\' | b'/') => char::from(sign),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode()?,
            _ => return None,
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Some(())
    }

    /// The character of one UTF-16 unit in hexadecimal digits, or of two.
    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        let units = if (0xd800..0xdc00).contains(&first) {
            self.rest = self.rest.strip_prefix(b"\\u")?;
            vec![first, self.unit()?]
        } else {
            vec![first]
        };
        char::decode_utf16(units).next()?.ok()
    }

    fn unit(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        let are_digits = digits.iter().all(u8::is_ascii_hexdigit);
        u16::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| are_digits)?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;

    fn of(payload: &str) -> Option<String> {
        subject(&format!("e30.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(payload)))
    }

    #[test]
    fn the_subject_is_found_wherever_it_stands() {
        let payloads = [
            r#"{"sub":"alice"}"#,
            r#" { "iss" : "https://a/b" , "exp":1.5e9, "aud":["x",{"sub":"bob"}], "sub" : "alice" , "ok":true,"no":null }"#,
            r#"{"sub":"bob","sub":"alice"}"#,
            r#"{"s\u0075b":"\u0061lice"}"#,
            r#"{"nested":{"a":"}\"{","b":[[]]},"sub":"alice","empty":{}}"#,
        ];
        for payload in payloads {
            assert_eq!(of(payload).as_deref(), Some("alice"), "{payload}");
        }
        assert_eq!(of(r#"{"sub":"\ud83d\ude00\n\"\\"}"#).as_deref(), Some("\u{1f600}\n\"\\"));
    }

    #[test]
    fn what_is_no_token_has_no_subject() {
        for payload in ["", "{}", "[]", r#"{"sub":7}"#, r#"{"sub":"a""#, r#"{"sub":"\ud83d"}"#, r#"{"a":{"sub":"a"}}"#]
        {
            assert_eq!(of(payload), None, "{payload}");
        }
        for token in ["", "opaque", "a.b", "e30.ä.c", "e30.!!.c"] {
            assert_eq!(subject(token), None, "{token}");
        }
    }

    proptest! {
        #[test]
        fn any_subject_that_json_can_write_is_read(name in any::<String>(), other in any::<String>()) {
            let payload = serde_json::json!({ "a": other, "list": [other, 1, { "sub": other }], "sub": name });

            prop_assert_eq!(of(&payload.to_string()), Some(name));
        }

        #[test]
        fn any_payload_is_survived(payload in any::<String>()) {
            let _ = of(&payload);
            let _ = of(&format!(r#"{{"sub":{payload}"#));
        }
    }
}
