//! Limits what a broker offers to the versions that the tables know.

use super::held::Refused;
use crate::encode;
use crate::header::Opening;
use crate::reader::Reader;
use crate::schema::{api, check};
use crate::telemetry::{GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY};

/// Kafka's code for a version of `ApiVersions` itself that the broker does not know. The response has version 0 then.
const UNSUPPORTED_VERSION: i16 = 35;
/// Bytes of a frame before the code.
const CORRELATION_ID: usize = 4;

/// Lower each newest version in the `ApiVersions` response `frame` to the newest that the tables know.
///
/// The oldest version stays, and so does an API of which the tables know no version that is offered, or none at all:
/// vendors have APIs of their own. A response in a version newer than the tables is read as the newest one that they
/// know; it is malformed if it is laid out otherwise.
///
/// A client decides by the finalized feature `transaction.version`, not by the version that it got, how it adds
/// partitions to transactions, so Produce must not be lowered below version 12; the tables know it.
///
/// A response with an error passes as it came where it cannot be read: it offers no versions, and brokers write more or
/// less after the code than Kafka does. Clients look at the code alone.
pub(super) fn limit(asked: Opening, frame: &mut [u8]) -> Result<(), Refused> {
    let lowered = match lowered(asked, frame) {
        Err(_) if error(frame) != 0 => Vec::new(),
        lowered => lowered?,
    };
    for (place, newest) in lowered {
        if let Some(bytes) = frame.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
            *bytes = newest.to_be_bytes();
        }
    }
    Ok(())
}

/// Offer version 0 of the two telemetry APIs in the `ApiVersions` response `frame`, in place of what the broker offers.
///
/// Whether they are offered now: a response that says that the client has to ask in another version offers nothing.
pub(super) fn announce(asked: Opening, frame: &mut Vec<u8>) -> Result<bool, Refused> {
    if error(frame) != 0 {
        return Ok(false);
    }
    let mut reader = Reader::new(frame);
    let is_flexible = check_whole(asked, &mut reader)?;
    let at = |reader: &Reader<'_>| frame.len().saturating_sub(reader.left());
    let count_at = at(&reader);
    let count = reader.count(is_flexible)?.unwrap_or_default();
    let (mut entries, mut kept) = (Vec::new(), 0_usize);
    for _ in 0..count {
        let start = at(&reader);
        let key = reader.int16()?;
        reader.int32()?; // both versions
        if is_flexible {
            reader.tags(|_, _| Ok(()))?;
        }
        if !matches!(key, GET_TELEMETRY_SUBSCRIPTIONS | PUSH_TELEMETRY) {
            entries.extend_from_slice(frame.get(start..at(&reader)).unwrap_or_default());
            kept = kept.saturating_add(1);
        }
    }
    let end = at(&reader);
    for key in [GET_TELEMETRY_SUBSCRIPTIONS, PUSH_TELEMETRY] {
        entries.extend(key.to_be_bytes());
        entries.extend([0; 4]);
        entries.extend(is_flexible.then_some(0));
    }
    let all = [encode::count(kept.saturating_add(2), is_flexible), entries].concat();
    frame.splice(count_at..end, all);
    Ok(true)
}

/// The code of a response in any version; 0 where it has none.
fn error(frame: &[u8]) -> i16 {
    frame.get(CORRELATION_ID..).and_then(<[u8]>::first_chunk).copied().map_or(0, i16::from_be_bytes)
}

/// Make sure that a response is what its definition says, and read up to its first array: whether that is compact.
fn check_whole(asked: Opening, reader: &mut Reader<'_>) -> Result<bool, Refused> {
    reader.int32()?; // the correlation id is all of its header in every version
    let version = if reader.clone().int16()? == UNSUPPORTED_VERSION {
        0
    } else {
        newest(asked.key).map_or(asked.version, |newest| asked.version.min(newest))
    };
    let layout = api(asked.key).and_then(|api| api.response(version)).ok_or(Refused::UnknownVersion)?;
    check(layout, version, reader.clone())?;
    reader.int16()?;
    Ok(layout.flexible.contain(version))
}

/// Where in the frame a newest version stands that has to be lowered, and to what.
fn lowered(asked: Opening, frame: &[u8]) -> Result<Vec<(usize, i16)>, Refused> {
    let mut reader = Reader::new(frame);
    let is_flexible = check_whole(asked, &mut reader)?;
    let mut found = Vec::new();
    for _ in 0..reader.count(is_flexible)?.unwrap_or_default() {
        let (key, oldest) = (reader.int16()?, reader.int16()?);
        let place = frame.len().saturating_sub(reader.left());
        let offered = reader.int16()?;
        if is_flexible {
            reader.tags(|_, _| Ok(()))?;
        }
        found.extend(newest(key).filter(|known| (oldest..offered).contains(known)).map(|known| (place, known)));
    }
    Ok(found)
}

/// The newest version of an API that the tables know.
fn newest(key: i16) -> Option<i16> {
    api(key)?.versions().last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Api;

    #[test]
    fn produce_is_never_lowered_below_what_transactions_of_version_2_need() {
        assert!(newest(Api::PRODUCE).unwrap() >= 12);
    }
}
