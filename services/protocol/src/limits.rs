//! What one connection may cost.

/// What one connection may cost, and which frames are believed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest request in bytes; a broker's `socket.request.max.bytes` is 100 MiB unless it is set.
    pub request: usize,
    /// The longest response in bytes.
    pub response: usize,
    /// How many bytes of a request are kept at most to follow what is rewritten; never fewer than the eight that every
    /// request begins with.
    pub kept: usize,
    /// How many bytes of a message are kept at most to read what a client calls itself, and errors; never fewer than
    /// eight. Of Produce, Fetch, `ShareFetch` and lists of topics only the header is kept.
    pub message: usize,
    /// How many requests may wait for their responses.
    pub in_flight: usize,
    /// How many bytes of a response are held at most to change addresses in it.
    pub held: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: 100 << 20,
            response: i32::MAX as usize,
            kept: 4 << 10,
            message: 64 << 10,
            in_flight: 16 << 10,
            held: 16 << 20,
        }
    }
}
