//! Writes the body of a request: a head, and a line for each row.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::queue::Item;

/// The items of a request.
#[derive(Debug)]
pub struct Body<'a> {
    /// The member `rows` of the head: number, topic, key and length of each row.
    pub rows: Vec<Value>,
    totals: Vec<&'a RawValue>,
    lines: Vec<u8>,
}

#[derive(Serialize)]
struct Head<'a, T> {
    #[serde(flatten)]
    rest: T,
    /// As they were written when the window ended.
    totals: &'a [&'a RawValue],
}

impl<'a> Body<'a> {
    /// The body with these items, whose head is not written yet.
    #[must_use]
    pub fn from_items(batch: &'a [Item]) -> Self {
        let (mut rows, mut totals, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for item in batch {
            match item {
                Item::Row(row) => {
                    rows.push(json!({"seq": row.seq, "topic": row.topic, "key": row.key, "bytes": row.line.len()}));
                    lines.extend_from_slice(&row.line);
                    lines.push(b'\n');
                }
                Item::Totals(part) => totals.extend(serde_json::from_str::<&RawValue>(&part.json)),
            }
        }
        Self { rows, totals, lines }
    }

    /// Returns the whole body. The head has `rest`, which is an object with the rows, and the totals.
    #[must_use]
    pub fn write(mut self, rest: impl Serialize) -> Vec<u8> {
        let mut body = serde_json::to_vec(&Head { rest, totals: &self.totals }).unwrap_or_default();
        body.push(b'\n');
        body.append(&mut self.lines);
        body
    }
}

#[cfg(test)]
mod tests {
    use kwitness_observation::{Row, Totals};

    use super::*;

    #[test]
    fn a_body_has_a_head_with_totals_as_they_were_written_and_a_line_for_each_row() {
        let row = Row { seq: 7, topic: "traffic", key: "k".to_owned(), line: br#"{"a":1}"#.to_vec() };
        let totals = Totals { seq: 8, json: r#"{"seq":8,"traffic":[]}"#.to_owned() };
        let items = [Item::Row(row), Item::Totals(totals)];
        let body = Body::from_items(&items);
        let rest = json!({"rows": body.rows});

        let written = String::from_utf8(body.write(rest)).unwrap();

        let head = r#"{"rows":[{"bytes":7,"key":"k","seq":7,"topic":"traffic"}],"totals":[{"seq":8,"traffic":[]}]}"#;
        assert_eq!(written, format!("{head}\n{{\"a\":1}}\n"));
    }
}
