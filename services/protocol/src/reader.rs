//! Reads the protocol's primitive types from the bytes of a frame.

use std::fmt;

/// Why bytes are not what a message's definition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The frame goes on, but the bytes at hand end here.
    Incomplete,
    /// A value, or as many values as are declared, cannot be in what is left of the frame.
    BeyondFrame,
    /// A length below -1, or one that no client or broker accepts.
    Length,
    /// Null where the definition knows none.
    Null,
    /// A variable-length number of more than 32 bits.
    Varint,
    /// A tagged field is shorter than its declared size.
    TagSize,
    /// The message ended before its frame did.
    Trailing,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Incomplete => "the frame goes on after the bytes at hand",
            Self::BeyondFrame => "a value reaches beyond its frame",
            Self::Length => "a length is not possible",
            Self::Null => "null where none is allowed",
            Self::Varint => "a variable-length number has more than 32 bits",
            Self::TagSize => "a tagged field is shorter than its declared size",
            Self::Trailing => "bytes are left after the message",
        })
    }
}

impl std::error::Error for Fault {}

/// Reads a frame, or its first bytes, from the front.
///
/// Strings, arrays and the like have a signed length of fixed size, or, in flexible versions (KIP-482), a
/// variable-length number that is larger by one, so that zero stands for null.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// How many bytes of the frame follow those at hand.
    beyond: usize,
}

const LONGEST_STRING: usize = i16::MAX as usize;

impl<'a> Reader<'a> {
    /// A reader of a whole frame.
    #[must_use]
    pub const fn new(frame: &'a [u8]) -> Self {
        Self { bytes: frame, beyond: 0 }
    }

    /// A reader of the first bytes of a frame of `length` bytes.
    #[must_use]
    pub const fn of_prefix(bytes: &'a [u8], length: usize) -> Self {
        Self { bytes, beyond: length.saturating_sub(bytes.len()) }
    }

    /// How many bytes of the frame are not read yet; an upper bound of any count in it.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.bytes.len().saturating_add(self.beyond)
    }

    /// Those at hand.
    pub(crate) const fn at_hand_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Go past as many of `skip` bytes as are at hand, which are these; what is left of it comes later.
    pub(crate) fn pass(&mut self, skip: &mut usize) -> &'a [u8] {
        let (passed, rest) = self.bytes.split_at(self.bytes.len().min(*skip));
        *skip = skip.saturating_sub(passed.len());
        self.bytes = rest;
        passed
    }

    /// Returns true if none is at hand, and some come later.
    pub(crate) const fn goes_on_later(&self) -> bool {
        self.bytes.is_empty() && self.beyond > 0
    }

    /// How many of them are at hand.
    pub(crate) const fn at_hand(&self) -> usize {
        self.bytes.len()
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`Fault::BeyondFrame`] or [`Fault::Incomplete`].
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(|| self.shortage(count))?;
        self.bytes = rest;
        Ok(taken)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// [`Fault::BeyondFrame`] or [`Fault::Incomplete`].
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.shortage(N))?;
        self.bytes = rest;
        Ok(*taken)
    }

    const fn shortage(&self, wanted: usize) -> Fault {
        if wanted > self.left() { Fault::BeyondFrame } else { Fault::Incomplete }
    }

    /// A signed number of one byte.
    ///
    /// # Errors
    /// As [`Reader::take`]; so do all that follow.
    #[inline]
    pub fn int8(&mut self) -> Result<i8, Fault> {
        self.array().map(i8::from_be_bytes)
    }

    /// A signed number of two bytes.
    ///
    /// # Errors
    /// As [`Reader::take`].
    #[inline]
    pub fn int16(&mut self) -> Result<i16, Fault> {
        self.array().map(i16::from_be_bytes)
    }

    /// A signed number of four bytes.
    ///
    /// # Errors
    /// As [`Reader::take`].
    #[inline]
    pub fn int32(&mut self) -> Result<i32, Fault> {
        self.array().map(i32::from_be_bytes)
    }

    /// A signed number of eight bytes.
    ///
    /// # Errors
    /// As [`Reader::take`].
    #[inline]
    pub fn int64(&mut self) -> Result<i64, Fault> {
        self.array().map(i64::from_be_bytes)
    }

    /// A number of at most 32 bits, seven in each byte, the lowest first.
    ///
    /// # Errors
    /// As [`Reader::take`], and [`Fault::Varint`].
    #[inline]
    pub fn varint(&mut self) -> Result<u32, Fault> {
        if let Some((first @ 0..=0x7f, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return Ok(u32::from(*first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u32, Fault> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            if shift == 28 && byte > 0x0f {
                return Err(Fault::Varint);
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(value)
    }

    /// A size that must fit into what is left of the frame.
    pub(crate) fn size(&mut self) -> Result<usize, Fault> {
        let size = usize::try_from(self.varint()?).map_err(|_| Fault::BeyondFrame)?;
        self.bounded(size)
    }

    const fn bounded(&self, size: usize) -> Result<usize, Fault> {
        if size > self.left() { Err(Fault::BeyondFrame) } else { Ok(size) }
    }

    fn nullable(&self, length: i32) -> Result<Option<usize>, Fault> {
        match usize::try_from(length) {
            Ok(size) => self.bounded(size).map(Some),
            Err(_) if length == -1 => Ok(None),
            Err(_) => Err(Fault::Length),
        }
    }

    fn compact(&mut self) -> Result<Option<usize>, Fault> {
        let Some(size) = self.varint()?.checked_sub(1) else {
            return Ok(None);
        };
        let size = usize::try_from(size).map_err(|_| Fault::BeyondFrame)?;
        self.bounded(size).map(Some)
    }

    /// The number of an array's elements, each of which has a byte at least; `None` is null.
    ///
    /// # Errors
    /// As [`Reader::take`], and [`Fault::Varint`], [`Fault::Length`].
    pub fn count(&mut self, flexible: bool) -> Result<Option<usize>, Fault> {
        if flexible {
            self.compact()
        } else {
            let length = self.int32()?;
            self.nullable(length)
        }
    }

    /// A string, which peers should but need not send as UTF-8; `None` is null.
    ///
    /// # Errors
    /// As [`Reader::take`], and [`Fault::Varint`], [`Fault::Length`].
    pub fn string(&mut self, flexible: bool) -> Result<Option<&'a [u8]>, Fault> {
        self.string_size(flexible)?.map(|size| self.take(size)).transpose()
    }

    /// The length of a string, which follows; `None` is null.
    pub(crate) fn string_size(&mut self, flexible: bool) -> Result<Option<usize>, Fault> {
        let size = if flexible {
            self.compact()?
        } else {
            let length = self.int16()?;
            self.nullable(length.into())?
        };
        match size {
            Some(size) if size > LONGEST_STRING => Err(Fault::Length),
            size => Ok(size),
        }
    }

    /// Bytes, or records; `None` is null.
    ///
    /// # Errors
    /// As [`Reader::take`], and [`Fault::Varint`], [`Fault::Length`].
    pub fn bytes(&mut self, flexible: bool) -> Result<Option<&'a [u8]>, Fault> {
        self.count(flexible)?.map(|size| self.take(size)).transpose()
    }

    /// How many tagged fields follow; versions that are not flexible have none.
    pub(crate) fn tag_count(&mut self, flexible: bool) -> Result<usize, Fault> {
        if flexible { self.size() } else { Ok(0) }
    }

    /// Hand each tagged field's number and content to `known`.
    ///
    /// # Errors
    /// As [`Reader::take`], [`Fault::Varint`], and what `known` says.
    pub fn tags(&mut self, mut known: impl FnMut(u32, &'a [u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        for _ in 0..self.size()? {
            let number = self.varint()?;
            let size = self.size()?;
            known(number, self.take(size)?)?;
        }
        Ok(())
    }

    /// Make sure that the frame ends here.
    ///
    /// # Errors
    /// [`Fault::Trailing`].
    pub const fn end(&self) -> Result<(), Fault> {
        if self.left() == 0 { Ok(()) } else { Err(Fault::Trailing) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_32_bits_is_read_and_a_longer_one_is_refused() {
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x0f]).varint(), Ok(u32::MAX));
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).varint(), Err(Fault::Varint));
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x8f, 0x00]).varint(), Err(Fault::Varint));
        assert_eq!(Reader::new(&[0x80]).varint(), Err(Fault::BeyondFrame));
    }

    #[test]
    fn a_count_is_bounded_by_the_rest_of_the_frame_not_by_the_bytes_at_hand() {
        let bytes = 5_i32.to_be_bytes();

        assert_eq!(Reader::new(&bytes).count(false), Err(Fault::BeyondFrame));
        assert_eq!(Reader::of_prefix(&bytes, 9).count(false), Ok(Some(5)));
        assert_eq!(Reader::of_prefix(&bytes, 8).count(false), Err(Fault::BeyondFrame));
    }

    #[test]
    fn what_is_only_not_there_yet_is_incomplete() {
        assert_eq!(Reader::of_prefix(&[0, 3, b'a'], 5).string(false), Err(Fault::Incomplete));
        assert_eq!(Reader::of_prefix(&[0, 3, b'a'], 4).string(false), Err(Fault::BeyondFrame));
    }

    #[test]
    fn minus_one_is_null_and_less_is_refused() {
        assert_eq!(Reader::new(&(-1_i32).to_be_bytes()).bytes(false), Ok(None));
        assert_eq!(Reader::new(&(-2_i32).to_be_bytes()).bytes(false), Err(Fault::Length));
        assert_eq!(Reader::new(&(-2_i16).to_be_bytes()).string(false), Err(Fault::Length));
        assert_eq!(Reader::new(&[0]).string(true), Ok(None));
    }

    #[test]
    fn a_compact_string_is_no_longer_than_any_other() {
        let frame = [&[0x81, 0x80, 0x02][..], &vec![b'a'; 0x8000]].concat();

        assert_eq!(Reader::new(&frame).string(true), Err(Fault::Length));
    }
}
