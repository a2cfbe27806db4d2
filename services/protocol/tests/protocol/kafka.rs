//! Kafka's own classes wrote these vectors; what is read here must be what they wrote.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_protocol::schema::{Layout, Visitor, api, apis, walk};
use kwitness_protocol::{Opening, Reader, RequestHeader, is_valid, response_correlation};
use serde_json::Value as Json;

use crate::json;
use crate::vector_files::lines;

/// A request or response as Kafka encodes it, and what Kafka says is in it.
#[derive(Debug)]
pub struct Vector {
    pub key: i16,
    pub version: i16,
    pub is_request: bool,
    pub frame: Vec<u8>,
    line: Json,
}

impl Vector {
    /// How its body is laid out.
    pub fn layout(&self) -> &'static Layout {
        let api = api(self.key).unwrap();
        if self.is_request { api.request(self.version) } else { api.response(self.version) }.unwrap()
    }

    /// What Kafka's converter says is in its body.
    pub fn json(&self) -> &Json {
        &self.line["body"]
    }

    /// A reader that stands behind the header, which must say what Kafka says.
    fn body(&self) -> Reader<'_> {
        let api = api(self.key).unwrap();
        let mut reader = Reader::new(&self.frame);
        let header = if self.is_request { api.request_header(self.version) } else { api.response_header(self.version) };
        let version = header.unwrap();
        assert_eq!(self.line["headerVersion"], version, "{self}");
        let correlation = if self.is_request {
            let opening = Opening::read(&mut reader).unwrap();
            let header = RequestHeader::read(opening, version, &mut reader).unwrap();
            assert_eq!((opening.key, opening.version), (self.key, self.version));
            assert_eq!(header.client_id, self.line["clientId"].as_str().map(str::as_bytes), "{self}");
            opening.correlation
        } else {
            response_correlation(version, &mut reader).unwrap()
        };
        assert_eq!(self.line["correlation"], correlation, "{self}");
        reader
    }
}

impl std::fmt::Display for Vector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = if self.is_request { "request" } else { "response" };
        write!(formatter, "{} {side} {}", api(self.key).unwrap().name, self.version)
    }
}

static LINES: LazyLock<[Vec<Json>; 2]> = LazyLock::new(|| ["kafka-3.9.2", "kafka-4.4.0"].map(lines));

/// All messages, of both versions of Kafka.
pub static VECTORS: LazyLock<[Vec<Vector>; 2]> = LazyLock::new(|| {
    let vector = |line: &Json| {
        let number = |name: &str| i16::try_from(line[name].as_i64()?).ok();
        Some(Vector {
            key: number("key")?,
            version: number("version")?,
            is_request: line["isRequest"].as_bool()?,
            frame: STANDARD.decode(line["frame"].as_str()?).ok()?,
            line: line.clone(),
        })
    };
    LINES.each_ref().map(|lines| lines.iter().filter_map(vector).collect())
});

/// Names that fields of a message had in 3.9.2 and have in 4.4.0, in the same place of the same version.
const RENAMED: [(&str, &str, &str); 6] = [
    ("ListConfigResources", "clientMetricsResources", "configResources"),
    ("ListConfigResources", "name", "resourceName"),
    ("TxnOffsetCommit", "generationId", "generationIdOrMemberEpoch"),
    ("Vote", "candidateDirectoryId", "replicaDirectoryId"),
    ("Vote", "candidateEpoch", "replicaEpoch"),
    ("Vote", "candidateId", "replicaId"),
];

fn with_new_names(api: &str, body: &Json) -> Json {
    let new_name = |old: &String| {
        let renamed = RENAMED.iter().find(|(of, from, _)| (*of, *from) == (api, old));
        renamed.map_or(old.clone(), |(_, _, to)| (*to).to_owned())
    };
    match body {
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (new_name(name), with_new_names(api, value))).collect()
        }
        Json::Array(elements) => elements.iter().map(|element| with_new_names(api, element)).collect(),
        _ => body.clone(),
    }
}

#[test]
fn every_message_is_read_as_kafka_wrote_it() {
    let [older, newer] = &*VECTORS;
    let older = older.iter().map(|vector| {
        let name = api(vector.key).unwrap().name;
        (vector, with_new_names(name, &vector.line["body"]))
    });
    for (vector, expected) in older.chain(newer.iter().map(|vector| (vector, vector.line["body"].clone()))) {
        let body = json::message(vector.layout(), vector.version, &mut vector.body());

        assert_eq!(body, Ok(expected), "{vector}");
    }
}

#[test]
fn the_vectors_have_every_api_and_version_of_the_tables_on_both_sides() {
    for api in apis() {
        for version in api.versions() {
            for is_request in [true, false] {
                let is_it = |one: &Vector| (one.key, one.version, one.is_request) == (api.key, version, is_request);
                let found = VECTORS.iter().flatten().filter(|one| is_it(one)).count();

                assert!(found >= 3, "{} {version}: {found}", api.name);
            }
        }
    }
}

#[test]
fn names_of_software_are_judged_as_brokers_judge_them() {
    for lines in LINES.iter() {
        let names: Vec<&Json> = lines.iter().filter(|line| line["software"].is_string()).collect();

        assert!(names.len() > 20);
        for name in names {
            let text = name["software"].as_str().unwrap();
            assert_eq!(name["isValid"], is_valid(text.as_bytes()), "{text:?}");
        }
    }
}

struct Deaf;

impl Visitor for Deaf {}

#[test]
fn a_message_cut_short_anywhere_is_refused() {
    let is_newest = |vector: &&Vector| api(vector.key).unwrap().versions().last() == Some(vector.version);
    for vector in VECTORS[1].iter().filter(is_newest) {
        let start = vector.frame.len() - vector.body().left();
        for end in start..vector.frame.len() {
            let mut reader = Reader::new(&vector.frame[start..end]);

            assert!(walk(vector.layout(), vector.version, &mut reader, &mut Deaf).is_err(), "{vector} at {end}");
        }
    }
}
