//! What stands before every request and every response.

use crate::reader::{Fault, Reader};

/// The first eight bytes of every request, whatever its API and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The API's key.
    pub key: i16,
    /// The version of the request.
    pub version: i16,
    /// Which the response repeats.
    pub correlation: i32,
}

impl Opening {
    /// Read it.
    ///
    /// # Errors
    /// The frame, or what of it is at hand, is shorter.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self { key: reader.int16()?, version: reader.int16()?, correlation: reader.int32()? })
    }
}

/// The header of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHeader<'a> {
    /// Its first eight bytes.
    pub opening: Opening,
    /// What the client calls itself, which need not be UTF-8.
    pub client_id: Option<&'a [u8]>,
}

impl<'a> RequestHeader<'a> {
    /// Read what follows the opening in a header of this version ([`crate::schema::Api::request_header`]).
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn read(opening: Opening, header_version: i16, reader: &mut Reader<'a>) -> Result<Self, Fault> {
        // The client id has the old form even in flexible headers: older brokers must be able to read it.
        let client_id = if header_version >= 1 { reader.string(false)? } else { None };
        if header_version >= 2 {
            reader.tags(|_, _| Ok(()))?;
        }
        Ok(Self { opening, client_id })
    }
}

/// Read the header of a response: its correlation id, then tagged fields from version 1 on.
///
/// # Errors
/// What is wrong with the bytes.
pub fn response_correlation(header_version: i16, reader: &mut Reader<'_>) -> Result<i32, Fault> {
    let correlation = reader.int32()?;
    if header_version >= 1 {
        reader.tags(|_, _| Ok(()))?;
    }
    Ok(correlation)
}
