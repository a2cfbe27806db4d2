//! Many headers in one (KIP-82): ascending int32 number, int32 length of the value, value, and nothing around it.

use super::problems::Problem;

/// The native header that the set travels in.
pub const SET_HEADER: &[u8] = b"kwitness.set";
/// Keys in the sets of one record that are evaluated.
pub const MOST_SET_KEYS: usize = 4_096;

/// The keys of one set by number, as far as a reader gets, and no more than there is room for.
#[derive(Clone, Debug)]
pub struct SetEntries<'a> {
    rest: &'a [u8],
    last: Option<u32>,
    room: usize,
    problem: Option<Problem>,
}

impl<'a> SetEntries<'a> {
    /// Of these bytes, so many keys at most.
    #[must_use]
    pub const fn new(bytes: &'a [u8], most: usize) -> Self {
        Self { rest: bytes, last: None, room: most, problem: None }
    }

    /// Returns what is wrong with the set, after its last entry: it is of the wrong type where a reader gets no further, and too
    /// large where it has more keys than there was room for.
    pub(super) const fn problem(&self) -> Option<Problem> {
        self.problem
    }

    /// Returns how many more there is room for.
    pub(super) const fn room(&self) -> usize {
        self.room
    }

    fn entry(&self) -> Option<(u32, &'a [u8], &'a [u8])> {
        let (number, rest) = int(self.rest)?;
        let (length, rest) = int(rest)?;
        let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.last.is_none_or(|last| last < number).then_some((number, value, rest))
    }
}

impl<'a> Iterator for SetEntries<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.problem.is_some() || self.rest.is_empty() {
            return None;
        }
        let Some(room) = self.room.checked_sub(1) else {
            self.problem = Some(Problem::TooLarge);
            return None;
        };
        let Some((number, value, rest)) = self.entry() else {
            self.problem = Some(Problem::WrongType);
            return None;
        };
        (self.rest, self.last, self.room) = (rest, Some(number), room);
        Some((number, value))
    }
}

/// A positive int32 and what follows.
fn int(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u32::try_from(i32::from_be_bytes(*first)).ok()?, rest))
}
