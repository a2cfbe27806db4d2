//! Messages that are checked and not read: all that protobuf would refuse in them is refused.
// Source: opentelemetry-proto, metrics/v1/metrics.proto, common/v1/common.proto, resource/v1/resource.proto.

use crate::protobuf::{Fields, Malformed, Read, Value, text};

/// Which message some bytes are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    AnyValue,
    ArrayValue,
    Buckets,
    EntityRef,
    Exemplar,
    Exponential,
    ExponentialPoint,
    KeyValue,
    KeyValueList,
    Quantile,
    Resource,
    Scope,
    Summary,
    SummaryPoint,
}

enum Kind {
    Text,
    Within(Message),
    Varints,
    Other,
}

impl Message {
    fn field(self, number: u32) -> Kind {
        match (self, number) {
            (Self::AnyValue | Self::KeyValue, 1) | (Self::Scope, 1 | 2) | (Self::EntityRef, 1..=4) => Kind::Text,
            (Self::AnyValue, 5) => Kind::Within(Self::ArrayValue),
            (Self::AnyValue, 6) => Kind::Within(Self::KeyValueList),
            (Self::ArrayValue, 1) | (Self::KeyValue, 2) => Kind::Within(Self::AnyValue),
            (Self::KeyValueList | Self::Resource | Self::ExponentialPoint, 1)
            | (Self::Scope, 3)
            | (Self::Exemplar | Self::SummaryPoint, 7) => Kind::Within(Self::KeyValue),
            (Self::Resource, 3) => Kind::Within(Self::EntityRef),
            (Self::Exponential, 1) => Kind::Within(Self::ExponentialPoint),
            (Self::ExponentialPoint, 8 | 9) => Kind::Within(Self::Buckets),
            (Self::ExponentialPoint, 11) => Kind::Within(Self::Exemplar),
            (Self::Summary, 1) => Kind::Within(Self::SummaryPoint),
            (Self::SummaryPoint, 6) => Kind::Within(Self::Quantile),
            (Self::Buckets, 2) => Kind::Varints,
            _ => Kind::Other,
        }
    }

    /// Check a message; the result is how many of the messages in its field 1 there are.
    pub(crate) fn check(self, bytes: &[u8], depth: u8) -> Read<u32> {
        let within = depth.checked_sub(1).ok_or(Malformed)?;
        let mut fields = Fields::new(bytes);
        let mut count = 0_u32;
        while let Some((number, value)) = fields.next()? {
            let Value::Bytes(content) = value else { continue };
            count = count.wrapping_add(u32::from(number == 1));
            match self.field(number) {
                Kind::Text => {
                    text(content)?;
                }
                Kind::Within(message) => {
                    message.check(content, within)?;
                }
                Kind::Varints => {
                    let mut packed = Fields::new(content);
                    while !packed.is_done() {
                        packed.varint()?;
                    }
                }
                Kind::Other => {}
            }
        }
        Ok(count)
    }
}

/// The packed numbers of a field.
#[inline]
pub(crate) fn fixed64s(bytes: &[u8], mut found: impl FnMut(u64)) -> Read<()> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(Malformed);
    }
    for number in numbers {
        found(u64::from_le_bytes(*number));
    }
    Ok(())
}
