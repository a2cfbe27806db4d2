//! CRC-32C (Castagnoli), by which a subscription's id is made of what it asks for. It is made seldom, of a few hundred
//! bytes.

const REVERSED_POLYNOMIAL: u32 = 0x82f6_3b78;

/// The checksum of these bytes.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { REVERSED_POLYNOMIAL } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn it_is_the_checksum_of_rfc_3720() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    }
}
