//! Writes the few primitive types that responses of ours have.

/// A number, seven bits in each byte, the lowest first.
pub(crate) fn varint(mut value: usize) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 0x7f {
        encoded.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    encoded.push(value.to_le_bytes()[0]);
    encoded
}

/// A string of no more than 255 bytes.
pub(crate) fn string(text: &[u8], is_flexible: bool) -> Vec<u8> {
    let mut encoded = if is_flexible {
        varint(text.len().saturating_add(1))
    } else {
        i16::try_from(text.len()).unwrap_or(i16::MAX).to_be_bytes().to_vec()
    };
    encoded.extend_from_slice(text);
    encoded
}

/// The number of an array's elements, of which an array that was read had more.
pub(crate) fn count(count: usize, is_flexible: bool) -> Vec<u8> {
    if is_flexible {
        varint(count.saturating_add(1))
    } else {
        i32::try_from(count).unwrap_or(i32::MAX).to_be_bytes().to_vec()
    }
}
