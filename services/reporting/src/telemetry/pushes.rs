//! Pushes that wait for the collector, as the broker plugin has them wait.

use std::borrow::Cow;
use std::collections::VecDeque;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kwitness_observation::{Identity, IdentityKey};
use serde_json::{Map, Value, json};

use crate::ledger::Ledger;

/// Most pushes of one request.
const MOST_PUSHES: usize = 1_000;
/// Most bytes of payloads of one request, before they are written as text; at least one push goes.
const MOST_BYTES: usize = 2 << 20;
/// What a push takes beside its payload.
const OVERHEAD: usize = 1_024;

/// A push that was taken from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// In milliseconds since 1970.
    pub received_at_ms: u64,
    /// As Kafka prints it.
    pub client_instance_id: String,
    /// What is known of who pushed.
    pub identity: Identity,
    /// What the client was told, in milliseconds.
    pub push_interval_ms: u32,
    /// Whether it is the client's last one.
    pub is_terminating: bool,
    /// How the metrics are compressed, as Kafka counts; 0 for not at all.
    pub compression: i8,
    /// OTLP, as it came.
    pub metrics: Box<[u8]>,
}

/// How compressions are called, by Kafka's numbers.
const COMPRESSIONS: [&str; 5] = ["none", "gzip", "snappy", "lz4", "zstd"];

/// What Kafka's number of a compression is called.
pub(super) fn compression_name(number: i8) -> Option<&'static str> {
    COMPRESSIONS.get(usize::try_from(number).ok()?).copied()
}

impl Push {
    const fn bytes(&self) -> usize {
        self.metrics.len().saturating_add(OVERHEAD)
    }

    fn json(&self, seq: u64) -> Value {
        let mut all = Map::new();
        for (key, value) in self.identity.known() {
            let text: Cow<'_, str> = String::from_utf8_lossy(value);
            match key {
                IdentityKey::ClientSourcePort => {
                    all.extend(text.parse::<u16>().ok().map(|port| (key.name().to_owned(), json!(port))));
                }
                IdentityKey::Listener
                | IdentityKey::Principal
                | IdentityKey::ClientId
                | IdentityKey::ClientSoftwareName
                | IdentityKey::ClientSoftwareVersion => {
                    all.insert(key.name().to_owned(), json!(text));
                }
                IdentityKey::ClientAddress => {
                    all.insert(key.name().to_owned(), json!(text.chars().take(64).collect::<String>()));
                }
                // A broker's plugin does not say them either: clients say them in their metrics.
                _ => {}
            }
        }
        all.insert("seq".to_owned(), json!(seq));
        all.insert("received_at_ms".to_owned(), json!(self.received_at_ms));
        all.insert("client_instance_id".to_owned(), json!(self.client_instance_id));
        all.insert("push_interval_ms".to_owned(), json!(self.push_interval_ms));
        all.insert("terminating".to_owned(), json!(self.is_terminating));
        all.insert("payload".to_owned(), json!(STANDARD.encode(&self.metrics)));
        if let Some(name) = compression_name(self.compression).filter(|_| self.compression != 0) {
            all.insert("payload_compression".to_owned(), json!(name));
        }
        all.into()
    }
}

/// What a request takes along.
#[derive(Debug)]
pub struct Sent {
    /// How many pushes.
    pub count: usize,
    /// The member `pushes` of the request.
    pub pushes: Vec<Value>,
}

/// A queue bounded in bytes. When it is full the oldest push goes, but for those that are on their way.
#[derive(Debug, Default)]
pub struct PushQueue {
    items: VecDeque<(u64, Push)>,
    bytes: usize,
    on_their_way: usize,
    last: u64,
    ledger: Ledger,
}

impl PushQueue {
    /// The ledger as it is now.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns true if nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Take a push; it gets the next number.
    pub fn push(&mut self, push: Push, limit: usize) {
        self.last = self.last.saturating_add(1);
        self.ledger.accepted = self.ledger.accepted.saturating_add(1);
        self.ledger.queued = self.ledger.queued.saturating_add(1);
        self.bytes = self.bytes.saturating_add(push.bytes());
        self.items.push_back((self.last, push));
        while self.bytes > limit && self.items.len() > self.on_their_way {
            self.drop_at(self.on_their_way, "queue_full");
        }
    }

    /// The next request: pushes by rising numbers, at most `most` of them. They stay until they are settled, and a
    /// request that came to nothing is repeated with the same ones.
    pub fn send(&mut self, most: usize) -> Sent {
        let again = Some(self.on_their_way).filter(|again| *again > 0).unwrap_or(MOST_PUSHES);
        let (mut bytes, mut pushes) = (0_usize, Vec::new());
        for (seq, push) in self.items.iter().take(most.clamp(1, again)) {
            bytes = bytes.saturating_add(push.bytes());
            if bytes > MOST_BYTES && !pushes.is_empty() {
                break;
            }
            pushes.push(push.json(*seq));
        }
        self.on_their_way = pushes.len();
        Sent { count: pushes.len(), pushes }
    }

    /// What was on its way was taken, but for these numbers.
    pub fn settle(&mut self, rejected: &[(u64, String)]) {
        for _ in 0..std::mem::take(&mut self.on_their_way) {
            let Some((seq, _)) = self.items.front() else { break };
            if let Some((_, reason)) = rejected.iter().find(|(number, _)| number == seq) {
                self.drop_at(0, reason);
            } else {
                self.take_at(0);
                self.ledger.delivered = self.ledger.delivered.saturating_add(1);
            }
        }
    }

    /// Give up what was on its way.
    pub fn give_up(&mut self, reason: &str) {
        for _ in 0..std::mem::take(&mut self.on_their_way) {
            self.drop_at(0, reason);
        }
    }

    fn drop_at(&mut self, at: usize, reason: &str) {
        if self.take_at(at) {
            let dropped = self.ledger.dropped.entry(reason.to_owned()).or_default();
            *dropped = dropped.saturating_add(1);
        }
    }

    fn take_at(&mut self, at: usize) -> bool {
        let Some((_, push)) = self.items.remove(at) else { return false };
        self.bytes = self.bytes.saturating_sub(push.bytes());
        self.ledger.queued = self.ledger.queued.saturating_sub(1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(number: u8) -> Push {
        Push {
            received_at_ms: 7,
            client_instance_id: "AAAAAAAAAAAAAAAAAAAAAg".to_owned(),
            identity: Identity::default()
                .with(IdentityKey::ClientId, b"orders-7")
                .with(IdentityKey::ClientSourcePort, b"4711")
                .with(IdentityKey::GroupId, b"g"),
            push_interval_ms: 1_000,
            is_terminating: false,
            compression: 4,
            metrics: Box::new([number; 10]),
        }
    }

    fn numbers(sent: &Sent) -> Vec<u64> {
        sent.pushes.iter().map(|push| push["seq"].as_u64().unwrap()).collect()
    }

    fn closes(ledger: &Ledger) -> bool {
        ledger.accepted == ledger.dropped.values().chain([&ledger.delivered, &ledger.queued]).sum::<u64>()
    }

    #[test]
    fn a_push_says_who_and_what() {
        let mut queue = PushQueue::default();
        queue.push(push(1), 10_000);

        let sent = queue.send(9);

        assert_eq!(
            sent.pushes,
            [json!({
                "seq": 1, "received_at_ms": 7, "client_instance_id": "AAAAAAAAAAAAAAAAAAAAAg", "client_id": "orders-7",
                "client_source_port": 4711, "push_interval_ms": 1000, "terminating": false,
                "payload": "AQEBAQEBAQEBAQ==", "payload_compression": "zstd",
            })]
        );
    }

    #[test]
    fn the_oldest_goes_when_it_is_full_but_for_what_is_on_its_way() {
        let mut queue = PushQueue::default();
        (1..=3).for_each(|number| queue.push(push(number), 10_000));
        assert_eq!(numbers(&queue.send(2)), [1, 2]);
        (4..=6).for_each(|number| queue.push(push(number), 4_200));

        assert_eq!(queue.ledger().dropped.get("queue_full"), Some(&2));
        assert_eq!(numbers(&queue.send(9)), [1, 2], "a request is repeated as it was");
        queue.settle(&[(2, "TooLarge".to_owned())]);
        assert_eq!(numbers(&queue.send(9)), [5, 6]);
        queue.give_up("refused");
        assert_eq!(queue.ledger().delivered, 1);
        assert!(closes(queue.ledger()) && queue.is_empty());
    }

    #[test]
    fn a_request_is_bounded_and_a_large_push_goes_alone() {
        let mut queue = PushQueue::default();
        let large = Push { metrics: vec![0; MOST_BYTES].into(), ..push(1) };
        for push in [large.clone(), push(2), large] {
            queue.push(push, usize::MAX);
        }

        let first = queue.send(9);
        assert_eq!(numbers(&first), [1]);
        queue.settle(&[]);
        assert_eq!(numbers(&queue.send(9)), [2]);
    }
}
