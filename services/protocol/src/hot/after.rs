//! Says how a message goes on.

/// What follows a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    /// The next one.
    Next,
    /// So many bytes that nobody reads.
    Skip(usize),
    /// So many bytes that are kept for the sample that was chosen.
    Copy(usize),
    /// So many tagged fields.
    Tags(usize),
    /// Nothing more that is read of this message.
    Done,
}
