//! The few messages that are spoken: `ApiVersions` 3, Metadata 9, Produce 11, Fetch 12, all by one client for one topic.

pub(crate) const PRODUCE: i16 = 0;
pub(crate) const FETCH: i16 = 1;
pub(crate) const METADATA: i16 = 3;
pub(crate) const API_VERSIONS: i16 = 18;

const CLIENT_ID: &[u8] = b"load";
const TOPIC: &[u8] = b"orders";
/// In a request after its length: where the correlation id is, and where the message begins.
pub(crate) const CORRELATION: usize = 4;
pub(crate) const MESSAGE: usize = 8 + 2 + CLIENT_ID.len() + 1;
/// In a Fetch after its length: how many bytes are wanted at most.
pub(crate) const FETCH_BYTES: usize = MESSAGE + 12;
/// In a request after its length: where the client id is.
const NAME: usize = 8 + 2;
const HEAD_BYTES: usize = 61;
const RECORDS: i32 = 40;

fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&i32::try_from(body.len()).unwrap().to_be_bytes()[..], &body].concat()
}

fn request(key: i16, version: i16, message: &[&[u8]]) -> Vec<u8> {
    let header = [&key.to_be_bytes()[..], &version.to_be_bytes(), &[0; 4], &[0, 4], CLIENT_ID, &[0]].concat();
    frame(&[&header, &message.concat()])
}

/// Let the request be of another client, by number.
pub(crate) fn name(request: &mut [u8], number: usize) {
    let name = format!("{:0width$x}", number & 0xffff, width = CLIENT_ID.len());
    request[4 + NAME..4 + NAME + CLIENT_ID.len()].copy_from_slice(name.as_bytes());
}

/// A length as flexible versions write it, one more than it is.
fn length(bytes: usize) -> Vec<u8> {
    let mut left = bytes + 1;
    let mut written = Vec::new();
    while left > 0x7f {
        written.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
        left >>= 7;
    }
    written.push(u8::try_from(left).unwrap());
    written
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&length(bytes.len())[..], bytes].concat()
}

/// One batch of format 2, and its length before it.
fn records(bytes: usize) -> Vec<u8> {
    let bytes = bytes.max(HEAD_BYTES);
    let rest = i32::try_from(bytes - 12).unwrap();
    let mut batch = [&[0; 8][..], &rest.to_be_bytes(), &[0; 4], &[2], &[0; 4], &[0; 2]].concat();
    batch.extend((RECORDS - 1).to_be_bytes());
    batch.extend([0; 16]);
    batch.extend([0xff; 14]);
    batch.extend(RECORDS.to_be_bytes());
    batch.resize(bytes, 0x5a);
    [&length(bytes)[..], &batch].concat()
}

pub(crate) fn api_versions_request() -> Vec<u8> {
    request(API_VERSIONS, 3, &[&text(b"bench-load"), &text(b"1"), &[0]])
}

pub(crate) fn metadata_request() -> Vec<u8> {
    request(METADATA, 9, &[&[0], &[0], &[0], &[0], &[0]])
}

pub(crate) fn produce_request(bytes: usize) -> Vec<u8> {
    let beginning = [&[0][..], &[0xff, 0xff], &30_000_i32.to_be_bytes(), &[2], &text(TOPIC), &[2], &[0; 4]].concat();
    request(PRODUCE, 11, &[&beginning, &records(bytes), &[0; 3]])
}

pub(crate) fn fetch_request(bytes: usize) -> Vec<u8> {
    let most = i32::try_from(bytes).unwrap().to_be_bytes();
    let limits = [&[0xff; 4][..], &500_i32.to_be_bytes(), &1_i32.to_be_bytes(), &most, &[0]].concat();
    let session = [&[0; 4][..], &[0xff; 4]].concat();
    let partition = [&[0; 4][..], &[0xff; 4], &[0; 8], &[0xff; 4], &[0xff; 8], &most, &[0]].concat();
    request(FETCH, 12, &[&limits, &session, &[2], &text(TOPIC), &[2], &partition, &[0], &[1], &[1], &[0]])
}

/// What a broker at this address answers; the correlation id comes first in the frame and is zero.
pub(crate) fn response(key: i16, fetched: usize, port: u16) -> Vec<u8> {
    let parts = match key {
        API_VERSIONS => {
            let known = [(PRODUCE, 11), (FETCH, 12), (METADATA, 9), (API_VERSIONS, 3)];
            let one =
                |(key, newest): (i16, i16)| [&key.to_be_bytes()[..], &[0; 2], &newest.to_be_bytes(), &[0]].concat();
            [&[0; 4][..], &[0; 2], &length(known.len()), &known.map(one).concat(), &[0; 4], &[0]].concat()
        }
        METADATA => {
            let port = i32::from(port).to_be_bytes();
            let broker = [&1_i32.to_be_bytes()[..], &text(b"127.0.0.1"), &port, &[0], &[0]].concat();
            let node = [&[2][..], &1_i32.to_be_bytes()].concat();
            let partition = [&[0; 2][..], &[0; 4], &1_i32.to_be_bytes(), &[0; 4], &node, &node, &[1], &[0]].concat();
            let topic = [&[0; 2][..], &text(TOPIC), &[0], &[2], &partition, &[0; 4], &[0]].concat();
            let cluster = [&text(b"4L6g3nShT-eMCtK--X86sw")[..], &1_i32.to_be_bytes()].concat();
            [&[0; 5][..], &[0; 4], &[2], &broker, &cluster, &[2], &topic, &[0; 4], &[0]].concat()
        }
        PRODUCE => {
            let partition = [&[0; 4][..], &[0; 2], &[0; 8], &[0xff; 8], &[0; 8], &[1], &[0], &[0]].concat();
            [&[0; 5][..], &[2], &text(TOPIC), &[2], &partition, &[0], &[0; 4], &[0]].concat()
        }
        FETCH => {
            let before = [&[0; 4][..], &[0; 2], &[0; 8], &[0; 8], &[0; 8], &[0], &[0xff; 4]].concat();
            let partition = [&before[..], &records(fetched), &[0]].concat();
            [&[0; 5][..], &[0; 4], &[0; 2], &[0; 4], &[2], &text(TOPIC), &[2], &partition, &[0], &[0]].concat()
        }
        other => panic!("the sink was asked for API {other}, which it does not have"),
    };
    frame(&[&parts])
}
