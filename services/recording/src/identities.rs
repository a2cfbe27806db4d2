//! Numbers the identities of a window.

use std::sync::Arc;

use kwitness_observation::{Capacity, Identity, IdentityKey, IdentityPolicy, Series};
use kwitness_protocol::{Hidden, IdentityField, Wishes};

use crate::OTHER;

/// Returns the identity key of what a message says of its client.
#[must_use]
pub const fn key_of(field: IdentityField) -> IdentityKey {
    match field {
        IdentityField::GroupId => IdentityKey::GroupId,
        IdentityField::GroupInstanceId => IdentityKey::GroupInstanceId,
        IdentityField::GroupMemberId => IdentityKey::GroupMemberId,
        IdentityField::TransactionalId => IdentityKey::TransactionalId,
        IdentityField::ClientRack => IdentityKey::ClientRack,
        IdentityField::ClientInstanceId => IdentityKey::ClientInstanceId,
    }
}

/// Returns what is told of messages where identities are treated so. What is hashed is not told in fields, which name
/// others than the client, too.
#[must_use]
pub fn event_filter_without(policy: &IdentityPolicy) -> Wishes {
    let dropped = IdentityField::ALL.into_iter().filter(|field| policy.is_of(key_of(*field))).collect();
    let hidden = Hidden {
        principals: policy.is_of(IdentityKey::Principal),
        client_ids: policy.is_of(IdentityKey::ClientId),
        addresses: policy.is_of(IdentityKey::ClientAddress),
    };
    Wishes::new(dropped, hidden)
}

/// The identities of one window. What is one too many is [`OTHER`].
#[derive(Debug)]
pub(crate) struct Identities {
    /// Each with the number of connections that it was placed for.
    places: Series<Arc<Identity>, u32>,
}

impl Identities {
    pub(crate) fn within(capacity: Capacity) -> Self {
        Self { places: Series::within(capacity) }
    }

    pub(crate) fn place(&mut self, identity: &Arc<Identity>) -> u32 {
        let Some(number) = self.places.place(&**identity, || Arc::clone(identity)) else { return OTHER };
        if let Some(connections) = self.places.value(number) {
            *connections = connections.saturating_add(1);
        }
        number
    }

    /// The number of what was `number` and has grown: the same where no other connection has it, so that what was
    /// counted before is counted under the whole identity.
    pub(crate) fn grown(&mut self, number: u32, identity: &Arc<Identity>) -> u32 {
        let is_alone = self.places.value(number).is_some_and(|connections| *connections == 1);
        if is_alone && self.places.find(&**identity).is_none() {
            self.places.rename(number, Arc::clone(identity));
            number
        } else {
            self.place(identity)
        }
    }

    /// The number of this identity, if it has one.
    pub(crate) fn find(&self, identity: &Identity) -> Option<u32> {
        self.places.find(identity)
    }

    /// The identity of this number; `None` for [`OTHER`].
    pub(crate) fn get(&self, number: u32) -> Option<&Arc<Identity>> {
        self.places.key(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(id: &str) -> Identity {
        Identity::default().with(IdentityKey::ClientId, id.as_bytes())
    }

    #[test]
    fn an_identity_of_one_connection_grows_in_its_place() {
        let mut identities = Identities::within(Capacity::of_at_most(10));
        let (small, grown) = (Arc::new(client("a")), Arc::new(client("a").with(IdentityKey::GroupId, b"g")));

        let number = identities.place(&small);

        assert_eq!(identities.grown(number, &grown), number);
        assert_eq!(identities.get(number), Some(&grown));
        assert_ne!(identities.place(&small), number);
    }

    #[test]
    fn an_identity_of_two_connections_stays_when_one_of_them_grows() {
        let mut identities = Identities::within(Capacity::of_at_most(10));
        let (small, grown) = (Arc::new(client("a")), Arc::new(client("a").with(IdentityKey::GroupId, b"g")));
        let number = identities.place(&small);
        identities.place(&small);

        let other = identities.grown(number, &grown);

        assert_ne!(other, number);
        assert_eq!((identities.get(number), identities.get(other)), (Some(&small), Some(&grown)));
    }

    #[test]
    fn a_million_identities_take_the_places_of_a_few() {
        let mut identities = Identities::within(Capacity::of_at_most(10));

        let others = (0..1_000_000_u32).filter(|number| {
            identities.place(&Arc::new(Identity::default().with(IdentityKey::ClientId, &number.to_be_bytes()))) == OTHER
        });

        assert_eq!(others.count(), 999_990);
    }
}
