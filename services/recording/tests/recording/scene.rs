//! A recorder with one connection, in the window of 20,000 ms to 30,000 ms.

use std::sync::Arc;

use kwitness_observation::{Identity, IdentityKey, Row};
use kwitness_protocol::{
    Content, Event, Exchange, Fetched, IdentityField, Nanos, PartitionExchange, Request, Software, Topic,
    TransactionEnd, Unread,
};
use kwitness_recording::{Client, Recorder, Settings, TopicNames, Window, Writer};
use serde_json::Value;

use crate::written_rows::source;

pub const PRODUCE: i16 = 0;
pub const FETCH: i16 = 1;
pub const METADATA: i16 = 3;
pub const SASL_HANDSHAKE: i16 = 17;
pub const API_VERSIONS: i16 = 18;
pub const END_TXN: i16 = 26;

/// A recorder with one connection, in the window of 20,000 ms to 30,000 ms.
pub struct Scene {
    pub recorder: Recorder,
    pub names: Arc<TopicNames>,
    pub client: Client,
}

impl Scene {
    pub fn new() -> Self {
        Self::with(Settings::of_at_most(1_000))
    }

    pub fn with(settings: Settings) -> Self {
        let names = Arc::new(TopicNames::new(1_000));
        let mut recorder = Recorder::new(settings, Arc::clone(&names), 21_234);
        let identity = Identity::default()
            .with(IdentityKey::Listener, b"GATEWAY")
            .with(IdentityKey::ClientAddress, b"10.0.0.7")
            .with(IdentityKey::ClientSourcePort, b"40000");
        let client = recorder.open(1, identity, true, 21_234);
        Self { recorder, names, client }
    }

    pub fn record(&mut self, event: Event<'_>) {
        self.recorder.record(&mut self.client, &event, 22_000);
    }

    pub fn request(&mut self, key: i16, client_id: &[u8]) {
        let client_id = Some(client_id);
        let request = Request { key, version: 4, client_id, bytes: 100, acks: None, is_idempotent: false };
        self.record(Event::Request(request));
    }

    pub fn produce(&mut self, acks: i16, is_idempotent: bool) {
        let (key, version, client_id, bytes, acks) = (PRODUCE, 4, Some(&b"shop"[..]), 100, Some(acks));
        self.record(Event::Request(Request { key, version, client_id, bytes, acks, is_idempotent }));
    }

    pub fn answer(&mut self, key: i16, microseconds: u64) {
        self.exchange(key, 0, microseconds);
    }

    pub fn exchange(&mut self, key: i16, sent_us: u64, answered_us: u64) {
        self.record(Event::Exchange(Exchange {
            key,
            version: 4,
            asked: Nanos(sent_us * 1_000),
            answered: Nanos(answered_us * 1_000),
            request_bytes: 100,
            bytes: 30,
            error: 0,
            throttle_ms: 0,
            waited: false,
            is_empty: false,
        }));
    }

    pub fn partition(&mut self, key: i16, topic: Topic<'_>, partition: i32, content: Content) {
        let exchange =
            PartitionExchange { key, version: 4, topic, partition, error: 0, confirmed: true, content, fetched: None };
        self.record(Event::Partition(exchange));
    }

    pub fn swap(&mut self) -> Window {
        self.recorder.swap(30_000)
    }

    pub fn rows(&self, window: &Window) -> Vec<Value> {
        written(window, &self.names).iter().map(|row| serde_json::from_slice(&row.line).unwrap()).collect()
    }

    /// The finished window's records of this kind.
    pub fn of_kind(&mut self, kind: &str) -> Vec<Value> {
        let window = self.swap();
        self.rows(&window).into_iter().filter(|row| row["kind"] == kind).collect()
    }

    pub fn totals(&mut self) -> Value {
        let window = self.swap();
        let parts = Writer::new(source(), 1).totals(&window, &self.names);
        assert_eq!(parts.len(), 1);
        serde_json::from_str(&parts[0].json).unwrap()
    }
}

pub fn written(window: &Window, names: &TopicNames) -> Vec<Row> {
    let mut rows = Vec::new();
    Writer::new(source(), 1).write(window, names, &mut |row| {
        rows.push(row);
        Ok(())
    });
    rows
}

pub fn records(count: u64) -> Content {
    Content { batches: 1, records: count, bytes: 10 * count, codecs: [0, 0, 0, 0, 1], ..Content::default() }
}

pub const ORDERS: Topic<'static> = Topic::Name(b"orders");

/// A client produces, is refused, commits a transaction, and fetches; it names one topic too many and an API that nobody has, and goes.
pub fn busy() -> Scene {
    let mut scene = Scene::with(Settings { most_topics: 1, ..Settings::of_at_most(100) });
    scene.produce(-1, true);
    scene.record(Event::Software(Software { name: "apache-kafka-java", version: "4.3.1" }));
    scene.record(Event::Identity { field: IdentityField::TransactionalId, value: b"shop-1" });
    let content = Content {
        transactional_batches: 1,
        transactional_records: 30,
        first_offset: Some(100),
        last_offset: Some(129),
        min_timestamp_ms: Some(20_005),
        max_timestamp_ms: Some(20_009),
        ..records(30)
    };
    let topic = Topic::Id([7; 16]);
    scene.record(Event::TopicName { id: [7; 16], name: b"orders" });
    scene.partition(PRODUCE, topic, 2, content);
    let refused = PartitionExchange {
        key: PRODUCE,
        version: 4,
        topic,
        partition: 2,
        error: 6,
        confirmed: true,
        content: records(5),
        fetched: None,
    };
    scene.record(Event::Partition(refused));
    scene.answer(PRODUCE, 2_000);
    scene.request(END_TXN, b"shop");
    scene.record(Event::TransactionEnd(TransactionEnd { version: 4, committed: true }));
    scene.answer(END_TXN, 3_000);
    scene.request(FETCH, b"shop");
    scene.partition(FETCH, ORDERS, 0, records(1));
    scene.record(Event::Exchange(Exchange {
        key: FETCH,
        version: 4,
        asked: Nanos(0),
        answered: Nanos(500_000_000),
        request_bytes: 100,
        bytes: 30,
        error: 70,
        throttle_ms: 250,
        waited: true,
        is_empty: false,
    }));
    let fetched =
        Some(Fetched { next_offset: 120, high_watermark: 130, last_stable_offset: Some(127), leader_epoch: None });
    let (version, partition, error, confirmed, content) = (4, 2, 0, true, Content::default());
    let behind = PartitionExchange { key: FETCH, version, topic, partition, error, confirmed, content, fetched };
    scene.record(Event::Partition(behind));
    scene.record(Event::Presence { topic, partitions: 6 });
    scene.record(Event::Unread { key: -1, version: 0, why: Unread::UnknownKey });
    scene
}
