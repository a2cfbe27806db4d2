//! Goes through a message along its layout and tells a visitor what it meets.

use super::table::{Field, Kind, Layout};
use crate::reader::{Fault, Reader};

/// A value that is not composed of others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names are the protocol's")]
pub enum Value<'a> {
    /// Of a field of any kind.
    Null,
    Bool(bool),
    /// Every whole number, whatever its size and sign.
    Int(i64),
    Float(f64),
    Uuid([u8; 16]),
    /// Peers should but need not send UTF-8.
    String(&'a [u8]),
    Bytes(&'a [u8]),
    Records(&'a [u8]),
}

/// What is told while a message is walked. Methods that a visitor does not need do nothing.
#[expect(unused_variables, reason = "the bodies are empty on purpose")]
pub trait Visitor {
    /// A field has this value; an element of an array is told under the array's field.
    fn value(&mut self, field: &'static Field, value: Value<'_>) {}
    /// A structure begins: a field, or an element of an array.
    fn enter(&mut self, field: &'static Field) {}
    /// The structure ended.
    fn leave(&mut self, field: &'static Field) {}
    /// An array of so many elements begins.
    fn array(&mut self, field: &'static Field, count: usize) {}
    /// The array ended.
    fn array_end(&mut self, field: &'static Field) {}
    /// A tagged field that the layout does not know.
    fn unknown_tag(&mut self, number: u32, content: &[u8]) {}
}

/// Walk the message that `reader` is at, which has the layout of `version`.
///
/// Depth and work are bounded: layouts do not refer to themselves, and a count larger than what is left of the frame
/// is refused before its first element. The reader stands behind the message afterwards; whether the frame ends there
/// says [`Reader::end`].
///
/// # Errors
/// What is wrong with the bytes. The visitor has been told of all that came before.
pub fn walk(
    layout: &'static Layout,
    version: i16,
    reader: &mut Reader<'_>,
    visitor: &mut impl Visitor,
) -> Result<(), Fault> {
    Walk { version, flexible: layout.flexible.contain(version) }.fields(layout.fields, reader, visitor)
}

/// Go past one field of a message.
pub(crate) fn skip(
    field: &'static Field,
    version: i16,
    is_flexible: bool,
    reader: &mut Reader<'_>,
) -> Result<(), Fault> {
    Walk { version, flexible: is_flexible }.field(field, field.kind, reader, &mut Deaf)
}

/// Read a value that is not composed of others; `None` is null.
pub(crate) fn scalar<'a>(kind: Kind, is_flexible: bool, reader: &mut Reader<'a>) -> Result<Option<Value<'a>>, Fault> {
    Walk { version: 0, flexible: is_flexible }.scalar(kind, reader)
}

/// Walk a tagged field of a structure with these fields, from its number and content; nothing where it is not known.
pub(crate) fn tagged(
    fields: &'static [Field],
    version: i16,
    number: u32,
    content: &[u8],
    visitor: &mut impl Visitor,
) -> Result<(), Fault> {
    Walk { version, flexible: true }.tagged(fields, number, content, visitor)
}

/// Make sure that the rest of a frame is a message of this layout.
pub(crate) fn check(layout: &'static Layout, version: i16, mut reader: Reader<'_>) -> Result<(), Fault> {
    walk(layout, version, &mut reader, &mut Deaf)?;
    reader.end()
}

/// Takes no notice.
struct Deaf;

impl Visitor for Deaf {}

#[derive(Clone, Copy)]
struct Walk {
    version: i16,
    flexible: bool,
}

impl Walk {
    fn fields(
        self,
        fields: &'static [Field],
        reader: &mut Reader<'_>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Fault> {
        for field in fields {
            if field.tag.is_none() && field.versions.contain(self.version) {
                self.field(field, field.kind, reader, visitor)?;
            }
        }
        if !self.flexible {
            return Ok(());
        }
        reader.tags(|number, content| self.tagged(fields, number, content, visitor))
    }

    fn tagged(
        self,
        fields: &'static [Field],
        number: u32,
        content: &[u8],
        visitor: &mut impl Visitor,
    ) -> Result<(), Fault> {
        let known = |field: &&Field| field.tag == Some(number) && field.versions.contain(self.version);
        let Some(field) = fields.iter().find(known) else {
            visitor.unknown_tag(number, content);
            return Ok(());
        };
        let mut inner = Reader::new(content);
        self.field(field, field.kind, &mut inner, visitor)?;
        inner.end().map_err(|_| Fault::TagSize)
    }

    fn field(
        self,
        field: &'static Field,
        kind: Kind,
        reader: &mut Reader<'_>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Fault> {
        let value = match kind {
            Kind::Struct(fields) => {
                if self.may_be_null(field) && reader.int8()? < 0 {
                    return self.null(field, visitor);
                }
                return self.structure(field, fields, reader, visitor);
            }
            Kind::Array(element) => {
                let Some(count) = reader.count(self.flexible)? else {
                    return self.null(field, visitor);
                };
                visitor.array(field, count);
                for _ in 0..count {
                    match element {
                        // An element is never null, whatever its array may be.
                        Kind::Struct(fields) => self.structure(field, fields, reader, visitor)?,
                        _ => visitor.value(field, self.scalar(*element, reader)?.ok_or(Fault::Null)?),
                    }
                }
                visitor.array_end(field);
                return Ok(());
            }
            _ => self.scalar(kind, reader)?,
        };
        let Some(value) = value else {
            return self.null(field, visitor);
        };
        visitor.value(field, value);
        Ok(())
    }

    fn structure(
        self,
        field: &'static Field,
        fields: &'static [Field],
        reader: &mut Reader<'_>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Fault> {
        visitor.enter(field);
        self.fields(fields, reader, visitor)?;
        visitor.leave(field);
        Ok(())
    }

    /// A value that is not composed of others, or `None` for null.
    fn scalar<'a>(self, kind: Kind, reader: &mut Reader<'a>) -> Result<Option<Value<'a>>, Fault> {
        Ok(Some(match kind {
            Kind::Bool => Value::Bool(reader.int8()? != 0),
            Kind::Int8 => Value::Int(reader.int8()?.into()),
            Kind::Int16 => Value::Int(reader.int16()?.into()),
            Kind::Uint16 => Value::Int(u16::from_be_bytes(reader.array()?).into()),
            Kind::Int32 => Value::Int(reader.int32()?.into()),
            Kind::Uint32 => Value::Int(u32::from_be_bytes(reader.array()?).into()),
            Kind::Int64 => Value::Int(i64::from_be_bytes(reader.array()?)),
            Kind::Uuid => Value::Uuid(reader.array()?),
            Kind::Float64 => Value::Float(f64::from_be_bytes(reader.array()?)),
            Kind::String => return Ok(reader.string(self.flexible)?.map(Value::String)),
            Kind::Bytes => return Ok(reader.bytes(self.flexible)?.map(Value::Bytes)),
            Kind::Records => return Ok(reader.bytes(self.flexible)?.map(Value::Records)),
            Kind::Array(_) | Kind::Struct(_) => return Ok(None),
        }))
    }

    const fn may_be_null(self, field: &Field) -> bool {
        field.nullable.contain(self.version)
    }

    fn null(self, field: &'static Field, visitor: &mut impl Visitor) -> Result<(), Fault> {
        if !self.may_be_null(field) {
            return Err(Fault::Null);
        }
        visitor.value(field, Value::Null);
        Ok(())
    }
}
