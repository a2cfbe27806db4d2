//! What responses say of themselves: their error code, ids that the broker gave the client.

use super::identities::Identities;
use crate::event::Event;
use crate::identity_field::IdentityField;
use crate::reader::{Fault, Reader};
use crate::schema::{Api, Field, Layout, Value, Visitor, walk};

const JOIN_GROUP: i16 = 11;
const CONSUMER_GROUP_HEARTBEAT: i16 = 68;
const GET_TELEMETRY_SUBSCRIPTIONS: i16 = 71;

/// The broker does not have the version that was asked, and answers as version 0.
const UNSUPPORTED_VERSION: i16 = 35;

struct Says<'a, T> {
    key: i16,
    identities: &'a mut Identities,
    tell: &'a mut T,
    depth: usize,
    error: Option<i16>,
    throttle_ms: i32,
}

/// Error and throttle time of a response as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its first error code, 0 where it has none.
    pub(crate) error: i16,
    /// How long the broker throttles the client (KIP-219), 0 where it says nothing of it.
    pub(crate) throttle_ms: i32,
}

impl<T: FnMut(Event<'_>)> Visitor for Says<'_, T> {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        if self.depth > 0 {
            return;
        }
        if let ("ErrorCode", Value::Int(code)) = (field.name, value) {
            self.error = self.error.or(i16::try_from(code).ok());
        }
        if let ("ThrottleTimeMs", Value::Int(time_ms)) = (field.name, value) {
            self.throttle_ms = i32::try_from(time_ms).unwrap_or_default();
        }
        if !matches!(self.key, JOIN_GROUP | CONSUMER_GROUP_HEARTBEAT | GET_TELEMETRY_SUBSCRIPTIONS) {
            return;
        }
        match (IdentityField::named(field.name), value) {
            (Some(identity), Value::String(text)) => self.identities.tell(identity, text, self.tell),
            (Some(identity), Value::Uuid(id)) if id != [0; 16] => self.identities.tell(identity, &id, self.tell),
            _ => {}
        }
    }

    fn enter(&mut self, _: &'static Field) {
        self.depth = self.depth.saturating_add(1);
    }

    fn leave(&mut self, _: &'static Field) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Read the body of a response.
///
/// # Errors
/// Beside the outcome, what is wrong with the bytes; that they end early only where more was to be told.
pub(super) fn read_outcome(
    key: i16,
    layout: &'static Layout,
    version: i16,
    reader: &mut Reader<'_>,
    identities: &mut Identities,
    tell: &mut impl FnMut(Event<'_>),
) -> (Outcome, Result<(), Fault>) {
    let mut says = Says { key, identities, tell, depth: 0, error: None, throttle_ms: 0 };
    let walked = walk(layout, version, reader, &mut says);
    let walked = match walked {
        Err(Fault::Incomplete) if says.error.is_some() => Ok(()),
        Err(_) if key == Api::API_VERSIONS && says.error == Some(UNSUPPORTED_VERSION) => Ok(()),
        Ok(()) => reader.end(),
        Err(fault) => Err(fault),
    };
    (Outcome { error: says.error.unwrap_or_default(), throttle_ms: says.throttle_ms }, walked)
}
