//! Protobuf's wire format, as far as a reader needs it.

/// The bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

pub(crate) type Read<T> = Result<T, Malformed>;

/// Messages within messages; protobuf's own readers stop there, too.
pub(crate) const DEEPEST: u8 = 100;

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BYTES: u32 = 2;
const GROUP: u32 = 3;
const GROUP_END: u32 = 4;
const FIXED32: u32 = 5;

/// What a field holds, by its wire type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    /// Fixed numbers of four bytes, which no message here has, and groups.
    Unknown,
}

/// The fields of a message, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field's number and value; None at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Read<Option<(u32, Value<'a>)>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (number, wire) = self.tag()?;
        self.value(number, wire, DEEPEST).map(|value| Some((number, value)))
    }

    fn tag(&mut self) -> Read<(u32, u32)> {
        let tag = u32::try_from(self.varint()?).map_err(|_| Malformed)?;
        if tag >> 3 == 0 { Err(Malformed) } else { Ok((tag >> 3, tag & 7)) }
    }

    fn value(&mut self, number: u32, wire: u32, depth: u8) -> Read<Value<'a>> {
        match wire {
            VARINT => Ok(Value::Varint(self.varint()?)),
            FIXED64 => Ok(Value::Fixed64(self.fixed64()?)),
            BYTES => {
                // Longer than 2 GiB is no length to protobuf, either.
                let length = i32::try_from(self.varint()?).map_err(|_| Malformed)?;
                Ok(Value::Bytes(self.take(usize::try_from(length).map_err(|_| Malformed)?)?))
            }
            GROUP => self.skip_group(number, depth).map(|()| Value::Unknown),
            FIXED32 => self.take(4).map(|_| Value::Unknown),
            _ => Err(Malformed),
        }
    }

    fn skip_group(&mut self, number: u32, depth: u8) -> Read<()> {
        let within = depth.checked_sub(1).ok_or(Malformed)?;
        loop {
            let (inner, wire) = self.tag()?;
            if wire == GROUP_END {
                return if inner == number { Ok(()) } else { Err(Malformed) };
            }
            self.value(inner, wire, within)?;
        }
    }

    /// A number of one to ten bytes.
    #[inline]
    pub(crate) fn varint(&mut self) -> Read<u64> {
        let mut number = 0_u64;
        for (at, byte) in self.rest.iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7f);
            let shift = u32::try_from(at).unwrap_or(u32::MAX).wrapping_mul(7);
            if shift == 63 && bits > 1 {
                return Err(Malformed);
            }
            number |= bits.wrapping_shl(shift);
            if byte & 0x80 == 0 {
                self.rest = self.rest.get(at.wrapping_add(1)..).ok_or(Malformed)?;
                return Ok(number);
            }
        }
        Err(Malformed)
    }

    #[inline]
    pub(crate) fn fixed64(&mut self) -> Read<u64> {
        let (bytes, rest) = self.rest.split_first_chunk::<8>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// A text, which must be UTF-8.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Read<&str> {
    std::str::from_utf8(bytes).map_err(|_| Malformed)
}
