//! What is read of a message that was kept, by its API.

use super::identities::Identities;
use super::partitions::{PartitionRequests, is_remembered};
use super::requests::{names_identities, read_names};
use super::responses::{Outcome, read_outcome};
use crate::event::{Event, TransactionEnd};
use crate::header::{Opening, response_correlation};
use crate::reader::Reader;
use crate::reasons::Unread;
use crate::requests::{Answer, Known};
use crate::sasl::{Authenticated, Sasl, is_sasl};
use crate::schema::Api;
use crate::software::Declared;

/// State that outlives a message.
#[derive(Debug, Default)]
pub(crate) struct ColdMemory {
    pub(crate) identities: Identities,
    partitions: PartitionRequests,
}

impl ColdMemory {
    /// The bytes of what is remembered of requests until they are answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.partitions.bytes()
    }
}

/// The effect of a request that a response without an error confirms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effect {
    #[default]
    None,
    EndsTransaction {
        committed: bool,
    },
    /// Its partitions are remembered.
    OfPartitions,
}

/// Whether requests of this API are kept.
pub(crate) fn is_kept(key: i16) -> bool {
    key == Api::API_VERSIONS || is_sasl(key) || names_identities(key) || is_remembered(key)
}

/// Read of a request's body what the client calls itself, and its effect.
pub(crate) fn read_request(
    known: Known,
    Opening { key, version, .. }: Opening,
    reader: &mut Reader<'_>,
    sasl: &mut Sasl,
    memory: &mut ColdMemory,
    sink: &mut impl FnMut(Event<'_>),
) -> Result<Effect, Unread> {
    if is_sasl(key) {
        let is_flexible = known.layout.flexible.contain(version);
        sasl.read_request(key, is_flexible, reader, |mechanism| sink(Event::Mechanism(mechanism)))?;
    } else if key == Api::API_VERSIONS && version >= 3 {
        let declared = Declared::read(known.layout, version, reader)?;
        sink(Event::Software(declared.software().ok_or(Unread::InvalidSoftware)?));
    }
    let mut body = reader.clone();
    if names_identities(key) {
        let committed = read_names(known.layout, (key, version), reader, &mut memory.identities, sink)?;
        if let Some(committed) = committed {
            return Ok(Effect::EndsTransaction { committed });
        }
    }
    if is_remembered(key) {
        memory.partitions.remember(known.layout, version, &mut body)?;
        return Ok(Effect::OfPartitions);
    }
    Ok(Effect::None)
}

/// Read what the response to this request says of itself, and whether it is what the definition says.
pub(crate) fn read_response(
    asked: Opening,
    effect: Effect,
    reader: &mut Reader<'_>,
    sasl: &mut Sasl,
    memory: &mut ColdMemory,
    sink: &mut impl FnMut(Event<'_>),
) -> (Outcome, Result<(), Unread>) {
    let request = if effect == Effect::OfPartitions { memory.partitions.pop() } else { None };
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
    if let Some(request) = request {
        request.answered(layout, version, reader.clone(), sink);
    }
    let (outcome, read) = read_outcome(key, layout, version, reader, &mut memory.identities, sink);
    match effect {
        Effect::EndsTransaction { committed } if read.is_ok() && outcome.error == 0 => {
            sink(Event::TransactionEnd(TransactionEnd { version, committed }));
        }
        _ => {}
    }
    (outcome, read.map_err(Unread::from))
}
