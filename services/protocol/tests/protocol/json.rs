//! A visitor that writes a message as Kafka's own JSON converters do.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use kwitness_protocol::schema::{Field, Layout, Value, Visitor, walk};
use kwitness_protocol::{Fault, Reader};
use serde_json::{Map, Value as Json, json};

/// The message as JSON, if it fills the rest of its frame.
pub fn message(layout: &'static Layout, version: i16, reader: &mut Reader<'_>) -> Result<Json, Fault> {
    let mut open = Open { nodes: vec![Node::Structure(Map::new())] };
    walk(layout, version, reader, &mut open)?;
    reader.end()?;
    let Some(Node::Structure(body)) = open.nodes.pop() else { panic!("an array was not closed") };
    assert!(open.nodes.is_empty(), "a structure was not closed");
    Ok(Json::Object(body))
}

/// What is begun and not ended, the innermost last.
struct Open {
    nodes: Vec<Node>,
}

enum Node {
    Structure(Map<String, Json>),
    Array { elements: Vec<Json>, expected: usize },
}

impl Open {
    fn add(&mut self, name: &str, value: Json) {
        match self.nodes.last_mut().unwrap() {
            Node::Structure(fields) => assert!(fields.insert(lower_first(name), value).is_none(), "{name} came twice"),
            Node::Array { elements, .. } => elements.push(value),
        }
    }
}

fn lower_first(name: &str) -> String {
    name[..1].to_lowercase() + &name[1..]
}

impl Visitor for Open {
    fn value(&mut self, field: &'static Field, value: Value<'_>) {
        match value {
            // The converters write only how long records are.
            Value::Records(bytes) => self.add(&format!("{}SizeInBytes", field.name), json!(bytes.len())),
            Value::Null => self.add(field.name, Json::Null),
            Value::Bool(value) => self.add(field.name, json!(value)),
            Value::Int(value) => self.add(field.name, json!(value)),
            Value::Float(value) => self.add(field.name, json!(value)),
            Value::Uuid(value) => self.add(field.name, json!(URL_SAFE_NO_PAD.encode(value))),
            Value::String(value) => self.add(field.name, json!(String::from_utf8_lossy(value))),
            Value::Bytes(value) => self.add(field.name, json!(STANDARD.encode(value))),
        }
    }

    fn enter(&mut self, _: &'static Field) {
        self.nodes.push(Node::Structure(Map::new()));
    }

    fn leave(&mut self, field: &'static Field) {
        let Some(Node::Structure(fields)) = self.nodes.pop() else { panic!("{} ended, and was none", field.name) };
        self.add(field.name, Json::Object(fields));
    }

    fn array(&mut self, _: &'static Field, expected: usize) {
        self.nodes.push(Node::Array { elements: Vec::new(), expected });
    }

    fn array_end(&mut self, field: &'static Field) {
        let Some(Node::Array { elements, expected }) = self.nodes.pop() else { panic!("{} was no array", field.name) };
        assert_eq!(elements.len(), expected, "{}", field.name);
        self.add(field.name, Json::Array(elements));
    }

    fn unknown_tag(&mut self, number: u32, content: &[u8]) {
        let Node::Structure(fields) = self.nodes.last_mut().unwrap() else { panic!("a tag in an array") };
        let tags = fields.entry("unknownTags").or_insert_with(|| json!([]));
        tags.as_array_mut().unwrap().push(json!([number, STANDARD.encode(content)]));
    }
}
