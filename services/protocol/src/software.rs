//! Which software a client says it is (KIP-511), in `ApiVersions` from version 3 on.

use crate::reader::{Fault, Reader};
use crate::schema::{Field, Layout, Value, Visitor, walk};

/// Name and version, both as Kafka accepts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Software<'a> {
    /// Such as `apache-kafka-java`.
    pub name: &'a str,
    /// Such as `4.3.1`.
    pub version: &'a str,
}

/// Whether a broker accepts this as a name or a version: `[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?`.
#[must_use]
pub fn is_valid(text: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let ends = [text.first(), text.last()];
    ends.iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric)) && text.iter().all(inner)
}

/// The two strings of an `ApiVersions` request, not judged yet; empty where its version has none.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    name: Vec<u8>,
    version: Vec<u8>,
}

impl Visitor for Declared {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        match (field.name, value) {
            ("ClientSoftwareName", Value::String(text)) => self.name = text.to_vec(),
            ("ClientSoftwareVersion", Value::String(text)) => self.version = text.to_vec(),
            _ => {}
        }
    }
}

impl Declared {
    /// Read the body of an `ApiVersions` request.
    pub(crate) fn read(layout: &'static Layout, version: i16, reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut declared = Self::default();
        walk(layout, version, reader, &mut declared)?;
        reader.end()?;
        Ok(declared)
    }

    /// Name and version, unless a broker would refuse one of them.
    pub(crate) fn software(&self) -> Option<Software<'_>> {
        let text = |bytes| std::str::from_utf8(bytes).ok().filter(|_| is_valid(bytes));
        Some(Software { name: text(&self.name)?, version: text(&self.version)? })
    }
}
