//! Headers of records, each a list of keys and values, into one column for each key that is wanted.

use crate::columns::{Bytes, Damaged, Lists, Texts};

/// The headers of all records.
#[derive(Clone, Copy, Debug)]
pub struct Headers<'a> {
    /// Where the headers of each record begin and end.
    pub lists: Lists<'a>,
    /// Keys of all headers.
    pub keys: Bytes<'a>,
    /// Their values.
    pub values: Bytes<'a>,
    /// A byte for each value: 0 where it is null. Empty where none is.
    pub present: &'a [u8],
}

/// The values of one key.
#[derive(Clone, Debug, Default)]
pub struct HeaderColumn {
    /// Empty where a record has no such header.
    pub texts: Texts,
    /// A byte for each record: 0 where it has none.
    pub present: Vec<u8>,
}

/// The last value of each wanted key in each record, and a byte for each record: 1 where one of them is not UTF-8.
///
/// # Errors
/// A column is damaged.
pub fn header_columns(headers: &Headers<'_>, wanted: &[String]) -> Result<(Vec<HeaderColumn>, Vec<u8>), Damaged> {
    let mut columns = vec![HeaderColumn::default(); wanted.len()];
    let mut unreadable = Vec::with_capacity(headers.lists.len());
    let mut found: Vec<Option<&[u8]>> = vec![None; wanted.len()];
    for record in 0..headers.lists.len() {
        found.fill(None);
        for at in headers.lists.range(record)? {
            let key = headers.keys.get(at)?;
            if headers.present.get(at) == Some(&0) {
                continue;
            }
            if let Some((_, place)) = wanted.iter().zip(&mut found).find(|(one, _)| one.as_bytes() == key) {
                *place = Some(headers.values.get(at)?);
            }
        }
        let mut damaged = false;
        for (value, column) in found.iter().zip(&mut columns) {
            let text = value.filter(|bytes| std::str::from_utf8(bytes).is_ok());
            damaged |= value.is_some() && text.is_none();
            column.texts.push(text.unwrap_or_default());
            column.present.push(u8::from(text.is_some()));
        }
        unreadable.push(u8::from(damaged));
    }
    Ok((columns, unreadable))
}
