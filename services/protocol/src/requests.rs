//! What must be known of a request to follow a connection: which API it asks, whether it is answered, and how.

use crate::header::{Opening, RequestHeader};
use crate::reader::{Fault, Reader};
use crate::reasons::{Opaque, Unread};
use crate::schema::{Api, Layout, api};

/// The first bytes of a request, by which it is told whether a connection is Kafka's.
pub(crate) const OPENING_BYTES: usize = 8;

/// Whether a connection can begin with this.
pub(crate) fn is_kafka(opening: Opening) -> bool {
    // A vendor's API is never the first: a client asks for versions, or proves who it is, before anything else.
    opening.version >= 0 && api(opening.key).is_some()
}

/// What the first four bytes of a connection are, if not the length of a request.
pub(crate) const fn first_bytes(length: i32) -> Opaque {
    match length.to_be_bytes() {
        [0x16, 0x03, ..] => Opaque::Tls,
        _ => Opaque::NotKafka,
    }
}

/// Whether a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acks {
    Answered,
    /// A Produce with acks=0.
    Never,
    /// A Produce that could not be read.
    Unknown,
}

impl Acks {
    /// Of a request that could not be read.
    pub(crate) const fn of_unread(key: i16) -> Self {
        if key == Api::PRODUCE { Self::Unknown } else { Self::Answered }
    }
}

/// A request whose definition is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) layout: &'static Layout,
    header_version: i16,
}

impl Known {
    pub(crate) fn of(opening: Opening) -> Result<Self, Unread> {
        let api = api(opening.key).ok_or(Unread::UnknownKey)?;
        let layout = api.request(opening.version).zip(api.request_header(opening.version));
        let (layout, header_version) = layout.ok_or(Unread::UnknownVersion)?;
        Ok(Self { layout, header_version })
    }

    /// Read what stands between the opening and the body.
    pub(crate) fn header<'a>(self, opening: Opening, reader: &mut Reader<'a>) -> Result<RequestHeader<'a>, Fault> {
        RequestHeader::read(opening, self.header_version, reader)
    }

    /// Read of a body whether it is answered.
    pub(crate) fn acks(self, opening: Opening, reader: &mut Reader<'_>) -> Result<Acks, Fault> {
        if opening.key != Api::PRODUCE {
            return Ok(Acks::Answered);
        }
        if opening.version >= 3 {
            reader.string(self.layout.flexible.contain(opening.version))?; // the transactional id
        }
        Ok(if reader.int16()? == 0 { Acks::Never } else { Acks::Answered })
    }
}

/// Read the header of a request whose definition is known.
pub(crate) fn read_header(reader: &mut Reader<'_>) -> Result<Opening, Unread> {
    let opening = Opening::read(reader)?;
    Known::of(opening)?.header(opening, reader)?;
    Ok(opening)
}

/// How a request is answered whose definition is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) layout: &'static Layout,
    pub(crate) header_version: i16,
}

impl Answer {
    pub(crate) fn to(Opening { key, version, .. }: Opening) -> Option<Self> {
        let api = api(key)?;
        Some(Self { layout: api.response(version)?, header_version: api.response_header(version)? })
    }
}

impl From<Fault> for Unread {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Incomplete => Self::TooLong,
            _ => Self::Malformed,
        }
    }
}
