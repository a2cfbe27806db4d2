//! Overwrites what must not stay in memory.

/// Make zeros of bytes that may be a secret.
pub fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    // Without a reader of the zeros, the compiler may leave them out.
    std::hint::black_box(bytes);
}
