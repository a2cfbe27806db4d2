//! Names of groups, members, transactions and instances in requests, and how a transaction ends.

use super::identities::Identities;
use crate::event::Event;
use crate::identity_field::IdentityField;
use crate::reader::{Fault, Reader};
use crate::schema::{Field, Layout, Value, Visitor, walk};

const OFFSET_COMMIT: i16 = 8;
const OFFSET_FETCH: i16 = 9;
const JOIN_GROUP: i16 = 11;
const HEARTBEAT: i16 = 12;
const SYNC_GROUP: i16 = 14;
const INIT_PRODUCER_ID: i16 = 22;
const ADD_PARTITIONS_TO_TXN: i16 = 24;
const ADD_OFFSETS_TO_TXN: i16 = 25;
const END_TXN: i16 = 26;
const TXN_OFFSET_COMMIT: i16 = 28;
const CONSUMER_GROUP_HEARTBEAT: i16 = 68;
const GET_TELEMETRY_SUBSCRIPTIONS: i16 = 71;
const PUSH_TELEMETRY: i16 = 72;
const SHARE_GROUP_HEARTBEAT: i16 = 76;
const SHARE_ACKNOWLEDGE: i16 = 79;
const STREAMS_GROUP_HEARTBEAT: i16 = 88;

/// Whether a request of this API names what the client is.
pub(super) const fn names_identities(key: i16) -> bool {
    matches!(
        key,
        OFFSET_COMMIT
            | OFFSET_FETCH
            | JOIN_GROUP
            | HEARTBEAT
            | SYNC_GROUP
            | INIT_PRODUCER_ID
            | ADD_PARTITIONS_TO_TXN
            | ADD_OFFSETS_TO_TXN
            | END_TXN
            | TXN_OFFSET_COMMIT
            | CONSUMER_GROUP_HEARTBEAT
            | GET_TELEMETRY_SUBSCRIPTIONS
            | PUSH_TELEMETRY
            | SHARE_GROUP_HEARTBEAT
            | SHARE_ACKNOWLEDGE
            | STREAMS_GROUP_HEARTBEAT
    )
}

/// Finds out whether the group of a request is the client's own. An administrator commits for no member (KIP-496), and
/// reads the offsets of several groups at once (KIP-709).
#[derive(Default)]
struct Membership {
    depth: usize,
    groups: usize,
    is_member: bool,
}

impl Membership {
    /// As far as the message can be read.
    fn from_request(layout: &'static Layout, version: i16, mut reader: Reader<'_>) -> Self {
        let mut membership = Self::default();
        // The walk that reads the names returns the error.
        let _ = walk(layout, version, &mut reader, &mut membership);
        membership
    }

    const fn is_own(&self, key: i16) -> bool {
        match key {
            OFFSET_COMMIT => self.is_member,
            OFFSET_FETCH => self.groups == 1,
            _ => true,
        }
    }
}

impl Visitor for Membership {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        match (field.name, value) {
            ("GroupId", _) => self.groups = self.groups.saturating_add(1),
            ("MemberId", Value::String(member)) if self.depth == 0 => self.is_member |= !member.is_empty(),
            ("GenerationIdOrMemberEpoch", Value::Int(generation)) => self.is_member |= generation >= 0,
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

/// Tells the fields of the message itself, not of what is in its arrays.
struct Names<'a, T> {
    has_own_group: bool,
    identities: &'a mut Identities,
    tell: &'a mut T,
    depth: usize,
    found: bool,
    commits: Option<bool>,
}

impl<T: FnMut(Event<'_>)> Visitor for Names<'_, T> {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        // Newer versions of OffsetFetch have a list of groups.
        if self.depth > usize::from(field.name == "GroupId") {
            return;
        }
        if let ("Committed", Value::Bool(commits)) = (field.name, value) {
            self.commits = Some(commits);
        }
        let Some(identity) = IdentityField::named(field.name) else { return };
        match value {
            Value::String(_) if identity == IdentityField::GroupId && !self.has_own_group => {}
            Value::String(text) => self.identities.tell(identity, text, self.tell),
            Value::Uuid(id) if id != [0; 16] => self.identities.tell(identity, &id, self.tell),
            _ => {}
        }
        self.found = true;
    }

    fn enter(&mut self, _: &'static Field) {
        self.depth = self.depth.saturating_add(1);
    }

    fn leave(&mut self, _: &'static Field) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Read the body of a request that names identities: whether it commits a transaction or aborts it, where it ends one.
///
/// # Errors
/// What is wrong with the bytes; that they end early only where nothing was found before.
pub(super) fn read_names(
    layout: &'static Layout,
    (key, version): (i16, i16),
    reader: &mut Reader<'_>,
    identities: &mut Identities,
    tell: &mut impl FnMut(Event<'_>),
) -> Result<Option<bool>, Fault> {
    let needs_member = matches!(key, OFFSET_COMMIT | OFFSET_FETCH);
    let has_own_group = !needs_member || Membership::from_request(layout, version, reader.clone()).is_own(key);
    let mut names = Names { has_own_group, identities, tell, depth: 0, found: false, commits: None };
    match walk(layout, version, reader, &mut names) {
        Err(Fault::Incomplete) if names.found => Ok(names.commits),
        walked => walked.and_then(|()| reader.end()).map(|()| names.commits),
    }
}
