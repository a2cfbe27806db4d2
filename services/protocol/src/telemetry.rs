//! Reads the two requests of clients' telemetry (KIP-714), and writes their responses.

use std::sync::Arc;

use crate::encode::varint;
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

/// The content of a request.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// It asks for subscriptions.
    Get {
        /// The id of the client's instance; zeros where it has none yet.
        id: [u8; 16],
    },
    /// It pushes metrics.
    Push(Pushed<'a>),
}

/// A push as it is on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Pushed<'a> {
    /// The id of the client's instance.
    pub id: [u8; 16],
    /// The subscription that it answers.
    pub subscription_id: i32,
    /// True for the client's last one.
    pub is_terminating: bool,
    /// The compression by Kafka's number; 0 for none.
    pub compression: i8,
    /// How many bytes of metrics it has.
    pub size: usize,
    /// These bytes; `None` where they were not kept.
    pub metrics: Option<&'a [u8]>,
}

/// A subscription as an instance gets it.
#[derive(Clone, Copy, Debug)]
pub struct Subscription<'a> {
    /// The id of the client's instance.
    pub instance: [u8; 16],
    /// The id that its pushes carry.
    pub id: i32,
    /// How often to push, in milliseconds.
    pub interval_ms: u32,
    /// The longest push that is taken, compressed, in bytes.
    pub max_bytes: u32,
    /// Prefixes of metrics' names.
    pub metrics: &'a [Arc<str>],
}

impl<'a> Kept<'a> {
    /// Reads the header, and what it asks.
    ///
    /// # Errors
    /// It is not what its definition says.
    pub fn read(self) -> Result<(RequestHeader<'a>, Request<'a>), Fault> {
        let mut reader = Reader::of_prefix(self.bytes, self.length);
        let opening = Opening::read(&mut reader)?;
        let header = RequestHeader::read(opening, HEADER_VERSION, &mut reader)?;
        if opening.version != VERSION {
            return Err(Fault::Length);
        }
        let id = reader.array()?;
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

/// Returns the response to a push, with its length before it; `error` is Kafka's code, 0 for none.
#[must_use]
pub fn push_response(correlation: i32, error: i16) -> Vec<u8> {
    frame(correlation, |body| {
        body.extend(error.to_be_bytes());
    })
}

/// Returns the response to a request for subscriptions that is refused with this code of Kafka's.
#[must_use]
pub fn refusal(correlation: i32, error: i16) -> Vec<u8> {
    let none = Subscription { instance: [0; 16], id: 0, interval_ms: 0, max_bytes: 0, metrics: &[] };
    get(correlation, error, &none)
}

/// Returns the response that asks an instance for metrics.
#[must_use]
pub fn get_response(correlation: i32, subscription: &Subscription<'_>) -> Vec<u8> {
    get(correlation, 0, subscription)
}

fn get(correlation: i32, error: i16, subscription: &Subscription<'_>) -> Vec<u8> {
    let Subscription { instance, id, interval_ms, max_bytes, metrics } = *subscription;
    let types: &[u8] = if error == 0 { &ACCEPTED_COMPRESSION_TYPES } else { &[] };
    frame(correlation, |body| {
        body.extend(error.to_be_bytes());
        body.extend(instance);
        body.extend(id.to_be_bytes());
        count(types.len(), body);
        body.extend(types);
        body.extend(interval_ms.to_be_bytes());
        body.extend(max_bytes.to_be_bytes());
        body.push(u8::from(error == 0)); // whether times are differences
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
    body.extend(varint(count.saturating_add(1)));
}
