//! The two sides of a connection.

/// Who sent the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side that opened the connection.
    Client,
    /// The side that answers.
    Broker,
}
