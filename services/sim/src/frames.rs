//! Builds the frames that clients and brokers exchange, and reads the requests, apart from the code that is simulated.

pub(crate) const PRODUCE: i16 = 0;
pub(crate) const FETCH: i16 = 1;
pub(crate) const METADATA: i16 = 3;
pub(crate) const API_VERSIONS: i16 = 18;

/// A request as the broker reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) key: i16,
    pub(crate) correlation: i32,
    /// Of a Produce: no answer comes where it is 0.
    pub(crate) acks: i16,
    /// Topic, and partitions with the records of each, or the offset that is asked for.
    pub(crate) topic: Vec<u8>,
    pub(crate) partitions: Vec<(i32, i64)>,
}

fn number(count: usize) -> [u8; 4] {
    i32::try_from(count).unwrap_or(i32::MAX).to_be_bytes()
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&i16::try_from(bytes.len()).unwrap_or(i16::MAX).to_be_bytes()[..], bytes].concat()
}

fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    [&number(length)[..], &parts.concat()].concat()
}

/// A batch of format 2 with so many records, each of so many bytes that are not read.
pub(crate) fn batch(base_offset: i64, records: i32, bytes_each: usize) -> Vec<u8> {
    let body = vec![b'r'; bytes_each * usize::try_from(records).unwrap_or_default()];
    let head = [
        &[0; 4][..],
        &[2],
        &[0; 4],
        &[0; 2],
        &(records - 1).to_be_bytes(),
        &1_700_000_000_000_i64.to_be_bytes(),
        &1_700_000_000_000_i64.to_be_bytes(),
        &(-1_i64).to_be_bytes(),
        &(-1_i16).to_be_bytes(),
        &(-1_i32).to_be_bytes(),
        &records.to_be_bytes(),
    ]
    .concat();
    [&base_offset.to_be_bytes()[..], &number(head.len() + body.len()), &head, &body].concat()
}

/// The bytes of a request; records are of so many bytes each.
pub(crate) fn request(request: &Request, client_id: &[u8], bytes_each: usize) -> Vec<u8> {
    let Request { key, correlation, acks, topic, partitions } = request;
    let body = match *key {
        PRODUCE => {
            let partition = |(index, records): &(i32, i64)| {
                let batch = batch(0, i32::try_from(*records).unwrap_or(1), bytes_each);
                [&index.to_be_bytes()[..], &number(batch.len()), &batch].concat()
            };
            let partitions = partitions.iter().map(partition).collect::<Vec<_>>();
            let head = [&(-1_i16).to_be_bytes()[..], &acks.to_be_bytes(), &30_000_i32.to_be_bytes()].concat();
            [head, number(1).to_vec(), text(topic), number(partitions.len()).to_vec(), partitions.concat()].concat()
        }
        FETCH => {
            let partition = |(index, offset): &(i32, i64)| {
                [&index.to_be_bytes()[..], &offset.to_be_bytes(), &(1_i32 << 20).to_be_bytes()].concat()
            };
            let partitions = partitions.iter().map(partition).collect::<Vec<_>>();
            let head = [[-1, 500, 1, 1 << 20].map(i32::to_be_bytes).concat(), vec![0]].concat();
            [head, number(1).to_vec(), text(topic), number(partitions.len()).to_vec(), partitions.concat()].concat()
        }
        METADATA => (-1_i32).to_be_bytes().to_vec(),
        _ => Vec::new(),
    };
    let head = [&key.to_be_bytes()[..], &version(*key).to_be_bytes(), &correlation.to_be_bytes(), &text(client_id)];
    frame(&[&head.concat(), &body])
}

const fn version(key: i16) -> i16 {
    match key {
        PRODUCE => 7,
        FETCH => 4,
        METADATA => 1,
        _ => 0,
    }
}

/// The broker's answer to one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) partition: i32,
    pub(crate) error: i16,
    /// Of a Fetch; a Produce's are in the request.
    pub(crate) records: i32,
}

/// The bytes of an answer. `broker` is the address that a Metadata answer names.
pub(crate) fn answer(request: &Request, answered: &[Answered], bytes_each: usize, broker: (&str, i32)) -> Vec<u8> {
    let correlation = request.correlation.to_be_bytes();
    let partitions = answered.iter().zip(&request.partitions);
    let body = match request.key {
        PRODUCE => {
            let partition = |answered: &Answered| {
                let offsets = [5_i64, -1, 0].map(i64::to_be_bytes).concat();
                [&answered.partition.to_be_bytes()[..], &answered.error.to_be_bytes(), &offsets].concat()
            };
            let partitions = answered.iter().map(partition).collect::<Vec<_>>();
            let topics = [number(1).to_vec(), text(&request.topic), number(partitions.len()).to_vec()].concat();
            [topics, partitions.concat(), vec![0; 4]].concat()
        }
        FETCH => {
            let partition = |(answered, (_, offset)): (&Answered, &(i32, i64))| {
                let records =
                    if answered.records > 0 { batch(*offset, answered.records, bytes_each) } else { Vec::new() };
                let head = [&answered.partition.to_be_bytes()[..], &answered.error.to_be_bytes(), &[0; 16], &[0xff; 4]]
                    .concat();
                [head, number(records.len()).to_vec(), records].concat()
            };
            let partitions = partitions.map(partition).collect::<Vec<_>>();
            let topics = [number(1).to_vec(), text(&request.topic), number(partitions.len()).to_vec()].concat();
            [vec![0; 4], topics, partitions.concat()].concat()
        }
        METADATA => {
            let (host, port) = broker;
            let node = [&0_i32.to_be_bytes()[..], &text(host.as_bytes()), &port.to_be_bytes(), &[0xff, 0xff]].concat();
            [number(1).to_vec(), node, vec![0; 4], number(0).to_vec()].concat()
        }
        _ => {
            let range = |(key, low, high): (i16, i16, i16)| [key, low, high].map(i16::to_be_bytes).concat();
            let ranges = [(PRODUCE, 3, 7), (FETCH, 4, 4), (METADATA, 1, 1), (API_VERSIONS, 0, 0)].map(range);
            [vec![0; 2], number(ranges.len()).to_vec(), ranges.concat()].concat()
        }
    };
    frame(&[&correlation, &body])
}

/// Reads a request without its length; `None` where it is none of these.
pub(crate) fn read(frame: &[u8]) -> Option<Request> {
    let mut rest = Rest(frame);
    let (key, at, correlation) = (rest.i16()?, rest.i16()?, rest.i32()?);
    rest.text()?;
    let (mut acks, mut topic, mut partitions) = (-1, Vec::new(), Vec::new());
    if !matches!(key, PRODUCE | FETCH | METADATA | API_VERSIONS) || version(key) != at {
        return None;
    }
    if key == PRODUCE {
        rest.cut(2)?;
        acks = rest.i16()?;
        rest.cut(4)?;
    } else if key == FETCH {
        rest.cut(17)?;
    }
    if matches!(key, PRODUCE | FETCH) {
        rest.cut(4)?;
        topic = rest.text()?.to_vec();
        for _ in 0..rest.i32()? {
            let index = rest.i32()?;
            if key == FETCH {
                partitions.push((index, rest.i64()?));
                rest.cut(4)?;
            } else {
                let length = usize::try_from(rest.i32()?).ok()?;
                let batch = rest.cut(length)?;
                let records = batch.get(57..61)?.try_into().ok()?;
                partitions.push((index, i32::from_be_bytes(records).into()));
            }
        }
    }
    Some(Request { key, correlation, acks, topic, partitions })
}

struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn cut(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn i16(&mut self) -> Option<i16> {
        Some(i16::from_be_bytes(self.cut(2)?.try_into().ok()?))
    }

    fn i32(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.cut(4)?.try_into().ok()?))
    }

    fn i64(&mut self) -> Option<i64> {
        Some(i64::from_be_bytes(self.cut(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.i16()?).ok()?;
        self.cut(length)
    }
}
