//! What a hook is told of one record, or of one offset.

/// A record that the application wants to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<'a> {
    pub(crate) topic: &'a [u8],
    /// Serialized; `None` where the record has none.
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value_bytes: usize,
}

/// What became of a record that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) topic: &'a [u8],
    /// Below 0 where it never had one.
    pub(crate) partition: i32,
    /// Below 0 where the broker named none.
    pub(crate) offset: i64,
    /// librdkafka's code; 0 is none.
    pub(crate) error: i32,
    /// Whether librdkafka takes it for stored.
    pub(crate) is_persisted: bool,
    /// Since it was sent; `None` where that is not known.
    pub(crate) after_us: Option<u64>,
}

/// A record that is handed to the application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consumed<'a> {
    pub(crate) topic: &'a [u8],
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value_bytes: usize,
    /// In milliseconds since 1970; `None` where it has none.
    pub(crate) timestamp_ms: Option<u64>,
}

/// An offset that was, or was not, committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Committed<'a> {
    pub(crate) topic: &'a [u8],
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) error: i32,
}
