//! Columns as Arrow lays them out: values one after the other, and offsets of 32 bits that say where each ends.

/// Offsets that are not those of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Offsets, each of four bytes: one more than there are values.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    offsets: &'a [[u8; 4]],
}

impl<'a> Lists<'a> {
    /// Offsets from their bytes.
    ///
    /// # Errors
    /// There is none, or a part of one.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let (offsets, rest) = bytes.as_chunks::<4>();
        if offsets.is_empty() || !rest.is_empty() { Err(Damaged) } else { Ok(Self { offsets }) }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a value begins and ends.
    pub(crate) fn range(&self, at: usize) -> Result<std::ops::Range<usize>, Damaged> {
        let place = |one: usize| {
            let bytes = self.offsets.get(one).ok_or(Damaged)?;
            usize::try_from(i32::from_le_bytes(*bytes)).map_err(|_| Damaged)
        };
        let (start, end) = (place(at)?, place(at.checked_add(1).ok_or(Damaged)?)?);
        if start <= end { Ok(start..end) } else { Err(Damaged) }
    }
}

/// Values of any length.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    lists: Lists<'a>,
    data: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// Values from the bytes of their offsets and their data.
    ///
    /// # Errors
    /// There is no offset, or a part of one.
    pub fn new(offsets: &'a [u8], data: &'a [u8]) -> Result<Self, Damaged> {
        Ok(Self { lists: Lists::new(offsets)?, data })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    pub(crate) fn get(&self, at: usize) -> Result<&'a [u8], Damaged> {
        self.data.get(self.lists.range(at)?).ok_or(Damaged)
    }
}

/// Texts that are written one after the other.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The bytes of their offsets.
    pub offsets: Vec<u8>,
    /// Their bytes.
    pub data: Vec<u8>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { offsets: vec![0; 4], data: Vec::new() }
    }
}

impl Texts {
    /// Write one more. The caller sees to it that all together are shorter than 2 GiB.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.data.extend_from_slice(bytes);
        self.offsets.extend_from_slice(&offset(self.data.len()));
    }
}

/// An offset as Arrow has it.
pub(crate) fn offset(place: usize) -> [u8; 4] {
    i32::try_from(place).unwrap_or(i32::MAX).to_le_bytes()
}
