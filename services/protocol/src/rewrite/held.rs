//! Writes a response again that was held until it was whole.

use std::ops::Range;

use super::addresses::{Address, Addresses};
use super::treatment::names_hosts;
use crate::encode;
use crate::header::{Opening, response_correlation};
use crate::reader::{Fault, Reader};
use crate::schema::{Api, Field, Kind, Layout, api, skip};

/// Why a held response is not written again. None of it may pass then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is not what its definition says.
    Malformed(Fault),
    /// With other addresses it would be longer than a held response may be.
    TooLong,
    /// The tables do not have its version.
    UnknownVersion,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Malformed(fault)
    }
}

/// Kafka's code for a coordinator that a client should ask for again.
const COORDINATOR_NOT_AVAILABLE: i16 = 15;
const NO_NODE: i32 = -1;
const NO_PORT: i32 = -1;

/// Append to `out` the response `frame` to `asked`, with its length before it, and with the addresses of clients.
///
/// A structure whose host is empty keeps it. One whose node clients cannot reach says that the coordinator is not
/// available where it has an error code, and is left out of its array where it has none. All else is copied byte for
/// byte, tagged fields included.
pub(super) fn with_addresses(
    asked: Opening,
    layout: &'static Layout,
    frame: &[u8],
    addresses: &mut impl Addresses,
    longest: usize,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let mut reader = Reader::new(frame);
    let header = api(asked.key).and_then(|api| api.response_header(asked.version)).unwrap_or_default();
    response_correlation(header, &mut reader)?;
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    let is_flexible = layout.flexible.contain(asked.version);
    let limit = out.len().saturating_add(longest);
    let mut copy = Copy { asked, is_flexible, frame, reader, addresses, copied: 0, limit, out };
    copy.structure(layout.fields, None)?;
    copy.reader.end()?;
    copy.until(frame.len())?;
    let written = out.len().saturating_sub(start).saturating_sub(LENGTH_BYTES);
    let length = i32::try_from(written).map_err(|_| Refused::TooLong)?;
    out.splice(start..start.saturating_add(LENGTH_BYTES), length.to_be_bytes());
    Ok(())
}

const LENGTH_BYTES: usize = 4;

struct Copy<'a, A> {
    asked: Opening,
    is_flexible: bool,
    frame: &'a [u8],
    reader: Reader<'a>,
    addresses: &'a mut A,
    /// How much of the frame is in `out`, or is left out of it.
    copied: usize,
    /// How long `out` may become.
    limit: usize,
    out: &'a mut Vec<u8>,
}

/// Where a structure says which node it is about, and where that is.
#[derive(Default)]
struct Place<'a> {
    error: Option<Range<usize>>,
    node: Option<Range<usize>>,
    host: Option<(Range<usize>, &'a [u8])>,
    port: Option<(Range<usize>, Kind, i32)>,
}

impl<'a, A: Addresses> Copy<'a, A> {
    fn at(&self) -> usize {
        self.frame.len().saturating_sub(self.reader.left())
    }

    /// Copy what is before this place of the frame and is neither copied nor left out yet.
    fn until(&mut self, end: usize) -> Result<(), Refused> {
        let between = self.frame.get(self.copied..end).unwrap_or_default();
        self.copied = end;
        self.write(between)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if self.limit.saturating_sub(self.out.len()) < bytes.len() {
            return Err(Refused::TooLong);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Write `bytes` instead of this part of the frame.
    fn replace(&mut self, part: Range<usize>, bytes: &[u8]) -> Result<(), Refused> {
        self.until(part.start)?;
        self.copied = part.end;
        self.write(bytes)
    }

    /// Go through a structure within one about `node`; whether it stays.
    fn structure(&mut self, fields: &'static [Field], mut node: Option<i32>) -> Result<bool, Refused> {
        let mut place = Place::default();
        let version = self.asked.version;
        for field in fields.iter().filter(|field| field.tag.is_none() && field.versions.contain(version)) {
            let start = self.at();
            match (field.name, field.kind) {
                ("NodeId" | "BrokerId", Kind::Int32) => {
                    node = Some(self.reader.int32()?);
                    place.node = Some(start..self.at());
                }
                ("ErrorCode", Kind::Int16) => {
                    self.reader.int16()?;
                    place.error = Some(start..self.at());
                }
                ("Host", Kind::String) => {
                    let host = self.reader.string(self.is_flexible)?.ok_or(Fault::Null)?;
                    place.host = Some((start..self.at(), host));
                }
                ("Port", kind @ Kind::Int32) => {
                    let port = self.reader.int32()?;
                    place.port = Some((start..self.at(), kind, port));
                }
                ("Port", kind @ Kind::Uint16) => {
                    let port = u16::from_be_bytes(self.reader.array()?).into();
                    place.port = Some((start..self.at(), kind, port));
                }
                (_, Kind::Array(Kind::Struct(inner))) if names_hosts(inner, version) => {
                    self.elements(field, inner, node)?;
                }
                _ => skip(field, version, self.is_flexible, &mut self.reader)?,
            }
        }
        if self.is_flexible {
            self.reader.tags(|_, _| Ok(()))?;
        }
        self.settle(place, node)
    }

    /// Give a structure the address that clients need; whether it stays.
    fn settle(&mut self, place: Place<'a>, node: Option<i32>) -> Result<bool, Refused> {
        let (Some(node), Some((host_at, host)), Some((port_at, kind, port))) = (node, place.host, place.port) else {
            return Ok(true);
        };
        if host.is_empty() {
            return Ok(true);
        }
        if self.asked.key == Api::METADATA {
            self.addresses.seen(node, host, port);
        }
        if let Some(address) = self.addresses.of(node) {
            let host = encode::string(address.host().as_bytes(), self.is_flexible);
            let port = self::port(kind, address);
            self.replace(host_at, &host)?;
            self.replace(port_at, &port)?;
            return Ok(true);
        }
        let (Some(error), Some(node)) = (place.error, place.node) else {
            return Ok(false);
        };
        let code = COORDINATOR_NOT_AVAILABLE.to_be_bytes();
        let is_before = error.start < node.start;
        if is_before {
            self.replace(error.clone(), &code)?;
        }
        self.replace(node, &NO_NODE.to_be_bytes())?;
        self.replace(host_at, &encode::string(&[], self.is_flexible))?;
        self.replace(port_at, &NO_PORT.to_be_bytes())?;
        if !is_before {
            self.replace(error, &code)?;
        }
        Ok(true)
    }

    /// Go through the array of structures with these fields that `array` is, and leave out those that do not stay.
    fn elements(&mut self, array: &Field, fields: &'static [Field], node: Option<i32>) -> Result<(), Refused> {
        let count_at = self.at();
        let Some(count) = self.reader.count(self.is_flexible)? else {
            let may_be_null = array.nullable.contain(self.asked.version);
            return if may_be_null { Ok(()) } else { Err(Fault::Null.into()) };
        };
        self.until(count_at)?;
        let count_in_out = self.out.len();
        let first = self.at();
        self.until(first)?;
        let count_ends = self.out.len();
        let mut kept = 0_usize;
        for _ in 0..count {
            let start = self.at();
            self.until(start)?;
            if self.structure(fields, node)? {
                kept = kept.saturating_add(1);
            } else {
                self.copied = self.at();
            }
        }
        if kept < count {
            let end = self.at();
            self.until(end)?;
            let fewer = encode::count(kept, self.is_flexible);
            self.out.splice(count_in_out..count_ends, fewer);
        }
        Ok(())
    }
}

fn port(kind: Kind, address: &Address) -> Vec<u8> {
    match kind {
        Kind::Uint16 => address.port().to_be_bytes().to_vec(),
        _ => i32::from(address.port()).to_be_bytes().to_vec(),
    }
}
