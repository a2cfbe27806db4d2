//! The two requests as they are on the wire, and their responses.

use super::errors::Error;
use super::instances::InstanceId;
use super::subscriptions::Requested;
use crate::header::{Opening, RequestHeader};
use crate::reader::{Fault, Reader};

/// The key of `GetTelemetrySubscriptions`.
pub const GET_TELEMETRY_SUBSCRIPTIONS: i16 = 71;
/// The key of `PushTelemetry`.
pub const PUSH_TELEMETRY: i16 = 72;
/// The only version of both.
const VERSION: i16 = 0;
const HEADER_VERSION: i16 = 2;
/// What a broker says that it can decompress, the best first: zstd, lz4, gzip, snappy.
const ACCEPTED_COMPRESSION_TYPES: [u8; 4] = [4, 3, 1, 2];

/// A request that was kept from the broker: its first bytes, and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// Without the four bytes of its length.
    pub bytes: &'a [u8],
    /// How many bytes the whole has.
    pub length: usize,
    /// There was no room for the rest of it.
    pub is_cut: bool,
}

/// What a request asks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request<'a> {
    Get { id: InstanceId },
    Push(Pushed<'a>),
}

/// A push as it is on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed<'a> {
    pub(super) id: InstanceId,
    pub(super) subscription_id: i32,
    pub(super) is_terminating: bool,
    pub(super) compression: i8,
    /// How many bytes of metrics it has.
    pub(super) size: usize,
    /// These bytes; `None` where they were not kept.
    pub(super) metrics: Option<&'a [u8]>,
}

impl<'a> Kept<'a> {
    /// The header, and what it asks.
    pub(super) fn read(self) -> Result<(RequestHeader<'a>, Request<'a>), Fault> {
        let mut reader = Reader::of_prefix(self.bytes, self.length);
        let opening = Opening::read(&mut reader)?;
        let header = RequestHeader::read(opening, HEADER_VERSION, &mut reader)?;
        if opening.version != VERSION {
            return Err(Fault::Length);
        }
        let id = InstanceId(reader.array()?);
        if opening.key == GET_TELEMETRY_SUBSCRIPTIONS {
            reader.tags(|_, _| Ok(()))?;
            reader.end()?;
            return Ok((header, Request::Get { id }));
        }
        let (subscription_id, is_terminating, compression) = (reader.int32()?, reader.int8()? != 0, reader.int8()?);
        // Some clients send null where they have nothing.
        let size = reader.count(true)?.unwrap_or_default();
        let metrics = match reader.take(size) {
            Ok(metrics) => {
                reader.tags(|_, _| Ok(()))?;
                reader.end()?;
                Some(metrics)
            }
            Err(Fault::Incomplete) => None,
            Err(fault) => return Err(fault),
        };
        let pushed = Pushed { id, subscription_id, is_terminating, compression, size, metrics };
        Ok((header, Request::Push(pushed)))
    }
}

/// The response to a push, and to any request that is refused but one for subscriptions; with its length before it.
pub(super) fn push_response(correlation: i32, error: Error) -> Vec<u8> {
    frame(correlation, |body| {
        body.extend(error.code().to_be_bytes());
    })
}

/// The response to a refused request for subscriptions.
pub(super) fn refusal(correlation: i32, error: Error) -> Vec<u8> {
    get(correlation, error, InstanceId::ZERO, 0, None, 0)
}

/// What an instance is asked for.
pub(super) fn get_response(correlation: i32, id: InstanceId, requested: &Requested, max_bytes: u32) -> Vec<u8> {
    get(correlation, Error::None, id, requested.id(id), Some(requested), max_bytes)
}

fn get(
    correlation: i32,
    error: Error,
    id: InstanceId,
    subscription_id: i32,
    requested: Option<&Requested>,
    max_bytes: u32,
) -> Vec<u8> {
    let types: &[u8] = if requested.is_some() { &ACCEPTED_COMPRESSION_TYPES } else { &[] };
    let metrics = requested.map_or(&[][..], |requested| &requested.metrics);
    frame(correlation, |body| {
        body.extend(error.code().to_be_bytes());
        body.extend(id.0);
        body.extend(subscription_id.to_be_bytes());
        count(types.len(), body);
        body.extend(types);
        body.extend(requested.map_or(0, |requested| requested.interval_ms).to_be_bytes());
        body.extend(max_bytes.to_be_bytes());
        body.push(u8::from(requested.is_some()));
        count(metrics.len(), body);
        for prefix in metrics {
            count(prefix.len(), body);
            body.extend(prefix.as_bytes());
        }
    })
}

/// A flexible response: length, header of version 1, throttle time, what `write` adds, no tagged fields.
fn frame(correlation: i32, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(correlation.to_be_bytes());
    body.push(0);
    body.extend(0_i32.to_be_bytes());
    write(&mut body);
    body.push(0);
    // A few hundred prefixes of a subscription at most.
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &body].concat()
}

/// A length in a flexible message, larger by one.
fn count(count: usize, body: &mut Vec<u8>) {
    body.extend(crate::rewrite::varint(count.saturating_add(1)));
}
