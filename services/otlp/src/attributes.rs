//! Attributes of a data point as one text: a JSON object, sorted by key.

use crate::messages::Message;
use crate::protobuf::{DEEPEST, Fields, Read, Value, text};

/// Attributes of one point, and bytes of their text, beyond which the point is left out.
pub(crate) const MOST: usize = 64;
pub(crate) const LONGEST: usize = 2_048;

/// An attribute as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Attribute<'a> {
    key: &'a str,
    value: Given<'a>,
}

#[derive(Clone, Debug)]
enum Given<'a> {
    Text(&'a str),
    Number(i64),
    Flag(bool),
    /// Of another kind, named by its protobuf type.
    Other(&'static str),
}

/// Read a `KeyValue`.
pub(crate) fn attribute(message: &[u8]) -> Read<Attribute<'_>> {
    let mut read = Attribute { key: "", value: Given::Text("") };
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        let Value::Bytes(content) = value else { continue };
        match number {
            1 => read.key = text(content)?,
            2 => any(content, &mut read.value)?,
            _ => {}
        }
    }
    Ok(read)
}

/// Read an `AnyValue` on top of one before: the last value is the one that counts.
fn any<'a>(message: &'a [u8], into: &mut Given<'a>) -> Read<()> {
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        match (number, value) {
            (1, Value::Bytes(content)) => *into = Given::Text(text(content)?),
            (2, Value::Varint(flag)) => *into = Given::Flag(flag != 0),
            (3, Value::Varint(bits)) => *into = Given::Number(bits.cast_signed()),
            (4, Value::Fixed64(_)) => *into = Given::Other("double"),
            (5, Value::Bytes(content)) => {
                Message::ArrayValue.check(content, DEEPEST)?;
                *into = Given::Other("array");
            }
            (6, Value::Bytes(content)) => {
                Message::KeyValueList.check(content, DEEPEST)?;
                *into = Given::Other("kvlist");
            }
            (7, Value::Bytes(_)) => *into = Given::Other("bytes"),
            (8, Value::Varint(_)) => *into = Given::Other("strindex"),
            _ => {}
        }
    }
    Ok(())
}

/// Write the object; false where there is too much of it. Of attributes with one key the first counts.
pub(crate) fn write(attributes: &mut Vec<Attribute<'_>>, out: &mut String) -> bool {
    out.push('{');
    if attributes.len() > MOST {
        return false;
    }
    attributes.sort_by_key(|one| one.key);
    attributes.dedup_by_key(|one| one.key);
    for (at, one) in attributes.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        quoted(one.key, out);
        out.push(':');
        match &one.value {
            Given::Text(value) => quoted(value, out),
            Given::Number(value) => quoted(&value.to_string(), out),
            Given::Flag(value) => quoted(if *value { "true" } else { "false" }, out),
            Given::Other(kind) => {
                out.push_str("\"(");
                out.push_str(kind);
                out.push_str(")\"");
            }
        }
    }
    out.push('}');
    out.len() <= LONGEST
}

fn quoted(value: &str, out: &mut String) {
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                out.push_str("\\u00");
                for digit in [u32::from(control) >> 4, u32::from(control) & 15] {
                    out.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
