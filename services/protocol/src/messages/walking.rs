//! Goes through a message along its layout as it passes.

use crate::batch::Records;
use crate::contents::{Collecting, Contents, SharedWishes, is_looked_into};
use crate::event::Event;
use crate::header::{Opening, response_correlation};
use crate::hot::{After, Machine, Memory};
use crate::reader::{Fault, Reader};
use crate::reasons::Unread;
use crate::requests::{Answer, Known};
use crate::schema::{Field, Kind, Layout, Value, Visitor as _, scalar, tagged};
use crate::side::Side;
use crate::stop::Stop;

/// In bytes: what cannot be read in so many is not read.
const LONGEST_UNIT: usize = 64 << 10;

/// Where in a message the bytes are, and what came before.
#[derive(Debug)]
pub(crate) struct Walking {
    filter: SharedWishes,
    at: At,
    version: i16,
    is_flexible: bool,
    levels: Vec<Level>,
    contents: Option<Collecting>,
    /// Something could not be read.
    pub(super) has_stopped: bool,
}

#[derive(Debug)]
enum At {
    RequestHeader,
    ResponseHeader(Opening),
    Body,
    Records(Batches),
}

/// The record batches of a field that pass.
#[derive(Debug)]
struct Batches {
    field: &'static Field,
    left: Records,
    bytes: usize,
    /// `None` where some cannot be counted.
    records: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Level {
    /// Of a structure, which is this field or an element of it, these are still to come.
    Fields { of: Option<&'static Field>, all: &'static [Field], next: usize },
    /// So many tagged fields of a structure are still to come.
    Tags { of: Option<&'static Field>, all: &'static [Field], left: usize },
    /// So many elements of this kind are still to come.
    Elements { of: &'static Field, kind: Kind, left: usize },
}

impl Walking {
    pub(super) const fn request(filter: SharedWishes) -> Self {
        Self::new(filter, At::RequestHeader)
    }

    pub(super) const fn response(filter: SharedWishes, answers: Opening) -> Self {
        Self::new(filter, At::ResponseHeader(answers))
    }

    const fn new(filter: SharedWishes, at: At) -> Self {
        let levels = Vec::new();
        Self { filter, at, version: 0, is_flexible: false, levels, contents: None, has_stopped: false }
    }

    /// What is in the message; `None` where it is not looked into.
    pub(super) fn contents(self, is_whole: bool) -> Option<Contents> {
        self.contents.map(|contents| contents.end(is_whole && !self.has_stopped))
    }

    fn begin(&mut self, key: i16, version: i16, side: Side, layout: &'static Layout) {
        (self.at, self.version, self.is_flexible) = (At::Body, version, layout.flexible.contain(version));
        self.levels.push(Level::Fields { of: None, all: layout.fields, next: 0 });
        self.contents = Some(Collecting::new(key, version, side, &self.filter));
    }

    fn step(&mut self, reader: &mut Reader<'_>) -> Result<After, Stop> {
        match &mut self.at {
            At::RequestHeader => {
                let opening = Opening::read(reader)?;
                if !is_looked_into(opening.key) {
                    return Ok(After::Done);
                }
                let known = Known::of(opening).map_err(Stop::Unread)?;
                known.header(opening, reader)?;
                self.begin(opening.key, opening.version, Side::Client, known.layout);
            }
            At::ResponseHeader(opening) => {
                let Opening { key, version, .. } = *opening;
                let answer = Answer::to(*opening).filter(|_| is_looked_into(key));
                let Some(Answer { layout, header_version }) = answer else { return Ok(After::Done) };
                response_correlation(header_version, reader)?;
                self.begin(key, version, Side::Broker, layout);
            }
            At::Records(batches) if !batches.left.are_read() => return batches.next(reader),
            At::Records(Batches { field, bytes, records, .. }) => {
                let (field, bytes, records) = (*field, *bytes, *records);
                self.contents.iter_mut().for_each(|contents| contents.records(field, bytes, records));
                self.at = At::Body;
            }
            At::Body => return self.body(reader),
        }
        Ok(After::Next)
    }

    fn body(&mut self, reader: &mut Reader<'_>) -> Result<After, Stop> {
        let Some(contents) = &mut self.contents else { return Ok(After::Done) };
        // Brokers ignore what follows a message, such as the byte too many of librdkafka's AlterUserScramCredentials.
        let Some(level) = self.levels.last_mut() else { return Ok(After::Done) };
        match *level {
            Level::Fields { of, all, next } => {
                let version = self.version;
                let is_in_turn = |field: &Field| field.tag.is_none() && field.versions.contain(version);
                let in_turn = all.iter().enumerate().skip(next).find(|(_, field)| is_in_turn(field));
                let Some((place, field)) = in_turn else {
                    let left = reader.tag_count(self.is_flexible)?;
                    *level = Level::Tags { of, all, left };
                    return Ok(After::Next);
                };
                let following = Level::Fields { of, all, next: place.saturating_add(1) };
                if contents.passes_over(field) {
                    // What may be a secret is not even kept until its end has come.
                    let size = reader.count(self.is_flexible)?.ok_or(Fault::Null)?;
                    *level = following;
                    return Ok(After::Skip(size));
                }
                let came = came(field, version, self.is_flexible, reader)?;
                *level = following;
                self.take(field, came);
            }
            Level::Tags { of, left: 0, .. } => {
                if let Some(of) = of {
                    contents.leave(of);
                }
                self.levels.pop();
            }
            Level::Tags { of, all, left } => {
                let number = reader.varint()?;
                let size = reader.size()?;
                let content = reader.take(size)?;
                *level = Level::Tags { of, all, left: left.saturating_sub(1) };
                tagged(all, self.version, number, content, contents)?;
            }
            Level::Elements { of, left: 0, .. } => {
                contents.array_end(of);
                self.levels.pop();
            }
            Level::Elements { of, kind, left } => {
                let value = match kind {
                    Kind::Struct(_) => None,
                    kind => Some(scalar(kind, self.is_flexible, reader)?.ok_or(Fault::Null)?),
                };
                *level = Level::Elements { of, kind, left: left.saturating_sub(1) };
                if let Kind::Struct(all) = kind {
                    contents.enter(of);
                    self.levels.push(Level::Fields { of: Some(of), all, next: 0 });
                }
                if let Some(value) = value {
                    contents.value(of, value);
                }
            }
        }
        Ok(After::Next)
    }

    /// Go into a field, or past it.
    fn take(&mut self, field: &'static Field, came: Came<'_>) {
        let Some(contents) = &mut self.contents else { return };
        match came {
            Came::Value(value) => contents.value(field, value),
            Came::Structure(all) => {
                contents.enter(field);
                self.levels.push(Level::Fields { of: Some(field), all, next: 0 });
            }
            Came::Array(kind, left) => {
                contents.array(field, left);
                self.levels.push(Level::Elements { of: field, kind, left });
            }
            Came::Records(bytes) => {
                self.at = At::Records(Batches { field, left: Records::new(bytes), bytes, records: Some(0) });
            }
        }
    }
}

impl Machine for Walking {
    fn unit(&mut self, reader: &mut Reader<'_>, _: &mut Memory, _: &mut impl FnMut(Event<'_>)) -> Result<After, Stop> {
        let (at_hand, before) = (reader.at_hand(), reader.left());
        match self.step(reader) {
            Err(Stop::More) if at_hand > LONGEST_UNIT => Err(Stop::Unread(Unread::TooLong)),
            Ok(_) if before.saturating_sub(reader.left()) > LONGEST_UNIT => Err(Stop::Unread(Unread::TooLong)),
            stepped => stepped,
        }
    }
}

impl Batches {
    fn next(&mut self, reader: &mut Reader<'_>) -> Result<After, Stop> {
        let mut ahead = reader.clone();
        match self.left.next(&mut ahead) {
            Ok(head) => {
                *reader = ahead;
                // What is for the brokers is no client's record.
                let records =
                    head.batch.map_or(Some(0), |batch| if batch.is_control { Some(0) } else { batch.records });
                self.records = self.records.zip(records).map(|(all, new)| all.saturating_add(new));
                Ok(After::Skip(head.skip))
            }
            Err(Stop::Unread(_)) => {
                self.records = None;
                Ok(After::Skip(self.left.cut_off().skip))
            }
            Err(Stop::More) => Err(Stop::More),
        }
    }
}

/// What a field begins with.
#[derive(Clone, Copy)]
enum Came<'a> {
    Value(Value<'a>),
    Structure(&'static [Field]),
    Array(Kind, usize),
    Records(usize),
}

fn came<'a>(field: &'static Field, version: i16, is_flexible: bool, reader: &mut Reader<'a>) -> Result<Came<'a>, Stop> {
    let may_be_null = field.nullable.contain(version);
    let came = match field.kind {
        Kind::Struct(_) if may_be_null && reader.int8()? < 0 => None,
        Kind::Struct(fields) => Some(Came::Structure(fields)),
        Kind::Array(kind) => reader.count(is_flexible)?.map(|count| Came::Array(*kind, count)),
        Kind::Records => reader.count(is_flexible)?.map(Came::Records),
        kind => scalar(kind, is_flexible, reader)?.map(Came::Value),
    };
    match came {
        Some(came) => Ok(came),
        None if may_be_null => Ok(Came::Value(Value::Null)),
        None => Err(Fault::Null.into()),
    }
}
