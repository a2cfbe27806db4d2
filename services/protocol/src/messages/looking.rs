//! The messages of one connection that pass.

use super::walking::Walking;
use crate::contents::{Contents, SharedWishes};
use crate::header::Opening;
use crate::hot::{Memory, Units};

/// A correlation id.
const ANSWERS_BEGIN_WITH: usize = 4;

/// What passes in both directions.
#[derive(Debug)]
pub(crate) struct Messages {
    filter: SharedWishes,
    request: Looking,
    response: Looking,
    /// The length of the response that passes.
    length: usize,
    /// Its first bytes, as long as it is not known what they answer.
    start: Vec<u8>,
}

/// One direction.
#[derive(Debug)]
struct Looking {
    units: Units,
    walking: Option<Walking>,
}

impl Messages {
    pub(crate) const fn new(filter: SharedWishes) -> Self {
        Self { filter, request: Looking::new(), response: Looking::new(), length: 0, start: Vec::new() }
    }

    /// A request begins, of so many bytes.
    pub(crate) fn begin_request(&mut self, length: usize) {
        self.request.begin(Walking::request(SharedWishes::clone(&self.filter)), length);
    }

    /// A response begins, of so many bytes.
    pub(crate) fn begin_response(&mut self, length: usize) {
        self.response.walking = None;
        self.start.clear();
        self.length = length;
    }

    /// Bytes of the request come.
    pub(crate) fn asked(&mut self, bytes: &[u8], memory: &mut Memory) {
        self.request.feed(bytes, memory);
    }

    /// Bytes of the response come, which answers this request as far as that is known.
    pub(crate) fn answered(&mut self, bytes: &[u8], answers: Option<Opening>, memory: &mut Memory) {
        match answers {
            Some(opening) if self.response.walking.is_none() => {
                let walking = Walking::response(SharedWishes::clone(&self.filter), opening);
                self.response.begin(walking, self.length);
                self.response.feed(&self.start, memory);
                self.response.feed(bytes, memory);
            }
            Some(_) => self.response.feed(bytes, memory),
            None => {
                let wanted = ANSWERS_BEGIN_WITH.saturating_sub(self.start.len());
                let (start, _) = bytes.split_at(wanted.min(bytes.len()));
                self.start.extend_from_slice(start);
            }
        }
    }

    /// The request is complete: what is in it, where it is looked into.
    pub(crate) fn request(&mut self, memory: &mut Memory) -> Option<Contents> {
        self.request.end(memory)
    }

    /// The response is complete: what is in it, where it is looked into.
    pub(crate) fn response(&mut self, memory: &mut Memory) -> Option<Contents> {
        self.response.end(memory)
    }
}

impl Looking {
    const fn new() -> Self {
        Self { units: Units::new(), walking: None }
    }

    fn begin(&mut self, walking: Walking, length: usize) {
        self.walking = Some(walking);
        self.units.begin(length);
    }

    fn feed(&mut self, bytes: &[u8], memory: &mut Memory) {
        let Some(walking) = self.walking.as_mut().filter(|walking| !walking.has_stopped) else { return };
        if self.units.are_done() {
            return;
        }
        // What is told on the way is told by others.
        walking.has_stopped = self.units.feed(bytes, walking, memory, &mut |_| ()).is_err();
    }

    fn end(&mut self, memory: &mut Memory) -> Option<Contents> {
        self.feed(&[], memory);
        let is_whole = self.units.are_done();
        self.walking.take()?.contents(is_whole)
    }
}
