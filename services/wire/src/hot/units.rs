//! Hands a message to what reads it, unit by unit, however its bytes are divided.

use super::memory::Memory;
use crate::event::{Event, Unread};
use crate::reader::{Fault, Reader};

/// The longest unit in bytes; longer names cannot be read.
const LONGEST: usize = 1 << 10;
/// How many bytes of a further piece are tried at once to complete a unit.
const PORTION: usize = 64;

/// Why a unit was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It goes on after the bytes at hand.
    More,
    /// It cannot be read.
    Unread(Unread),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Incomplete => Self::More,
            _ => Self::Unread(Unread::Malformed),
        }
    }
}

/// What follows a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct After {
    /// So many bytes that nobody reads.
    pub(crate) skip: usize,
    /// Then so many tagged fields.
    pub(crate) tags: usize,
    /// Nothing more is read of this message.
    pub(crate) is_done: bool,
}

impl After {
    pub(crate) const NEXT: Self = Self { skip: 0, tags: 0, is_done: false };
    pub(crate) const DONE: Self = Self { skip: 0, tags: 0, is_done: true };

    pub(crate) const fn skip(skip: usize) -> Self {
        Self { skip, tags: 0, is_done: false }
    }

    pub(crate) const fn tags(tags: usize) -> Self {
        Self { skip: 0, tags, is_done: false }
    }
}

/// Reads one message, a unit at a time: a few fields that stand together.
pub(crate) trait Machine {
    /// Read the next unit. It is called again from the unit's start after [`Stop::More`]: until the unit is read, nothing
    /// may be changed.
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop>;

    /// Read of a tagged field's content what is wanted.
    fn tag(&mut self, _number: u32, _reader: &mut Reader<'_>) -> Result<(), Stop> {
        Ok(())
    }
}

/// Where in a message the bytes are.
#[derive(Debug)]
pub(crate) struct Units {
    /// Bytes of the message that belong to no unit that was read.
    left: usize,
    skip: usize,
    tags: usize,
    is_done: bool,
    /// The beginning of a unit whose rest has not come.
    carry: Vec<u8>,
}

impl Units {
    pub(crate) const fn new() -> Self {
        Self { left: 0, skip: 0, tags: 0, is_done: true, carry: Vec::new() }
    }

    /// A message of so many bytes begins.
    pub(crate) fn begin(&mut self, length: usize) {
        (self.left, self.skip, self.tags, self.is_done) = (length, 0, 0, false);
        self.carry.clear();
    }

    /// Take the next bytes of the message, never more than are left of it.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        machine: &mut impl Machine,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Unread> {
        loop {
            if self.is_done {
                return Ok(());
            }
            let passed = self.skip.min(bytes.len());
            (_, bytes) = bytes.split_at(passed);
            self.skip = self.skip.saturating_sub(passed);
            self.left = self.left.saturating_sub(passed);
            let before = self.carry.len();
            if bytes.is_empty() && (self.skip > 0 || self.left > before) {
                return Ok(());
            }
            let portion = if before == 0 { LONGEST } else { PORTION.min(LONGEST.saturating_sub(before)) };
            let (window, rest) = bytes.split_at(portion.min(bytes.len()));
            let mut reader = if before == 0 {
                Reader::of_prefix(window, self.left)
            } else {
                self.carry.extend_from_slice(window);
                Reader::of_prefix(&self.carry, self.left)
            };
            let at_hand = reader.at_hand();
            let outcome = if self.tags == 0 {
                machine.unit(&mut reader, memory, tell)
            } else {
                tag(machine, &mut reader).map(After::skip)
            };
            match outcome {
                Ok(after) => {
                    let read = at_hand.saturating_sub(reader.at_hand());
                    (_, bytes) = bytes.split_at(read.saturating_sub(before).min(bytes.len()));
                    self.carry.clear();
                    self.left = self.left.saturating_sub(read);
                    self.tags = self.tags.saturating_sub(1).max(after.tags);
                    (self.skip, self.is_done) = (after.skip, after.is_done);
                }
                Err(Stop::More) if at_hand < LONGEST => {
                    if before == 0 {
                        self.carry.extend_from_slice(window);
                    }
                    bytes = rest;
                }
                Err(Stop::More) => return Err(Unread::TooLong),
                Err(Stop::Unread(why)) => return Err(why),
            }
        }
    }
}

/// Read a tagged field; how many bytes of it are to be skipped.
fn tag(machine: &mut impl Machine, reader: &mut Reader<'_>) -> Result<usize, Stop> {
    let number = reader.varint()?;
    let size = reader.size()?;
    let before = reader.left();
    machine.tag(number, reader)?;
    let read = before.saturating_sub(reader.left());
    size.checked_sub(read).ok_or(Stop::Unread(Unread::Malformed))
}
