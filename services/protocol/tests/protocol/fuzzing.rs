//! What any bytes must leave true: `cargo fuzz` looks for bytes that do not, and `corpora` tries those that are known.

use std::sync::Arc;

use kwitness_protocol::schema::{Api, Field, Value, Visitor, api, apis, walk};
use kwitness_protocol::{
    Address, AddressMap, Broken, Fault, Limits, Reader, Rewriter, Room, SharedWishes, Side, Telemetry, Wishes,
};

use crate::transcript::{Conversation, Told, frame, request, response};

const METADATA: i16 = 3;
/// Small enough for fuzzing to reach them.
const LIMITS: Limits =
    Limits { request: 1 << 16, response: 1 << 16, kept: 64, message: 1 << 12, in_flight: 16, held: 1 << 12 };
const LONGEST_PRINCIPAL: usize = "User:".len() + 1024;

type Try = fn(&[u8]);

/// Each of them, by the name of its corpus.
pub const TARGETS: [(&str, Try); 6] = [
    ("walker", walker),
    ("connection", connection),
    ("rewriter", rewriter),
    ("diversion", diversion),
    ("sasl", sasl),
    ("batches", batches),
];

/// Counts what it is told.
#[derive(Default)]
pub struct Count(pub usize);

impl Visitor for Count {
    fn value(&mut self, _: &'static Field, _: Value<'_>) {
        self.0 += 1;
    }
    fn enter(&mut self, _: &'static Field) {
        self.0 += 1;
    }
    fn unknown_tag(&mut self, _: u32, _: &[u8]) {
        self.0 += 1;
    }
}

/// The body of a message: which API, version and side, then the bytes.
pub fn walker(bytes: &[u8]) {
    let Some(([which, version, side], body)) = bytes.split_first_chunk() else { return };
    let api = &apis()[usize::from(*which) % apis().len()];
    let versions: Vec<i16> = api.versions().collect();
    let version = versions[usize::from(*version) % versions.len()];
    let layout = if side & 1 == 0 { api.request(version) } else { api.response(version) }.unwrap();
    let mut count = Count::default();

    let _ = walk(layout, version, &mut Reader::new(body), &mut count);

    assert!(count.0 <= 4 * body.len() + 16, "{} visits of {} bytes", count.0, body.len());
}

/// Who sends what: a byte that says who, and whether it is a frame; two bytes of length, and the bytes.
fn turns(mut bytes: &[u8]) -> Vec<(Side, Vec<u8>)> {
    let mut turns = Vec::new();
    while let Some(([how, length @ ..], rest)) = bytes.split_first_chunk::<3>() {
        let (sent, rest) = rest.split_at(usize::from(u16::from_be_bytes(*length)).min(rest.len()));
        let side = if how & 1 == 0 { Side::Client } else { Side::Broker };
        turns.push((side, if how & 2 == 0 { sent.to_vec() } else { frame(&[sent]) }));
        bytes = rest;
    }
    turns
}

/// The fields of all messages that they are told of.
pub fn everything() -> SharedWishes {
    let names = apis().iter().map(|api| api.name);
    let with = |wishes: Wishes, name| wishes.clone().with_fields_of(name).unwrap_or(wishes);
    names.fold(Wishes::default(), with).into()
}

fn told(turns: &[(Side, Vec<u8>)], piece: usize) -> Vec<Told> {
    let mut conversation = Conversation::telling(LIMITS, everything());
    for (side, bytes) in turns {
        bytes.chunks(piece).for_each(|bytes| conversation.feed(*side, bytes, 0));
    }
    let opaque = conversation.told.iter().filter(|told| matches!(told, Told::Opaque(_))).count();
    assert_eq!(usize::from(conversation.connection.is_opaque()), opaque);
    conversation.told
}

/// What is told does not depend on how the bytes are divided.
fn follow(turns: &[(Side, Vec<u8>)]) -> Vec<Told> {
    let whole = told(turns, usize::MAX);
    for piece in [1, 7] {
        assert_eq!(told(turns, piece), whole, "in pieces of {piece}");
    }
    whole
}

/// A conversation.
pub fn connection(bytes: &[u8]) {
    let turns = turns(bytes);
    follow(&turns);
    let mut whole = Conversation::with(LIMITS);
    for (side, bytes) in &turns {
        whole.feed(*side, bytes, 0);
    }
    for piece in [1, 7, usize::MAX] {
        assert_eq!(events_of_read_bytes(&turns, piece), whole.told, "in pieces of {piece}");
    }
}

/// Give only what is read; returns the events.
fn events_of_read_bytes(turns: &[(Side, Vec<u8>)], piece: usize) -> Vec<Told> {
    let mut conversation = Conversation::with(LIMITS);
    for (side, bytes) in turns {
        conversation.feed_read(*side, bytes, piece);
    }
    conversation.told
}

/// What a client behind a rewriter gets, and what ended it. Where it only `reads`, the rest passes.
fn rewritten(turns: &[(Side, Vec<u8>)], piece: usize, reads: bool) -> (Vec<u8>, Option<Broken>) {
    let mut addresses = AddressMap::new(Address::new("gateway.example", 9092).unwrap());
    (0..4).for_each(|node| addresses.insert(node, Address::new("gateway.example", 9093).unwrap()));
    let (mut rewriter, mut got, mut spare) = (Rewriter::new(LIMITS), Vec::new(), Vec::new());
    for (side, bytes) in turns {
        let mut bytes = &**bytes;
        while !bytes.is_empty() {
            let unread = if reads { rewriter.unread_bytes(*side).min(bytes.len()) } else { 0 };
            let (now, rest) = bytes.split_at(if unread > 0 { unread } else { piece.min(bytes.len()) });
            bytes = rest;
            let passed = match side {
                _ if unread > 0 => {
                    rewriter.pass_unread(*side, unread);
                    got.extend(now.iter().filter(|_| *side == Side::Broker));
                    Ok(())
                }
                Side::Client => rewriter.asked(now),
                Side::Broker => {
                    let mut now = now.to_vec();
                    rewriter.answered(&mut now, &mut addresses, &mut spare).map(|now| got.extend_from_slice(now))
                }
            };
            if let Err(broken) = passed {
                return (got, Some(broken));
            }
        }
    }
    (got, None)
}

/// A conversation whose addresses are changed.
pub fn rewriter(bytes: &[u8]) {
    let turns = turns(bytes);
    let (whole, broken) = rewritten(&turns, usize::MAX, false);
    for (piece, reads) in [(1, false), (7, false), (1, true), (7, true)] {
        let (got, also_broken) = rewritten(&turns, piece, reads);
        assert_eq!(also_broken, broken, "in pieces of {piece}");
        // Of a connection that breaks less may have passed.
        let expected = if broken.is_some() { got.get(..whole.len()) } else { Some(&*got) };
        assert_eq!(expected, Some(&*whole), "in pieces of {piece}");
    }
}

/// What a broker and a client get of which the observer answers telemetry, which requests it answered, and what ended it.
#[derive(Debug, Default)]
struct Diverted {
    broker: Vec<u8>,
    client: Vec<u8>,
    kept: Vec<(Vec<u8>, usize, bool)>,
    broken: Option<Broken>,
}

fn step(rewriter: &mut Rewriter, side: Side, bytes: &[u8], got: &mut Diverted) -> Result<(), Broken> {
    let mut addresses = AddressMap::new(Address::new("gateway.example", 9092).unwrap());
    let (mut bytes, mut spare) = (bytes.to_vec(), Vec::new());
    if side == Side::Client {
        let passed = rewriter.asked_of(&mut bytes, &mut spare, |kept| {
            got.kept.push((kept.bytes.to_vec(), kept.length, kept.is_cut));
            kept.bytes.get(4..8).map(|correlation| frame(&[correlation])).ok_or(Fault::BeyondFrame)
        })?;
        got.broker.extend_from_slice(passed);
        bytes = Vec::new();
    }
    spare.clear();
    got.client.extend_from_slice(rewriter.answered(&mut bytes, &mut addresses, &mut spare)?);
    Ok(())
}

/// A client that was told that its telemetry is taken, and then these turns.
fn diverted(turns: &[(Side, Vec<u8>)], piece: usize, room: usize) -> Diverted {
    let telemetry = Telemetry { max_bytes: 1_000, room: Arc::new(Room::new(room)), needs_sign_in: false };
    let mut rewriter = Rewriter::new(LIMITS).keeping_addresses().taking(telemetry);
    let mut got = Diverted::default();
    let versions = frame(&[&[0, 18, 0, 0], &1_i32.to_be_bytes(), &[0xff, 0xff]]);
    step(&mut rewriter, Side::Client, &versions, &mut got).unwrap();
    step(&mut rewriter, Side::Broker, &response(1, &[0, 0, 0, 0, 0, 1, 0, 18, 0, 0, 0, 3]), &mut got).unwrap();
    (got.broker, got.client) = (Vec::new(), Vec::new());
    for (side, bytes) in turns {
        for bytes in bytes.chunks(piece) {
            if let Err(broken) = step(&mut rewriter, *side, bytes, &mut got) {
                got.broken = Some(broken);
                return got;
            }
        }
    }
    got
}

/// A conversation whose client's telemetry is answered before the broker.
pub fn diversion(bytes: &[u8]) {
    let turns = turns(bytes);
    let whole = diverted(&turns, usize::MAX, usize::MAX);
    for piece in [1, 7] {
        let got = diverted(&turns, piece, usize::MAX);
        assert_eq!((&got.broken, &got.kept), (&whole.broken, &whole.kept), "in pieces of {piece}");
        for (got, whole) in [(&got.broker, &whole.broker), (&got.client, &whole.client)] {
            // Of a connection that breaks less may have passed.
            let expected = if whole.len() == got.len() { Some(&**got) } else { got.get(..whole.len()) };
            assert_eq!(expected, Some(&**whole), "in pieces of {piece}");
        }
        assert!(
            got.broken.is_some() || (got.broker.len(), got.client.len()) == (whole.broker.len(), whole.client.len())
        );
    }
    let sent = |side| turns.iter().filter(|turn| turn.0 == side).map(|turn| turn.1.len()).sum::<usize>();
    assert!(whole.broker.len() <= sent(Side::Client), "nothing is made up for the broker");
    let without = diverted(&turns, 7, 0);
    assert_eq!((&without.broker, &without.broken), (&diverted(&turns, 7, usize::MAX).broker, &whole.broken));
    assert!(without.kept.iter().all(|(kept, _, _)| kept.len() <= 1_024), "there was no room");
}

const MECHANISMS: [&str; 7] =
    ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "AWS_MSK_IAM", "another"];

/// A mechanism, how its tokens travel, and the tokens of both sides.
pub fn sasl(bytes: &[u8]) {
    let Some(([mechanism, version], tokens)) = bytes.split_first_chunk() else { return };
    let mechanism = MECHANISMS[usize::from(*mechanism) % MECHANISMS.len()];
    let version = i16::from(version % 2);
    let short = |text: &[u8]| [&i16::try_from(text.len()).unwrap().to_be_bytes()[..], text].concat();
    let long = |text: &[u8]| [&i32::try_from(text.len()).unwrap().to_be_bytes()[..], text].concat();
    let mut conversation = vec![
        (Side::Client, request(Api::SASL_HANDSHAKE, version, 1, false, &short(mechanism.as_bytes()))),
        (Side::Broker, response(1, &[0; 6])),
    ];
    let mut correlation = 1;
    for (side, token) in turns(tokens) {
        let bytes = match side {
            _ if version == 0 => frame(&[&token]),
            Side::Client => {
                correlation += 1;
                request(Api::SASL_AUTHENTICATE, 1, correlation, false, &long(&token))
            }
            Side::Broker => response(correlation, &[&[0, 0, 0xff, 0xff][..], &long(&token), &[0; 8]].concat()),
        };
        conversation.push((side, bytes));
    }
    conversation.push((Side::Client, request(METADATA, 0, 1_000_000, false, &[0; 4])));
    conversation.push((Side::Broker, response(1_000_000, &[0; 8])));
    for told in follow(&conversation) {
        if let Told::Authenticated(_, Some(principal), _, _) = told {
            assert!(principal.starts_with("User:") && principal.len() <= LONGEST_PRINCIPAL, "{principal:?}");
        }
    }
}

/// Records that are produced and then fetched, in the formats of old and new versions.
pub fn batches(bytes: &[u8]) {
    let Some((how, records)) = bytes.split_first() else { return };
    let records = [&i32::try_from(records.len()).unwrap().to_be_bytes()[..], records].concat();
    let (produce, fetch) = if how & 1 == 0 { (7, 4) } else { (2, 3) };
    let topic = [0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 0]; // one topic, one partition
    let transaction: &[u8] = if produce == 7 { &[0xff, 0xff] } else { &[] };
    let produced = [transaction, &[0, 1, 0, 0, 0, 9], &topic, &records].concat();
    let wanted = if how & 2 == 0 { 1_000 } else { i64::MAX - 1 };
    let isolation: &[u8] = if fetch == 4 { &[0] } else { &[] };
    let partition = [&wanted.to_be_bytes()[..], &[0, 1, 0, 0]].concat();
    let fetched = [&[0xff; 4][..], &[0, 0, 0, 9, 0, 0, 0, 1, 0, 1, 0, 0], isolation, &topic, &partition].concat();
    let offsets: &[u8] = if fetch == 4 { &[0; 8 + 8 + 4] } else { &[0; 8] };
    let came = [&[0; 4][..], &topic, &[0, 0], offsets, &records].concat();
    follow(&[
        (Side::Client, request(Api::PRODUCE, produce, 1, false, &produced)),
        (Side::Broker, response(1, &[&topic[..], &[0; 2 + 8 + 8 + 8 + 4]].concat())),
        (Side::Client, request(Api::FETCH, fetch, 2, false, &fetched)),
        (Side::Broker, response(2, &came)),
    ]);
    assert!(api(Api::FETCH).is_some_and(|api| api.request(fetch).is_some()));
}
