//! A client and a broker with a rewriter between them.

use kwitness_protocol::schema::{Api, api};
use kwitness_protocol::{Address, Addresses, Broken, Limits, Reader, Rewriter, response_correlation};
use serde_json::{Value as Json, json};

use crate::json;
use crate::kafka::{VECTORS, Vector};
use crate::transcript::request;

pub const HEARTBEAT: i16 = 12;
pub const HELD: [i16; 4] = [Api::METADATA, Api::FIND_COORDINATOR, Api::DESCRIBE_CLUSTER, Api::DESCRIBE_QUORUM];
pub const EMPTIED: [i16; 4] = [Api::PRODUCE, Api::FETCH, Api::SHARE_FETCH, Api::SHARE_ACKNOWLEDGE];

/// Knows the nodes with even numbers, and writes down which brokers it was told of.
pub struct Even {
    address: Address,
    pub seen: Vec<(i32, Vec<u8>, i32)>,
}

impl Even {
    pub fn new() -> Self {
        Self { address: Address::new("gateway.example", 9093).unwrap(), seen: Vec::new() }
    }
}

impl Addresses for Even {
    fn of(&mut self, node: i32) -> Option<&Address> {
        (node % 2 == 0).then_some(&self.address)
    }

    fn seen(&mut self, node: i32, host: &[u8], port: i32) {
        self.seen.push((node, host.to_vec(), port));
    }
}

/// A rewriter, and what a client behind it would get.
pub struct Relay<A> {
    pub rewriter: Rewriter,
    pub addresses: A,
    pub got: Vec<u8>,
}

impl Relay<Even> {
    pub fn new() -> Self {
        Self::with(Limits::default(), Even::new())
    }

    /// One that has passed these requests on.
    pub fn asked(requests: &[u8]) -> Self {
        let mut relay = Self::new();
        relay.rewriter.asked(requests).unwrap();
        relay
    }
}

impl<A: Addresses> Relay<A> {
    pub fn with(limits: Limits, addresses: A) -> Self {
        Self { rewriter: Rewriter::new(limits), addresses, got: Vec::new() }
    }

    pub fn answered(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut bytes = bytes.to_vec();
        let got = self.rewriter.answered(&mut bytes, &mut self.addresses, &mut Vec::new())?.to_vec();
        self.got.extend(got);
        Ok(())
    }
}

pub fn responses() -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().flatten().filter(|vector| !vector.is_request)
}

pub fn of_keys(keys: &[i16]) -> impl Iterator<Item = &'static Vector> {
    responses().filter(|vector| keys.contains(&vector.key))
}

pub fn correlation(vector: &Vector) -> i32 {
    i32::from_be_bytes(vector.frame[..4].try_into().unwrap())
}

/// The request that a response answers; nothing of its body matters.
pub fn request_for(vector: &Vector) -> Vec<u8> {
    request(vector.key, vector.version, correlation(vector), false, &[])
}

/// What the only frame in these bytes says.
pub fn read(vector: &Vector, bytes: &[u8]) -> Json {
    let (length, frame) = bytes.split_first_chunk().unwrap();
    assert_eq!(usize::try_from(i32::from_be_bytes(*length)).unwrap(), frame.len(), "{vector}");
    let mut reader = Reader::new(frame);
    let header = api(vector.key).unwrap().response_header(vector.version).unwrap();
    assert_eq!(response_correlation(header, &mut reader), Ok(correlation(vector)), "{vector}");
    json::message(vector.layout(), vector.version, &mut reader).unwrap()
}

/// The message with the addresses that [`Even`] knows; `None` where it is left out of its array.
pub fn with_addresses(message: &Json, node: Option<i64>) -> Option<Json> {
    match message {
        Json::Array(elements) => Some(elements.iter().filter_map(|one| with_addresses(one, node)).collect()),
        Json::Object(fields) => {
            let node = ["nodeId", "brokerId"].iter().find_map(|name| fields.get(*name)?.as_i64()).or(node);
            let within = |(name, value): (&String, &Json)| Some((name.clone(), with_addresses(value, node)?));
            let mut fields: serde_json::Map<_, _> = fields.iter().filter_map(within).collect();
            if fields.get("host").is_some_and(|host| host != "") {
                if node.unwrap() % 2 == 0 {
                    fields["host"] = json!("gateway.example");
                    fields["port"] = json!(9093);
                } else if fields.contains_key("errorCode") {
                    let instead = json!({"errorCode": 15, "nodeId": -1, "host": "", "port": -1});
                    fields.extend(instead.as_object().unwrap().clone());
                } else {
                    return None;
                }
            }
            Some(Json::Object(fields))
        }
        _ => Some(message.clone()),
    }
}
