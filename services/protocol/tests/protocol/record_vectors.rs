//! Holds records as Kafka encodes them, in all formats and codecs, and what Kafka counts in them.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_protocol::Content;
use serde_json::Value as Json;

use crate::vector_files::lines;

/// Records of one partition.
#[derive(Debug)]
pub struct Records {
    pub name: String,
    pub bytes: Vec<u8>,
    /// But for offsets.
    pub content: Content,
    pub last_offset: Option<i64>,
}

pub static RECORDS: LazyLock<Vec<Records>> = LazyLock::new(|| lines("records-3.9.2").iter().map(records).collect());

fn records(line: &Json) -> Records {
    let number = |name: &str| line[name].as_u64().unwrap();
    let content = Content {
        batches: number("batches"),
        records: number("counted"),
        unknown_batches: number("unknown"),
        bytes: number("bytes"),
        codecs: std::array::from_fn(|codec| line["codecs"][codec].as_u64().unwrap()),
        transactional_batches: number("transactional"),
        transactional_records: number("transactionalRecords"),
        min_timestamp_ms: line["min"].as_i64(),
        max_timestamp_ms: line["max"].as_i64(),
        ..Content::default()
    };
    let bytes = STANDARD.decode(line["records"].as_str().unwrap()).unwrap();
    Records { name: line["name"].as_str().unwrap().into(), bytes, content, last_offset: line["last"].as_i64() }
}
