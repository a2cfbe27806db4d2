//! One direction of a connection, and what becomes of the frame that passes.

use crate::event::Event;
use crate::frame::Framer;
use crate::hot::{Memory, Reading};
use crate::prefix::Prefix;
use crate::reader::Reader;

/// One direction.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) framer: Framer,
    pub(crate) prefix: Prefix,
    pub(crate) reading: Reading,
    pub(crate) route: Route,
}

/// What becomes of the bytes of the frame that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// They are kept until the header is complete.
    Header,
    /// They are read as they pass.
    Passing,
    /// They are kept, up to the limit.
    Kept,
    /// Nobody reads them.
    Left,
}

/// So many bytes are tried at once to complete a header.
const PORTION: usize = 256;

impl Stream {
    pub(crate) fn new(longest: usize, kept: usize) -> Self {
        let (framer, prefix) = (Framer::new(longest), Prefix::new(kept));
        Self { framer, prefix, reading: Reading::new(), route: Route::Header }
    }

    pub(crate) fn begin(&mut self, length: usize) {
        self.prefix.begin(length);
        self.route = Route::Header;
    }

    /// Keep a portion of `body`, where the header is not complete.
    pub(crate) fn keep_portion(&mut self, body: &mut &[u8]) {
        let (portion, rest) = body.split_at(PORTION.min(body.len()));
        self.prefix.add(portion);
        *body = rest;
    }

    /// Nobody reads what comes after the first `header` bytes.
    pub(crate) fn leave(&mut self, header: usize) {
        self.prefix.truncate(header);
        self.route = Route::Left;
    }

    /// The message, which begins after the first `header` bytes, is read as it passes.
    pub(crate) fn pass(&mut self, header: usize, memory: &mut Memory, sink: &mut impl FnMut(Event<'_>)) {
        self.reading.feed(self.prefix.bytes().get(header..).unwrap_or_default(), memory, sink);
        self.prefix.truncate(header);
        self.route = Route::Passing;
    }

    /// Bytes of the frame's body come, behind a header that is complete.
    pub(crate) fn add(&mut self, body: &[u8], memory: &mut Memory, sink: &mut impl FnMut(Event<'_>)) {
        match self.route {
            Route::Passing => self.reading.feed(body, memory, sink),
            Route::Kept => self.prefix.add(body),
            Route::Header | Route::Left => {}
        }
    }

    /// How many bytes of the frame come next that are not read. Its last one is not among them: the frame ends there.
    pub(crate) fn unread_bytes(&self) -> usize {
        let inner = self.framer.inner();
        match self.route {
            Route::Passing => self.reading.unread_bytes(inner),
            Route::Left => inner,
            Route::Kept if self.prefix.is_full() => inner,
            Route::Header | Route::Kept => 0,
        }
    }

    /// Have so many bytes of the frame pass, no more than are unread.
    pub(crate) const fn pass_unread(&mut self, bytes: usize) {
        self.framer.pass(bytes);
        if matches!(self.route, Route::Passing) {
            self.reading.pass(bytes);
        }
    }

    /// A reader of the first bytes of a frame, of which nothing is kept yet.
    pub(crate) fn beginning<'a>(&self, body: &'a [u8]) -> Option<Reader<'a>> {
        let is_first = self.route == Route::Header && self.prefix.bytes().is_empty();
        let (portion, _) = body.split_at(body.len().min(PORTION).min(self.prefix.limit()));
        is_first.then(|| Reader::of_prefix(portion, self.prefix.length()))
    }

    /// The message, which begins in `body` where this reader is, is read as it passes. Of what came, the header is kept.
    pub(crate) fn pass_at_once(&mut self, body: &mut &[u8], reader: &Reader<'_>) {
        let header = self.prefix.length().saturating_sub(reader.left());
        let (header, message) = body.split_at(header.min(body.len()));
        self.prefix.add(header);
        *body = message;
        self.route = Route::Passing;
    }
}
