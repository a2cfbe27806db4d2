//! What is read of a message that was kept, by its API.

use super::identities::Identities;
use super::requests::{names_identities, read_names};
use super::responses::{Outcome, read_outcome};
use crate::event::Event;
use crate::header::{Opening, response_correlation};
use crate::reader::Reader;
use crate::reasons::Unread;
use crate::requests::{Answer, Known};
use crate::sasl::{Authenticated, Sasl, is_sasl};
use crate::schema::Api;
use crate::software::Declared;

/// Whether requests of this API are kept.
pub(crate) fn is_kept(key: i16) -> bool {
    key == Api::API_VERSIONS || is_sasl(key) || names_identities(key)
}

/// Read of a request's body what the client calls itself, and whether it commits a transaction or aborts it; `None` where
/// it ends none.
pub(crate) fn read_request(
    known: Known,
    Opening { key, version, .. }: Opening,
    reader: &mut Reader<'_>,
    sasl: &mut Sasl,
    identities: &mut Identities,
    sink: &mut impl FnMut(Event<'_>),
) -> Result<Option<bool>, Unread> {
    if is_sasl(key) {
        let is_flexible = known.layout.flexible.contain(version);
        sasl.read_request(key, is_flexible, reader, |mechanism| sink(Event::Mechanism(mechanism)))?;
    } else if key == Api::API_VERSIONS && version >= 3 {
        let declared = Declared::read(known.layout, version, reader)?;
        sink(Event::Software(declared.software().ok_or(Unread::InvalidSoftware)?));
    } else if names_identities(key) {
        return Ok(read_names(known.layout, (key, version), reader, identities, sink)?);
    }
    Ok(None)
}

/// Read what the response to this request says of itself, and whether it is what the definition says.
pub(crate) fn read_response(
    asked: Opening,
    reader: &mut Reader<'_>,
    sasl: &mut Sasl,
    identities: &mut Identities,
    sink: &mut impl FnMut(Event<'_>),
) -> (Outcome, Result<(), Unread>) {
    let Some(Answer { layout, header_version }) = Answer::to(asked) else { return (Outcome::default(), Ok(())) };
    let Opening { key, version, .. } = asked;
    if let Err(fault) = response_correlation(header_version, reader) {
        return (Outcome::default(), Err(fault.into()));
    }
    if is_sasl(key) {
        let is_flexible = layout.flexible.contain(version);
        let tell = |told: Authenticated<'_>| sink(Event::Authenticated(told));
        if let Err(fault) = sasl.read_response(key, is_flexible, &mut reader.clone(), tell) {
            return (Outcome::default(), Err(fault.into()));
        }
    }
    let (outcome, read) = read_outcome(key, layout, version, reader, identities, sink);
    (outcome, read.map_err(Unread::from))
}
