//! Cuts a stream of bytes into frames: four bytes of length, then as many bytes.

/// What comes next in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A frame of so many bytes begins.
    Head(usize),
    /// Bytes of the frame, never none.
    Body(&'a [u8]),
    /// The frame is complete.
    End,
}

/// A frame's length that is negative or above the limit. Nothing can be read after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange(pub i32);

/// Cuts one direction of a connection. It keeps at most the four bytes of a length.
#[derive(Clone, Debug)]
pub struct Framer {
    longest: usize,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Length { bytes: [u8; 4], have: usize },
    Body { left: usize },
}

const BETWEEN_FRAMES: State = State::Length { bytes: [0; 4], have: 0 };

impl Framer {
    /// A framer that refuses frames of more than `longest` bytes.
    #[must_use]
    pub const fn new(longest: usize) -> Self {
        Self { longest, state: BETWEEN_FRAMES }
    }

    /// How many bytes of the frame that passes are to come before its last one.
    #[must_use]
    pub const fn inner(&self) -> usize {
        match self.state {
            State::Length { .. } => 0,
            State::Body { left } => left.saturating_sub(1),
        }
    }

    /// Have so many bytes of the frame pass, no more than are to come before its last one.
    pub const fn pass(&mut self, bytes: usize) {
        if let State::Body { left } = &mut self.state {
            *left = left.saturating_sub(bytes);
        }
    }

    /// Take the next piece from the front of `stream`; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`OutOfRange`], and again at every further call.
    pub fn next<'a>(&mut self, stream: &mut &'a [u8]) -> Result<Option<Piece<'a>>, OutOfRange> {
        match &mut self.state {
            State::Length { bytes, have } => {
                for place in bytes.iter_mut().skip(*have) {
                    let Some((first, rest)) = stream.split_first() else {
                        return Ok(None);
                    };
                    *place = *first;
                    *have = have.saturating_add(1);
                    *stream = rest;
                }
                let length = i32::from_be_bytes(*bytes);
                let left = usize::try_from(length).ok().filter(|length| *length <= self.longest);
                let left = left.ok_or(OutOfRange(length))?;
                self.state = State::Body { left };
                Ok(Some(Piece::Head(left)))
            }
            State::Body { left: 0 } => {
                self.state = BETWEEN_FRAMES;
                Ok(Some(Piece::End))
            }
            State::Body { .. } if stream.is_empty() => Ok(None),
            State::Body { left } => {
                let (body, rest) = stream.split_at(stream.len().min(*left));
                *left = left.saturating_sub(body.len());
                *stream = rest;
                Ok(Some(Piece::Body(body)))
            }
        }
    }
}
