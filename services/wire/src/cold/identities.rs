//! What a client calls itself, told when it changes.

use crate::event::{Event, IdentityField};

const FIELDS: usize = 6;

/// The last value of each field.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    last: [Vec<u8>; FIELDS],
}

impl Identities {
    /// A message has this value; empty ones are none.
    pub(crate) fn tell(&mut self, field: IdentityField, value: &[u8], tell: &mut impl FnMut(Event<'_>)) {
        let Some(last) = self.last.get_mut(place(field)).filter(|last| !value.is_empty() && last.as_slice() != value)
        else {
            return;
        };
        last.clear();
        last.extend_from_slice(value);
        tell(Event::Identity { field, value });
    }
}

const fn place(field: IdentityField) -> usize {
    match field {
        IdentityField::GroupId => 0,
        IdentityField::GroupInstanceId => 1,
        IdentityField::GroupMemberId => 2,
        IdentityField::TransactionalId => 3,
        IdentityField::ClientRack => 4,
        IdentityField::ClientInstanceId => 5,
    }
}
