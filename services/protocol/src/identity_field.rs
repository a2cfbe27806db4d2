//! Names what messages say of their client.

/// What of an identity is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdentityField {
    /// The consumer, share or streams group.
    GroupId,
    /// The member's own name in it, for static membership (KIP-345).
    GroupInstanceId,
    /// The member's id.
    GroupMemberId,
    /// The producer's transactional id.
    TransactionalId,
    /// The rack that a consumer is in.
    ClientRack,
    /// The id of the client's instance (KIP-714), 16 bytes.
    ClientInstanceId,
}

impl IdentityField {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::GroupId,
        Self::GroupInstanceId,
        Self::GroupMemberId,
        Self::TransactionalId,
        Self::ClientRack,
        Self::ClientInstanceId,
    ];

    /// Returns what a field of this name says of the client.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "GroupId" => Self::GroupId,
            "GroupInstanceId" | "InstanceId" => Self::GroupInstanceId,
            "MemberId" => Self::GroupMemberId,
            "TransactionalId" | "V3AndBelowTransactionalId" => Self::TransactionalId,
            "RackId" => Self::ClientRack,
            "ClientInstanceId" => Self::ClientInstanceId,
            _ => return None,
        })
    }
}

/// Some identity fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdentityFields([bool; IdentityField::ALL.len()]);

impl IdentityFields {
    /// Returns true if the field is among them.
    #[must_use]
    pub fn contain(&self, field: IdentityField) -> bool {
        self.0.get(field as usize).is_some_and(|is| *is)
    }
}

impl FromIterator<IdentityField> for IdentityFields {
    fn from_iter<T: IntoIterator<Item = IdentityField>>(fields: T) -> Self {
        let mut all = Self::default();
        for field in fields {
            if let Some(is) = all.0.get_mut(field as usize) {
                *is = true;
            }
        }
        all
    }
}
