//! What a message says, as JSON with the names of Kafka's definitions.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use crate::identity_field::{IdentityField, IdentityFields};
use crate::schema::{Field, Value};
use crate::topic::LONGEST_NAME;

/// In bytes.
const LONGEST: usize = 64 << 10;
/// What the name of a topic may add.
const ROOM_FOR_NAME: usize = LONGEST_NAME + 16;

/// The fields of a message: an object, written as its parts come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    json: String,
    dropped: IdentityFields,
    /// Topics that have only an id: where their names belong, what the names are called, and the ids.
    unnamed: Vec<(usize, &'static str, [u8; 16])>,
    /// What is kept free for these names.
    reserved: usize,
    /// Of each structure and array that is open whether it is an array.
    open: Vec<bool>,
}

impl Fields {
    pub(super) fn new(dropped: IdentityFields) -> Self {
        Self { json: "{".into(), dropped, unnamed: Vec::new(), reserved: 0, open: vec![false] }
    }

    /// In bytes.
    pub(super) const fn len(&self) -> usize {
        self.json.len().saturating_add(self.reserved)
    }

    /// Whether they are longer than is told; nothing is added from then on.
    const fn are_too_long(&self) -> bool {
        self.len() > LONGEST
    }

    /// As JSON, with the names of topics that `name` knows by their ids.
    #[must_use]
    pub fn json(&self, name: impl Fn([u8; 16]) -> Option<Box<[u8]>>) -> String {
        let mut json = String::with_capacity(self.len());
        let mut written = 0;
        for (place, called, id) in &self.unnamed {
            let Some(name) = name(*id) else { continue };
            json.push_str(self.json.get(written..*place).unwrap_or_default());
            written = *place;
            json.push_str(",\"");
            json.push_str(called);
            json.push_str("\":");
            json.push_str(&quoted(&name));
        }
        json.push_str(self.json.get(written..).unwrap_or_default());
        json
    }

    /// As a whole; `None` where they are too long.
    pub(super) fn end(mut self) -> Option<Self> {
        self.close('}');
        Some(self).filter(|fields| !fields.are_too_long())
    }

    pub(super) fn enter(&mut self, field: &Field) {
        self.begin(field);
        self.open('{');
    }

    pub(super) fn leave(&mut self) {
        self.close('}');
    }

    pub(super) fn array(&mut self, field: &Field) {
        self.begin(field);
        self.open('[');
    }

    pub(super) fn array_end(&mut self) {
        self.close(']');
    }

    pub(super) fn value(&mut self, field: &Field, value: Value<'_>) {
        let is_dropped = is_dropped(field.name, self.dropped);
        match value {
            _ if is_dropped => self.write(field, "null"),
            Value::Null => self.write(field, "null"),
            Value::Bool(value) => self.write(field, if value { "true" } else { "false" }),
            Value::Int(value) => self.write(field, &value.to_string()),
            Value::Float(value) => self.write(field, &serde_json::to_string(&value).unwrap_or_default()),
            Value::Uuid(id) => self.write(field, &quoted(URL_SAFE_NO_PAD.encode(id).as_bytes())),
            Value::String(value) => self.write_text(field, value.len(), || quoted(value)),
            Value::Bytes(value) => self.write_text(field, value.len(), || quoted(STANDARD.encode(value).as_bytes())),
            Value::Records(value) => self.records(field, value.len(), None),
        }
    }

    /// In the place of records.
    pub(super) fn records(&mut self, field: &Field, bytes: usize, records: Option<u64>) {
        let records = records.map_or_else(|| "null".into(), |records| records.to_string());
        self.write(field, &format!("{{\"bytes\":{bytes},\"records\":{records}}}"));
    }

    /// In the place of what is not told.
    pub(super) fn length(&mut self, field: &Field, bytes: usize) {
        self.write(field, &format!("{{\"bytes\":{bytes}}}"));
    }

    /// The topic with this id, which was written last, has its name written behind it once it is known.
    pub(super) fn name_later(&mut self, called: &'static str, id: [u8; 16]) {
        if !self.are_too_long() {
            self.reserved = self.reserved.saturating_add(ROOM_FOR_NAME);
            self.unnamed.push((self.json.len(), called, id));
        }
    }

    /// Write a text of so many bytes at least, unless it has no room.
    fn write_text(&mut self, field: &Field, bytes: usize, text: impl FnOnce() -> String) {
        if self.len().saturating_add(bytes) > LONGEST {
            self.reserved = LONGEST;
        } else {
            self.write(field, &text());
        }
    }

    fn write(&mut self, field: &Field, json: &str) {
        self.begin(field);
        if !self.are_too_long() {
            self.json.push_str(json);
        }
    }

    /// Write what stands before a field's value, or before an element's.
    fn begin(&mut self, field: &Field) {
        if self.are_too_long() {
            return;
        }
        if !self.json.ends_with(['{', '[']) {
            self.json.push(',');
        }
        if self.open.last() == Some(&false) {
            // Writing to a string cannot fail.
            let _ = write!(self.json, "\"{}\":", field.name);
        }
    }

    fn open(&mut self, bracket: char) {
        self.open.push(bracket == '[');
        if !self.are_too_long() {
            self.json.push(bracket);
        }
    }

    fn close(&mut self, bracket: char) {
        self.open.pop();
        if !self.are_too_long() {
            self.json.push(bracket);
        }
    }
}

fn quoted(bytes: &[u8]) -> String {
    serde_json::to_string(&String::from_utf8_lossy(bytes)).unwrap_or_default()
}

/// Whether a field of this name says what of clients is not told.
fn is_dropped(name: &str, dropped: IdentityFields) -> bool {
    let field = match name {
        "Leader" => Some(IdentityField::GroupMemberId), // of a JoinGroup: a member's id
        _ => IdentityField::named(name),
    };
    field.is_some_and(|field| dropped.contain(field))
}
