//! Builds requests of telemetry.

/// A request of telemetry, without its length.
pub fn asked(key: i16, correlation: i32, client_id: &str, body: &[u8]) -> Vec<u8> {
    let length = i16::try_from(client_id.len()).unwrap().to_be_bytes();
    let header = [&key.to_be_bytes()[..], &[0, 0], &correlation.to_be_bytes(), &length, client_id.as_bytes(), &[0]];
    [&header.concat()[..], body, &[0]].concat()
}
