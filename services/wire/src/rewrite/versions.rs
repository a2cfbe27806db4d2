//! Limits what a broker offers to the versions that the tables know.

use crate::header::Opening;
use crate::reader::Reader;
use crate::schema::{api, check};

use super::held::Refused;

/// Kafka's code for a version of `ApiVersions` itself that the broker does not know. The response has version 0 then.
const UNSUPPORTED_VERSION: i16 = 35;

/// Lower each newest version in the `ApiVersions` response `frame` to the newest that the tables know.
///
/// The oldest version stays, and so does an API of which the tables know no version that is offered, or none at all:
/// vendors have APIs of their own. A response in a version newer than the tables is read as the newest one that they
/// know; it is malformed if it is laid out otherwise.
///
/// A client decides by the finalized feature `transaction.version`, not by the version that it got, how it adds
/// partitions to transactions, so Produce must not be lowered below version 12; the tables know it.
pub(super) fn limit(asked: Opening, frame: &mut [u8]) -> Result<(), Refused> {
    for (place, newest) in lowered(asked, frame)? {
        if let Some(bytes) = frame.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
            *bytes = newest.to_be_bytes();
        }
    }
    Ok(())
}

/// Where in the frame a newest version stands that has to be lowered, and to what.
fn lowered(asked: Opening, frame: &[u8]) -> Result<Vec<(usize, i16)>, Refused> {
    let mut reader = Reader::new(frame);
    reader.int32()?; // the correlation id is all of its header in every version
    let error = reader.clone().int16()?;
    let version = if error == UNSUPPORTED_VERSION {
        0
    } else {
        newest(asked.key).map_or(asked.version, |newest| asked.version.min(newest))
    };
    let layout = api(asked.key).and_then(|api| api.response(version)).ok_or(Refused::UnknownVersion)?;
    let is_flexible = layout.flexible.contain(version);
    check(layout, version, reader.clone())?;
    reader.int16()?;
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
