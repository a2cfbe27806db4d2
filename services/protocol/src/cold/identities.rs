//! What a client calls itself, told when it changes.

use crate::event::Event;
use crate::identity_field::IdentityField;

/// The last value of each field.
#[derive(Debug, Default)]
pub(crate) struct Identities {
    last: [Vec<u8>; IdentityField::ALL.len()],
}

impl Identities {
    /// A message has this value; empty ones are none.
    pub(crate) fn tell(&mut self, field: IdentityField, value: &[u8], tell: &mut impl FnMut(Event<'_>)) {
        let Some(last) = self.last.get_mut(field as usize).filter(|last| !value.is_empty() && last.as_slice() != value)
        else {
            return;
        };
        last.clear();
        last.extend_from_slice(value);
        tell(Event::Identity { field, value });
    }
}
