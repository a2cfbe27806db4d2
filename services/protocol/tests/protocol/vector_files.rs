//! Reads the committed vectors.

use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value as Json;

/// A committed file of vectors.
pub fn lines(file: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../protocol/vectors/{file}.jsonl.gz"));
    let file = std::fs::File::open(&path).expect("a committed file of vectors");
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}
