//! Follows administrative requests: decides for each value if and how it is written.

use super::configs::{GROUP, TOPIC, holds_secret};
use super::listed::{ADMINISTRATIVE, ALTER_USER_SCRAM_CREDENTIALS, CREATE_ACLS, CREATE_TOPICS, DELETE_ACLS};
use super::wishes::{Hidden, Wishes};
use crate::identity_field::{IdentityField, IdentityFields};
use crate::schema::{Field, Kind, Value};
use crate::side::Side;

/// Kinds of resources, as Kafka numbers those of permissions.
const GROUP_OF_ACL: i64 = 3;
const TRANSACTIONAL_ID_OF_ACL: i64 = 5;
const USER_OF_ACL: i64 = 7;

/// The form in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    Whole,
    /// Its length: it may be a secret.
    Length,
    /// Null: the settings hide it.
    Null,
    Not,
}

/// Follows an administrative message, for what its values are about.
#[derive(Debug)]
pub(super) struct Administrative {
    key: i16,
    /// The fields that are written; `None`: all.
    listed: Option<&'static [&'static str]>,
    dropped: IdentityFields,
    hidden: Hidden,
    /// The kind of the resource that is named.
    resource: i64,
    hides_entity: bool,
    /// The value of the configuration that was named may be a secret.
    holds_secret: bool,
    /// The depth within structures and arrays of which nothing is written.
    passed_over: usize,
}

impl Administrative {
    /// Of a message of this API; `None` where it is none.
    pub(super) fn new(key: i16, side: Side, filter: &Wishes) -> Option<Self> {
        let found = ADMINISTRATIVE.iter().find(|listed| listed.key == key)?;
        let listed = match side {
            Side::Client => found.request,
            Side::Broker => found.response,
        };
        Some(Self {
            key,
            listed: Some(listed).filter(|_| !filter.want_fields_of(key)),
            dropped: filter.dropped,
            hidden: filter.hidden,
            resource: if key == CREATE_TOPICS { TOPIC } else { 0 },
            hides_entity: false,
            holds_secret: true,
            passed_over: 0,
        })
    }

    /// The kind of resource is that of a permission.
    pub(super) const fn is_about_acls(&self) -> bool {
        matches!(self.key, CREATE_ACLS | DELETE_ACLS)
    }

    fn is_listed(&self, parent: &str, field: &Field) -> bool {
        let is_it = |entry: &&str| entry.split_once('.') == Some((parent, field.name));
        self.listed.is_none_or(|listed| listed.iter().any(is_it))
    }

    /// Returns true if the bytes of this field need not be read at all.
    pub(super) fn passes_over(&self, parent: &str, field: &Field) -> bool {
        matches!(field.kind, Kind::Bytes) && !self.is_listed(parent, field)
    }

    /// A structure, or an array with this parent, begins; returns true if something of it is written.
    pub(super) fn enters(&mut self, parent: &str, field: &Field) -> bool {
        let is_inside = |entry: &&str| entry.split_once('.').is_some_and(|(of, _)| of == field.name);
        let is_written = self.is_listed(parent, field) || self.listed.is_none_or(|listed| listed.iter().any(is_inside));
        if self.passed_over > 0 || !is_written {
            self.passed_over = self.passed_over.saturating_add(1);
        }
        self.passed_over == 0
    }

    /// It ended; returns true if something of it was written.
    pub(super) const fn leaves(&mut self) -> bool {
        let is_written = self.passed_over == 0;
        self.passed_over = self.passed_over.saturating_sub(1);
        is_written
    }

    /// A field of this structure has this value.
    pub(super) fn value(&mut self, parent: &str, field: &Field, value: Value<'_>) -> Telling {
        match (field.name, value) {
            ("ResourceType" | "ResourceTypeFilter", Value::Int(kind)) => self.resource = kind,
            ("EntityType", Value::String(kind)) => {
                self.hides_entity = match kind {
                    b"user" => self.hidden.principals,
                    b"client-id" => self.hidden.client_ids,
                    b"ip" => self.hidden.addresses,
                    _ => false,
                }
            }
            ("Name", Value::String(name)) if parent == "Configs" => {
                self.holds_secret = holds_secret(self.resource, name);
            }
            _ => {}
        }
        if self.passed_over > 0 || !self.is_listed(parent, field) {
            Telling::Not
        } else if self.hides(field) {
            Telling::Null
        } else if parent == "Configs" && field.name == "Value" && self.holds_secret {
            Telling::Length
        } else {
            Telling::Whole
        }
    }

    /// Returns true if the field is one of those that are null.
    fn hides(&self, field: &Field) -> bool {
        match field.name {
            "Principal" | "PrincipalFilter" | "User" => self.hidden.principals,
            "Name" => self.key == ALTER_USER_SCRAM_CREDENTIALS && self.hidden.principals,
            "Host" | "HostFilter" => self.hidden.addresses,
            "EntityName" => self.hides_entity,
            "GroupsNames" => self.dropped.contain(IdentityField::GroupId),
            "ResourceName" | "ResourceNameFilter" => match (self.is_about_acls(), self.resource) {
                (true, GROUP_OF_ACL) | (false, GROUP) => self.dropped.contain(IdentityField::GroupId),
                (true, TRANSACTIONAL_ID_OF_ACL) => self.dropped.contain(IdentityField::TransactionalId),
                (true, USER_OF_ACL) => self.hidden.principals,
                _ => false,
            },
            _ => false,
        }
    }
}
