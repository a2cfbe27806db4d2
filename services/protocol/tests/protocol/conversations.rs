//! What real clients and a real broker said to each other is understood, and passes but for the broker's address.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_protocol::schema::Api;
use kwitness_protocol::{Address, AddressMap, Limits, PrincipalSource, Rewriter, Side};
use serde_json::Value as Json;

use crate::transcript::{Conversation, Exchanged, Told};
use crate::vector_files::lines;

const BROKER_HOST: &[u8] = b"127.0.3.1";
const NODE: i32 = 1;

/// One program: what it did on all of its connections, and what it says of that.
struct Session {
    line: Json,
    connections: Vec<Vec<(Side, Vec<u8>)>>,
}

impl Session {
    fn new(line: Json) -> Self {
        let chunk = |chunk: &Json| {
            let side = if chunk[0] == "client" { Side::Client } else { Side::Broker };
            (side, STANDARD.decode(chunk[1].as_str().unwrap()).unwrap())
        };
        let chunks = |connection: &Json| connection.as_array().unwrap().iter().map(chunk).collect();
        let connections = line["connections"].as_array().unwrap().iter().map(chunks).collect();
        Self { line, connections }
    }

    fn number(&self, name: &str) -> u64 {
        self.line[name].as_u64().unwrap()
    }

    /// What is told when each chunk comes in pieces of this length.
    fn told(&self, length: usize) -> Vec<Vec<Told>> {
        let told = |chunks: &Vec<(Side, Vec<u8>)>| {
            let mut conversation = Conversation::new();
            for (side, chunk) in chunks {
                chunk.chunks(length).for_each(|piece| conversation.feed(*side, piece, 0));
            }
            conversation.told
        };
        self.connections.iter().map(told).collect()
    }

    /// Give only what is read, in pieces of this length; returns the events, and how much is not given.
    fn events_of_read_bytes(&self, length: usize) -> (Vec<Vec<Told>>, usize) {
        let mut passed = 0;
        let events = self.connections.iter().map(|chunks| {
            let mut conversation = Conversation::new();
            for (side, chunk) in chunks {
                passed += conversation.feed_read(*side, chunk, length);
            }
            conversation.told
        });
        (events.collect(), passed)
    }

    /// What is told of the partitions of one API.
    fn partitions(&self, key: i16) -> Vec<Exchanged> {
        let told = self.told(usize::MAX).into_iter().flatten();
        let partition = |told| if let Told::Partition(one) = told { Some(one) } else { None };
        told.filter_map(partition).filter(|one| one.key == key).collect()
    }
}

static SESSIONS: LazyLock<Vec<Session>> =
    LazyLock::new(|| lines("conversations").into_iter().map(Session::new).collect());

#[test]
fn everything_is_understood_however_it_comes() {
    for session in &*SESSIONS {
        let whole = session.told(usize::MAX);

        assert!(!whole.iter().flatten().any(|told| matches!(told, Told::Unread(..) | Told::Opaque(_))));
        assert_eq!(whole, session.told(1));
        assert_eq!(whole, session.told(7));
        for piece in [1, 7] {
            let (events, passed) = session.events_of_read_bytes(piece);
            assert_eq!(events, whole, "in pieces of {piece}");
            assert!(passed > 0, "in pieces of {piece}");
        }
    }
}

#[test]
fn counts_are_those_of_the_client() {
    for session in &*SESSIONS {
        let records = |partitions: &[Exchanged]| partitions.iter().map(|one| one.content.records).sum::<u64>();
        let (confirmed, unconfirmed): (Vec<_>, Vec<_>) =
            session.partitions(Api::PRODUCE).into_iter().partition(|one| one.confirmed);

        assert_eq!(records(&confirmed), session.number("acknowledged"));
        assert_eq!(records(&unconfirmed), session.number("unconfirmed"));
        assert_eq!(records(&session.partitions(Api::FETCH)), session.number("consumed"));
    }
}

#[test]
fn each_connection_has_its_software_and_its_principal() {
    for session in &*SESSIONS {
        let name = |index: usize| session.line["software"][index].as_str().unwrap().to_owned();
        let software = Told::Software(name(0), name(1));
        for told in session.told(usize::MAX) {
            let principals: Vec<_> = told
                .iter()
                .filter_map(|told| match told {
                    Told::Authenticated(_, principal, PrincipalSource::Sasl, true) => Some(principal.clone().unwrap()),
                    _ => None,
                })
                .collect();

            assert!(told.contains(&software));
            let user = session.line["user"].as_str().map(|user| format!("User:{user}"));
            assert_eq!(principals, Vec::from_iter(user));
        }
    }
}

#[test]
fn a_client_falls_back_to_version_0_and_one_signs_in_before_it_asks_for_anything_else() {
    let asked = |session: &Session| {
        let told = session.told(usize::MAX).swap_remove(0);
        let request = |told| if let Told::Request { key, version, .. } = told { Some((key, version)) } else { None };
        told.into_iter().filter_map(request).take(4).collect::<Vec<_>>()
    };
    let begins: Vec<_> = SESSIONS.iter().map(asked).collect();

    assert!(begins.iter().any(|asked| asked.starts_with(&[(Api::API_VERSIONS, 4), (Api::API_VERSIONS, 3)])));
    let signs_in = |asked: &Vec<(i16, i16)>| asked.iter().any(|(key, _)| *key == Api::SASL_AUTHENTICATE);
    assert!(begins.iter().any(signs_in));
}

#[test]
fn no_event_has_a_password_in_it() {
    for session in &*SESSIONS {
        if let Some(password) = session.line["password"].as_str() {
            assert!(!format!("{:?}", session.told(usize::MAX)).contains(password));
        }
    }
}

#[test]
fn a_client_is_answered_all_but_the_address_of_the_broker() {
    for session in &*SESSIONS {
        for chunks in &session.connections {
            let mut addresses = AddressMap::new(Address::new("127.0.0.1", 19092).unwrap());
            addresses.insert(NODE, Address::new("127.0.4.1", 19093).unwrap());
            let mut rewriter = Rewriter::new(Limits::default());
            let (mut answered, mut got) = (Vec::<u8>::new(), Vec::<u8>::new());
            for (side, chunk) in chunks {
                match side {
                    Side::Client => rewriter.asked(chunk).unwrap(),
                    Side::Broker => {
                        answered.extend(chunk);
                        let mut chunk = chunk.clone();
                        got.extend_from_slice(rewriter.answered(&mut chunk, &mut addresses, &mut Vec::new()).unwrap());
                    }
                }
            }

            assert_eq!(got.len(), answered.len());
            assert!(!contains(&got, BROKER_HOST));
            let differ = got.iter().zip(&answered).filter(|(one, other)| one != other).count();
            let hosts = answered.windows(BROKER_HOST.len()).filter(|window| *window == BROKER_HOST).count();
            assert!(differ <= 5 * hosts, "a digit of each host, and a port of four bytes");
        }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
