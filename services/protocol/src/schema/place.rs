//! Where in a message the bytes are that come next, for who reads it in pieces.

use super::table::{Field, Kind, Layout};
use crate::reader::{Fault, Reader};

/// What comes next in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Next {
    /// A value: a field's, or that of an element of the array that the field is.
    Value(&'static Field, Kind),
    /// The tagged fields of a structure; their number stands before them in flexible versions.
    Tags,
    /// Nothing.
    End,
}

/// A place in a message of one layout. It takes as much memory as the layout is deep.
#[derive(Debug)]
pub(crate) struct Place {
    version: i16,
    pub(crate) is_flexible: bool,
    levels: Vec<Level>,
}

#[derive(Debug)]
enum Level {
    /// These fields are still to come, then tagged ones.
    Structure(&'static [Field]),
    /// So many elements of this kind are still to come.
    Elements(&'static Field, Kind, usize),
}

impl Place {
    /// The beginning of a message.
    pub(crate) fn new(layout: &'static Layout, version: i16) -> Self {
        let levels = vec![Level::Structure(layout.fields)];
        Self { version, is_flexible: layout.flexible.contain(version), levels }
    }

    /// What comes next. It stays the same until the place moves on.
    pub(crate) fn next(&mut self) -> Next {
        loop {
            match self.levels.last() {
                None => return Next::End,
                Some(Level::Structure(fields)) => {
                    let field = fields.iter().find(|field| is_in_turn(field, self.version));
                    return field.map_or(Next::Tags, |field| Next::Value(field, field.kind));
                }
                Some(Level::Elements(_, _, 0)) => self.end_structure(),
                Some(Level::Elements(field, kind, _)) => return Next::Value(field, *kind),
            }
        }
    }

    /// Within how many structures of the message it is.
    pub(crate) fn depth(&self) -> usize {
        let is_structure = |level: &&Level| matches!(level, Level::Structure(_));
        self.levels.iter().filter(is_structure).count().saturating_sub(1)
    }

    /// Move on behind the value that came next.
    pub(crate) fn pass(&mut self) {
        match self.levels.last_mut() {
            Some(Level::Structure(fields)) => {
                let mut rest = fields.iter();
                rest.find(|field| is_in_turn(field, self.version));
                *fields = rest.as_slice();
            }
            Some(Level::Elements(_, _, left)) => *left = left.saturating_sub(1),
            None => {}
        }
    }

    /// Move on behind the tagged fields of a structure, and so behind the structure.
    pub(crate) fn end_structure(&mut self) {
        self.levels.pop();
    }

    /// Move on behind the value that came next, which the reader is at, or into it if it has parts; how many bytes are to
    /// be skipped before the next one.
    ///
    /// # Errors
    /// What is wrong with the bytes. The place has not moved then.
    pub(crate) fn read(&mut self, field: &'static Field, kind: Kind, reader: &mut Reader<'_>) -> Result<usize, Fault> {
        let is_element = matches!(self.levels.last(), Some(Level::Elements(..)));
        let may_be_null = !is_element && field.nullable.contain(self.version);
        let mut inner = None;
        let size = match kind {
            Kind::Struct(_) if may_be_null && reader.int8()? < 0 => Some(0),
            Kind::Struct(fields) => {
                inner = Some(Level::Structure(fields));
                Some(0)
            }
            Kind::Array(element) => match (reader.count(self.is_flexible)?, element.size()) {
                (Some(count), Some(size)) => Some(count.saturating_mul(size)),
                (Some(count), None) => {
                    inner = Some(Level::Elements(field, *element, count));
                    Some(0)
                }
                (None, _) => None,
            },
            Kind::String => reader.string_size(self.is_flexible)?,
            Kind::Bytes | Kind::Records => reader.count(self.is_flexible)?,
            _ => kind.size(),
        };
        let size = size.or(may_be_null.then_some(0)).ok_or(Fault::Null)?;
        if size > reader.left() {
            return Err(Fault::BeyondFrame);
        }
        self.pass();
        self.levels.extend(inner);
        Ok(size)
    }
}

/// Whether this version has the field among those that stand in their order.
const fn is_in_turn(field: &Field, version: i16) -> bool {
    field.tag.is_none() && field.versions.contain(version)
}

impl Kind {
    /// How many bytes each value has, where all have the same number.
    const fn size(self) -> Option<usize> {
        match self {
            Self::Bool | Self::Int8 => Some(1),
            Self::Int16 | Self::Uint16 => Some(2),
            Self::Int32 | Self::Uint32 => Some(4),
            Self::Int64 | Self::Float64 => Some(8),
            Self::Uuid => Some(16),
            Self::String | Self::Bytes | Self::Records | Self::Array(_) | Self::Struct(_) => None,
        }
    }
}
