//! Hands a message to what reads it, unit by unit, however its bytes are divided.

use super::after::After;
use super::memory::Memory;
use crate::event::Event;
use crate::reader::{Fault, Reader};
use crate::reasons::Unread;
use crate::samples::Sample;
use crate::stop::Stop;

/// In bytes, so that units are short; topics have no more than 249.
pub(super) const LONGEST_NAME: usize = 1_000;
/// How many bytes of a further piece are tried at once to complete a unit.
const PORTION: usize = 64;

/// Reads one message, a unit at a time: a few fields that stand together.
pub(crate) trait Machine {
    /// Read the next unit. It is called again from the unit's start after [`Stop::More`]: until the unit is read, nothing
    /// may be changed. What was looked at has to be read, or
    /// left to be skipped.
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
    /// Gets the bytes that are skipped.
    copy: Option<Box<Sample>>,
    /// The beginning of a unit whose rest has not come.
    carry: Vec<u8>,
}

impl Units {
    pub(crate) const fn new() -> Self {
        Self { left: 0, skip: 0, tags: 0, is_done: true, copy: None, carry: Vec::new() }
    }

    /// A message of so many bytes begins.
    pub(crate) fn begin(&mut self, length: usize) {
        (self.left, self.skip, self.tags, self.is_done) = (length, 0, 0, false);
        self.copy = None;
        self.carry.clear();
    }

    /// Returns true if nothing more is read of the message.
    pub(crate) const fn are_done(&self) -> bool {
        self.is_done
    }

    /// How many bytes that come next are skipped and not copied.
    pub(crate) const fn unread_bytes(&self) -> usize {
        if self.copy.is_some() { 0 } else { self.skip }
    }

    /// Have so many bytes pass, no more than are unread.
    pub(crate) const fn pass(&mut self, bytes: usize) {
        self.skip = self.skip.saturating_sub(bytes);
        self.left = self.left.saturating_sub(bytes);
    }

    /// Take the next bytes of the message, never more than are left of it.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        machine: &mut impl Machine,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Unread> {
        let Some(mut rest) = self.complete_unit(bytes, machine, memory, tell)? else { return Ok(()) };
        while !self.is_done {
            if self.skip > 0 {
                let passed = rest.pass(&mut self.skip);
                if self.copy.is_some() {
                    self.keep(passed, memory);
                }
            }
            if rest.goes_on_later() {
                self.left = rest.left();
                return Ok(());
            }
            let start = rest.clone();
            match self.unit(&mut rest, machine, memory, tell) {
                Ok(()) => {}
                Err(Stop::More) => {
                    self.left = start.left();
                    self.carry.extend_from_slice(start.at_hand_bytes());
                    return Ok(());
                }
                Err(Stop::Unread(why)) => return Err(why),
            }
        }
        Ok(())
    }

    /// Read the unit that began in an earlier piece; what follows it in this one, `None` where it goes on.
    fn complete_unit<'a>(
        &mut self,
        bytes: &'a [u8],
        machine: &mut impl Machine,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<Option<Reader<'a>>, Unread> {
        if self.carry.is_empty() {
            return Ok(Some(Reader::of_prefix(bytes, self.left)));
        }
        let carry = std::mem::take(&mut self.carry);
        let (outcome, carry, taken) = self.grow_unit(carry, bytes, machine, memory, tell);
        match outcome {
            Ok(read) => {
                let earlier = carry.len().saturating_sub(taken);
                // What a unit has looked at and leaves to be skipped may have come with earlier pieces.
                let passed = read.max(earlier);
                if passed > read {
                    self.copy = None; // its first bytes are gone
                }
                self.skip = self.skip.saturating_sub(passed.saturating_sub(read));
                self.left = self.left.saturating_sub(passed);
                // What was tried beyond the unit is still at hand.
                let (_, rest) = bytes.split_at(passed.saturating_sub(earlier).min(bytes.len()));
                self.carry = carry;
                self.carry.clear();
                Ok(Some(Reader::of_prefix(rest, self.left)))
            }
            Err(Stop::More) => {
                self.carry = carry;
                Ok(None)
            }
            Err(Stop::Unread(why)) => Err(why),
        }
    }

    /// Keep bytes that were skipped for the sample that they belong to.
    fn keep(&mut self, passed: &[u8], memory: &mut Memory) {
        let Some(mut copy) = self.copy.take().filter(|_| memory.sampler.is_some()) else { return };
        if !copy.add(passed) {
            return;
        }
        match &mut memory.sampler {
            Some(sampler) if self.skip == 0 => sampler.complete(*copy),
            _ => self.copy = Some(copy),
        }
    }

    /// Add to the beginning of a unit until it is whole: its length, what was collected, how much of `bytes` is in that.
    fn grow_unit(
        &mut self,
        mut carry: Vec<u8>,
        bytes: &[u8],
        machine: &mut impl Machine,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> (Result<usize, Stop>, Vec<u8>, usize) {
        let mut taken = 0_usize;
        for portion in bytes.chunks(PORTION) {
            carry.extend_from_slice(portion);
            taken = taken.saturating_add(portion.len());
            let mut reader = Reader::of_prefix(&carry, self.left);
            match self.unit(&mut reader, machine, memory, tell) {
                Ok(()) => {
                    let read = carry.len().saturating_sub(reader.at_hand());
                    return (Ok(read), carry, taken);
                }
                Err(Stop::More) => {}
                Err(stop) => return (Err(stop), carry, taken),
            }
        }
        (Err(Stop::More), carry, taken)
    }

    /// Read one unit of the message, or one tagged field.
    #[inline]
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        machine: &mut impl Machine,
        memory: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Stop> {
        if let Some(tags) = self.tags.checked_sub(1) {
            self.skip = tag(machine, reader)?;
            self.tags = tags;
        } else {
            match machine.unit(reader, memory, tell)? {
                After::Next => {}
                After::Skip(skip) => self.skip = skip,
                After::Copy(skip) => {
                    self.skip = skip;
                    self.copy = memory.sampler.as_mut().and_then(|sampler| sampler.take_chosen());
                }
                After::Tags(tags) => self.tags = tags,
                After::Done => self.is_done = true,
            }
        }
        Ok(())
    }
}

/// The number of elements of an array that may not be null.
pub(crate) fn count(flexible: bool, reader: &mut Reader<'_>) -> Result<usize, Fault> {
    reader.count(flexible)?.ok_or(Fault::Null)
}

/// A name at the reader; `None` is null.
pub(crate) fn name<'a>(flexible: bool, reader: &mut Reader<'a>) -> Result<Option<&'a [u8]>, Stop> {
    match reader.string_size(flexible)? {
        Some(size) if size > LONGEST_NAME => Err(Stop::Unread(Unread::TooLong)),
        Some(size) => Ok(Some(reader.take(size)?)),
        None => Ok(None),
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
