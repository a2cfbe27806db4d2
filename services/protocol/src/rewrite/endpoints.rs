//! Takes the endpoints of nodes out of a response that passes, without changing its length.
//!
//! Produce from version 10 on, Fetch from version 16 on, `ShareFetch` and `ShareAcknowledge` say where the leaders are that
//! they name. In the first two this is a tagged field: it gets a number that no client knows, and its content becomes
//! zeros. In the others it is the last field: the array becomes empty, and what is left of the frame an unknown tagged
//! field of zeros. Clients then look the leader up in their metadata (KIP-951). A frame's length stands before all this,
//! so a real change would have to hold every response.

use crate::encode::varint;
use crate::reader::Fault;
use crate::schema::{Field, Kind, Layout};

const ENDPOINTS: &str = "NodeEndpoints";
const UNKNOWN_TAG: u8 = 0x7f;
const EMPTY_ARRAY: u8 = 1;

/// Whether a response of this layout has endpoints in this version.
pub(super) fn has_endpoints(layout: &Layout, version: i16) -> bool {
    layout.fields.iter().any(|field| is_endpoints(field, version))
}

fn is_endpoints(field: &Field, version: i16) -> bool {
    field.name == ENDPOINTS && field.versions.contain(version)
}

/// Structures and lists of them are so deep in each other where responses have endpoints, topics and partitions.
const USUAL_DEPTH: usize = 8;

/// Goes through one response along its layout, which is flexible, at whatever places it is divided.
///
/// It reads no more than counts and sizes, and remembers where it is: one level for each structure, array and section of
/// tagged fields that it is in.
#[derive(Debug)]
pub(super) struct Endpoints {
    version: i16,
    /// The number of the tagged field that has endpoints, where it is one.
    tag: Option<u32>,
    /// How many bytes of the frame are not taken yet.
    left: usize,
    levels: Vec<Level>,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
enum Level {
    /// These fields of a structure are still to come, then its tagged fields.
    Structure(&'static [Field]),
    /// So many elements of an array are still to come.
    Array(&'static Kind, usize),
    /// So many tagged fields are still to come.
    Tags(usize),
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// None: the innermost level says what comes.
    Level,
    /// So many that nothing has to be known of.
    Skip(usize),
    /// So many that become zeros.
    Wipe(usize),
    Number(Varint, Meaning),
    /// The first of the array of endpoints.
    Array,
    /// The rest of the frame becomes this, and zeros behind it.
    Replace(Replacement),
}

/// What a variable-length number says.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The length of a string or bytes, larger by one.
    Length,
    /// The number of elements of an array, larger by one.
    Count(&'static Kind),
    /// The number of tagged fields.
    Tags,
    /// The number of a tagged field of the message itself, or of a structure in it or its header.
    Tag { is_outermost: bool },
    /// The size of a tagged field.
    Size { is_wiped: bool },
}

/// A number of at most 32 bits, as far as it came.
#[derive(Clone, Copy, Debug, Default)]
struct Varint {
    value: u32,
    shift: u32,
}

impl Varint {
    /// Take its next byte; whether that is the last one.
    fn take(&mut self, byte: u8) -> Result<bool, Fault> {
        if self.shift == 28 && byte > 0x0f {
            return Err(Fault::Varint);
        }
        self.value |= u32::from(byte & 0x7f) << self.shift;
        self.shift = self.shift.saturating_add(7);
        Ok(byte & 0x80 == 0)
    }
}

impl Endpoints {
    /// For a response of this layout, of which `left` bytes follow the correlation id.
    pub(super) fn new(layout: &'static Layout, version: i16, left: usize) -> Self {
        let tag = layout.fields.iter().find(|field| is_endpoints(field, version)).and_then(|field| field.tag);
        let mut levels = Vec::with_capacity(USUAL_DEPTH);
        levels.push(Level::Structure(layout.fields));
        Self { version, tag, left, levels, next: Next::Number(Varint::default(), Meaning::Tags) }
    }

    /// How many bytes of the response are still to come.
    pub(super) const fn left(&self) -> usize {
        self.left
    }

    /// Empty the endpoints in the next bytes of the response, which are no more than are left of it.
    ///
    /// # Errors
    /// What is wrong with the bytes; when none are left also, that the message does not end with its frame.
    pub(super) fn take(&mut self, mut bytes: &mut [u8]) -> Result<(), Fault> {
        loop {
            self.advance()?;
            let (wanted, is_done) = match self.next {
                Next::Level => (0, true),
                Next::Skip(count) | Next::Wipe(count) => (count, false),
                Next::Number(..) | Next::Array => (1, false),
                Next::Replace(_) => (self.left, self.left == 0),
            };
            if wanted > self.left {
                return Err(Fault::BeyondFrame);
            }
            if is_done {
                return if self.left == 0 { Ok(()) } else { Err(Fault::Trailing) };
            }
            if bytes.is_empty() {
                return Ok(());
            }
            let (now, later) = bytes.split_at_mut(wanted.min(bytes.len()));
            bytes = later;
            self.pass(now)?;
            self.left = self.left.saturating_sub(now.len());
        }
    }

    /// Go on to the next thing that has bytes; [`Next::Level`] stays where the message ends.
    fn advance(&mut self) -> Result<(), Fault> {
        loop {
            match self.next {
                Next::Skip(0) | Next::Wipe(0) => self.next = Next::Level,
                Next::Level => {}
                _ => return Ok(()),
            }
            let Some(level) = self.levels.pop() else { return Ok(()) };
            match level {
                Level::Structure(fields) => self.structure(fields),
                Level::Array(_, 0) | Level::Tags(0) => {}
                Level::Array(kind, left) => {
                    self.levels.push(Level::Array(kind, left.saturating_sub(1)));
                    self.value(*kind);
                }
                Level::Tags(left) => {
                    let is_outermost = self.levels.is_empty();
                    self.levels.push(Level::Tags(left.saturating_sub(1)));
                    self.next = Next::Number(Varint::default(), Meaning::Tag { is_outermost });
                }
            }
        }
    }

    /// These fields of a structure are still to come.
    fn structure(&mut self, fields: &'static [Field]) {
        let mut fields = fields.iter();
        let is_next = |field: &&Field| field.tag.is_none() && field.versions.contain(self.version);
        let Some(field) = fields.find(is_next) else {
            self.next = Next::Number(Varint::default(), Meaning::Tags);
            return;
        };
        let is_outermost = self.levels.is_empty();
        self.levels.push(Level::Structure(fields.as_slice()));
        if is_outermost && field.name == ENDPOINTS {
            self.next = Next::Array;
        } else {
            self.value(field.kind);
        }
    }

    fn value(&mut self, kind: Kind) {
        self.next = match kind {
            Kind::Bool | Kind::Int8 => Next::Skip(1),
            Kind::Int16 | Kind::Uint16 => Next::Skip(2),
            Kind::Int32 | Kind::Uint32 => Next::Skip(4),
            Kind::Int64 | Kind::Float64 => Next::Skip(8),
            Kind::Uuid => Next::Skip(16),
            Kind::String | Kind::Bytes | Kind::Records => Next::Number(Varint::default(), Meaning::Length),
            Kind::Array(element) => Next::Number(Varint::default(), Meaning::Count(element)),
            Kind::Struct(fields) => {
                self.levels.push(Level::Structure(fields));
                Next::Level
            }
        };
    }

    /// Take bytes that are what [`Endpoints::next`] says, one at least.
    fn pass(&mut self, bytes: &mut [u8]) -> Result<(), Fault> {
        match &mut self.next {
            Next::Level => {}
            Next::Skip(count) => *count = count.saturating_sub(bytes.len()),
            Next::Wipe(count) => {
                bytes.fill(0);
                *count = count.saturating_sub(bytes.len());
            }
            Next::Number(number, meaning) => {
                let Some(byte) = bytes.first_mut() else { return Ok(()) };
                if number.take(*byte)? {
                    let (number, meaning) = (*number, *meaning);
                    return self.number(number, meaning, byte);
                }
            }
            Next::Array if matches!(bytes, [0 | EMPTY_ARRAY]) => self.next = Next::Level,
            Next::Array => {
                let mut replacement = Replacement::of(self.left).ok_or(Fault::BeyondFrame)?;
                replacement.write(bytes);
                self.next = Next::Replace(replacement);
            }
            Next::Replace(replacement) => replacement.write(bytes),
        }
        Ok(())
    }

    /// A number is complete, whose last byte is this one.
    fn number(&mut self, number: Varint, meaning: Meaning, last: &mut u8) -> Result<(), Fault> {
        let behind = self.left.saturating_sub(1);
        let size = usize::try_from(number.value).map_err(|_| Fault::BeyondFrame)?;
        self.next = Next::Level;
        match meaning {
            Meaning::Length => self.next = Next::Skip(size.saturating_sub(1)),
            Meaning::Count(kind) => {
                let count = size.saturating_sub(1);
                if count > behind {
                    return Err(Fault::BeyondFrame);
                }
                self.levels.push(Level::Array(kind, count));
            }
            Meaning::Tags => {
                if size > behind {
                    return Err(Fault::BeyondFrame);
                }
                self.levels.push(Level::Tags(size));
            }
            Meaning::Tag { is_outermost } => {
                let is_wiped = is_outermost && self.tag == Some(number.value);
                if is_wiped {
                    // A number that is written with more bytes than it needs has only zeros before its last byte.
                    *last = if number.shift == 7 { UNKNOWN_TAG } else { 1 };
                }
                self.next = Next::Number(Varint::default(), Meaning::Size { is_wiped });
            }
            Meaning::Size { is_wiped: true } => self.next = Next::Wipe(size),
            Meaning::Size { is_wiped: false } => self.next = Next::Skip(size),
        }
        Ok(())
    }
}

/// An empty array, and one unknown tagged field up to the end of the frame.
#[derive(Clone, Copy, Debug)]
struct Replacement {
    bytes: [u8; Self::LONGEST],
    /// How much of it, or of the zeros behind it, is written.
    written: usize,
}

impl Replacement {
    /// The array, the count of tagged fields, the number in two bytes, the size in five.
    const LONGEST: usize = 9;

    /// One that is as long as what is left of the frame.
    fn of(left: usize) -> Option<Self> {
        // With a number of one byte only, there are lengths that no size makes up: 130 is one.
        [&[UNKNOWN_TAG][..], &[0x80 | UNKNOWN_TAG, UNKNOWN_TAG]].into_iter().find_map(|number| {
            let rest = left.checked_sub(2)?.checked_sub(number.len())?;
            let is_whole = |size: &Vec<u8>, length| size.len() == length;
            let size = |length| Some(varint(rest.checked_sub(length)?)).filter(|size| is_whole(size, length));
            let size = (1..=5).find_map(size)?;
            let mut bytes = [0; Self::LONGEST];
            let written = [EMPTY_ARRAY, 1].iter().chain(number).chain(&size);
            bytes.iter_mut().zip(written).for_each(|(place, byte)| *place = *byte);
            Some(Self { bytes, written: 0 })
        })
    }

    fn write(&mut self, bytes: &mut [u8]) {
        let rest = self.bytes.iter().copied().skip(self.written).chain(std::iter::repeat(0));
        bytes.iter_mut().zip(rest).for_each(|(place, byte)| *place = byte);
        self.written = self.written.saturating_add(bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Reader;
    use crate::schema::apis;

    #[test]
    fn layouts_with_endpoints_are_flexible_and_have_no_structure_that_may_be_null() {
        fn check(fields: &[Field], version: i16, name: &str) {
            for field in fields.iter().filter(|field| field.versions.contain(version)) {
                if let Kind::Struct(nested) | Kind::Array(&Kind::Struct(nested)) = field.kind {
                    let is_array = matches!(field.kind, Kind::Array(_));
                    assert!(is_array || !field.nullable.contain(version), "{name} {version}: {}", field.name);
                    check(nested, version, name);
                }
            }
        }
        for api in apis() {
            for version in api.versions() {
                let layout = api.response(version).unwrap();
                if has_endpoints(layout, version) {
                    assert!(layout.flexible.contain(version), "{} {version}", api.name);
                    check(layout.fields, version, api.name);
                }
            }
        }
    }

    #[test]
    fn what_replaces_an_array_of_endpoints_is_as_long_as_what_it_replaces() {
        for left in (4..300).chain(16_300..16_500) {
            let mut bytes = vec![0xff; left];
            Replacement::of(left).unwrap().write(&mut bytes);

            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.count(true), Ok(Some(0)));
            let mut tags = Vec::new();
            let read = reader.tags(|number, content| {
                tags.push((number, content.iter().all(|byte| *byte == 0)));
                Ok(())
            });
            assert_eq!((read, reader.end()), (Ok(()), Ok(())), "{left}");
            assert!(matches!(tags[..], [(127 | 16383, true)]), "{left}");
        }
        assert!(Replacement::of(3).is_none());
    }
}
