//! Responses that list topics: what topics' ids stand for.

use super::after::After;
use super::memory::Memory;
use super::units::{LONGEST_NAME, Machine};
use crate::cold::Outcome;
use crate::event::Event;
use crate::reader::Reader;
use crate::schema::{Api, Layout, Next, Place};
use crate::stop::Stop;

const CREATE_TOPICS: i16 = 19;
const DESCRIBE_TOPIC_PARTITIONS: i16 = 75;

/// Goes through such a response along its layout, one value or number of tagged fields after the other.
#[derive(Debug)]
pub(crate) struct TopicList {
    place: Place,
    /// Of the topic whose id comes next; empty where it has none.
    name: Vec<u8>,
    pub(crate) outcome: Outcome,
}

impl TopicList {
    /// Returns true if responses of this API list topics.
    pub(crate) const fn answers(key: i16) -> bool {
        matches!(key, Api::METADATA | CREATE_TOPICS | DESCRIBE_TOPIC_PARTITIONS)
    }

    pub(crate) fn new(layout: &'static Layout, version: i16) -> Self {
        Self { place: Place::new(layout, version), name: Vec::new(), outcome: Outcome::default() }
    }
}

impl Machine for TopicList {
    fn unit(
        &mut self,
        reader: &mut Reader<'_>,
        _: &mut Memory,
        tell: &mut impl FnMut(Event<'_>),
    ) -> Result<After, Stop> {
        let (field, kind) = match self.place.next() {
            Next::Value(field, kind) => (field, kind),
            Next::Tags => {
                let tags = reader.tag_count(self.place.is_flexible)?;
                self.place.end_structure();
                return Ok(After::Tags(tags));
            }
            Next::End => {
                reader.end()?;
                return Ok(After::Done);
            }
        };
        match (self.place.depth(), field.name) {
            (0, "ErrorCode") => {
                self.outcome.error = reader.int16()?;
                self.place.pass();
                Ok(After::Next)
            }
            (0, "ThrottleTimeMs") => {
                self.outcome.throttle_ms = reader.int32()?;
                self.place.pass();
                Ok(After::Next)
            }
            (1, "TopicId") => {
                let id = reader.array()?;
                self.place.pass();
                if id != [0; 16] && !self.name.is_empty() {
                    tell(Event::TopicName { id, name: &self.name });
                }
                Ok(After::Next)
            }
            (1, "Name") => {
                let mut ahead = reader.clone();
                let name = match ahead.string_size(self.place.is_flexible)? {
                    Some(size) if size <= LONGEST_NAME => ahead.take(size)?,
                    _ => &[],
                };
                let size = self.place.read(field, kind, reader)?;
                self.name.clear();
                self.name.extend_from_slice(name);
                Ok(After::Skip(size))
            }
            _ => Ok(After::Skip(self.place.read(field, kind, reader)?)),
        }
    }
}
