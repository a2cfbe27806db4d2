//! Drives a connection and writes down what it tells; builds the frames of a client and a broker.

use kwitness_protocol::{
    Connection, Content, Contents, Event, Exchange, Fetched, IdentityField, Limits, Mechanism, Message, Nanos, Opaque,
    Opening, PartitionExchange, PrincipalSource, SharedWishes, Side, Topic, TransactionEnd, Unread,
};

/// An event that owns what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Request { key: i16, version: i16, client_id: Option<Vec<u8>>, bytes: usize, acks: Option<i16>, is_idempotent: bool },
    Software(String, String),
    Mechanism(Mechanism),
    Authenticated(Mechanism, Option<String>, PrincipalSource, bool),
    Partition(Exchanged),
    TopicName([u8; 16], Vec<u8>),
    Presence(AnyTopic, u32),
    Identity(IdentityField, Vec<u8>),
    TransactionEnd(TransactionEnd),
    Commit { group: Vec<u8>, is_transactional: bool, topic: AnyTopic, partition: i32, offset: i64 },
    End(AnyTopic, i32, i64),
    Exchange(Exchange),
    Message(Said),
    Unread(i16, i16, Unread),
    Opaque(Opaque),
}

/// A request or response that owns what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub side: Side,
    pub exchange: u64,
    pub opening: Opening,
    pub bytes: usize,
    pub is_answered: bool,
    pub error: i16,
    pub took: Option<Nanos>,
    pub contents: Option<Contents>,
}

impl From<Message<'_>> for Said {
    fn from(message: Message<'_>) -> Self {
        let Message { side, exchange, opening, bytes, is_answered, error, took, contents } = message;
        Self { side, exchange, opening, bytes, is_answered, error, took, contents: contents.cloned() }
    }
}

/// A topic that owns its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyTopic {
    Name(Vec<u8>),
    Id([u8; 16]),
}

impl From<Topic<'_>> for AnyTopic {
    fn from(topic: Topic<'_>) -> Self {
        match topic {
            Topic::Name(name) => Self::Name(name.to_vec()),
            Topic::Id(id) => Self::Id(id),
        }
    }
}

/// What a connection told of one partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    pub key: i16,
    pub version: i16,
    pub topic: AnyTopic,
    pub partition: i32,
    pub error: i16,
    pub confirmed: bool,
    pub content: Content,
    pub fetched: Option<Fetched>,
}

impl From<PartitionExchange<'_>> for Exchanged {
    fn from(one: PartitionExchange<'_>) -> Self {
        let PartitionExchange { key, version, partition, error, confirmed, content, fetched, .. } = one;
        Self { key, version, topic: one.topic.into(), partition, error, confirmed, content, fetched }
    }
}

impl From<Event<'_>> for Told {
    fn from(event: Event<'_>) -> Self {
        match event {
            Event::Request(one) => Self::Request {
                key: one.key,
                version: one.version,
                client_id: one.client_id.map(<[u8]>::to_vec),
                bytes: one.bytes,
                acks: one.acks,
                is_idempotent: one.is_idempotent,
            },
            Event::Software(software) => Self::Software(software.name.into(), software.version.into()),
            Event::Mechanism(mechanism) => Self::Mechanism(mechanism),
            Event::Authenticated(one) => {
                Self::Authenticated(one.mechanism, one.principal.map(str::to_owned), one.source, one.succeeded)
            }
            Event::Partition(one) => Self::Partition(one.into()),
            Event::TopicName { id, name } => Self::TopicName(id, name.to_vec()),
            Event::Presence { topic, partitions } => Self::Presence(topic.into(), partitions),
            Event::Identity { field, value } => Self::Identity(field, value.to_vec()),
            Event::TransactionEnd(end) => Self::TransactionEnd(end),
            Event::End { topic, partition, offset } => Self::End(topic.into(), partition, offset),
            Event::Commit(commit) => Self::Commit {
                group: commit.group.to_vec(),
                is_transactional: commit.is_transactional,
                topic: commit.topic.into(),
                partition: commit.partition,
                offset: commit.offset,
            },
            Event::Exchange(exchange) => Self::Exchange(exchange),
            Event::Message(message) => Self::Message(message.into()),
            Event::Unread { key, version, why } => Self::Unread(key, version, why),
            Event::Opaque(reason) => Self::Opaque(reason),
        }
    }
}

/// A connection and what it has told.
pub struct Conversation {
    pub connection: Connection,
    pub told: Vec<Told>,
}

impl Conversation {
    pub fn new() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        Self { connection: Connection::new(limits), told: Vec::new() }
    }

    /// One that tells messages.
    pub fn telling(limits: Limits, wishes: SharedWishes) -> Self {
        let mut conversation = Self::with(limits);
        conversation.connection.tell_messages(Some(wishes));
        conversation
    }

    /// The requests and responses that were told.
    pub fn messages(&self) -> Vec<&Said> {
        let mut messages = Vec::new();
        for told in &self.told {
            if let Told::Message(said) = told {
                messages.push(said);
            }
        }
        messages
    }

    pub fn feed(&mut self, side: Side, bytes: &[u8], at: u64) {
        self.connection.feed(side, bytes, Nanos(at), &mut |event| self.told.push(event.into()));
    }

    /// Give in pieces of this length what is read, and have the rest pass; returns how much that is.
    pub fn feed_read(&mut self, side: Side, mut bytes: &[u8], piece: usize) -> usize {
        let mut passed = 0;
        while !bytes.is_empty() {
            let unread = self.connection.unread_bytes(side).min(bytes.len());
            let (now, rest) = bytes.split_at(if unread > 0 { unread } else { piece.min(bytes.len()) });
            if unread > 0 {
                self.connection.pass_unread(side, unread);
                passed += unread;
            } else {
                self.feed(side, now, 0);
            }
            bytes = rest;
        }
        passed
    }

    pub fn client(&mut self, bytes: &[u8]) {
        self.feed(Side::Client, bytes, 0);
    }

    pub fn broker(&mut self, bytes: &[u8]) {
        self.feed(Side::Broker, bytes, 0);
    }

    /// Which APIs were asked and answered.
    pub fn exchanges(&self) -> Vec<i16> {
        let key = |told: &Told| {
            if let Told::Exchange(one) = told { Some(one.key) } else { None }
        };
        self.told.iter().filter_map(key).collect()
    }

    /// What was told of partitions.
    pub fn partitions(&self) -> Vec<&Exchanged> {
        let mut partitions = Vec::new();
        for told in &self.told {
            if let Told::Partition(one) = told {
                partitions.push(one);
            }
        }
        partitions
    }

    /// What was told of topics of fetch sessions.
    pub fn presences(&self) -> Vec<(AnyTopic, u32)> {
        let presence = |told: &Told| {
            if let Told::Presence(topic, partitions) = told { Some((topic.clone(), *partitions)) } else { None }
        };
        self.told.iter().filter_map(presence).collect()
    }

    /// Why something was not understood.
    pub fn unread(&self) -> Vec<Unread> {
        let why = |told: &Told| {
            if let Told::Unread(_, _, why) = told { Some(*why) } else { None }
        };
        self.told.iter().filter_map(why).collect()
    }

    pub fn last(&self) -> Option<&Told> {
        self.told.last()
    }
}

/// A frame: its length, then `parts`.
pub fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&i32::try_from(body.len()).unwrap().to_be_bytes()[..], &body].concat()
}

/// A request with header version 1, or with no tagged field in version 2.
pub fn request(key: i16, version: i16, correlation: i32, is_flexible: bool, body: &[u8]) -> Vec<u8> {
    let tags: &[u8] = if is_flexible { &[0] } else { &[] };
    let start = [&key.to_be_bytes()[..], &version.to_be_bytes(), &correlation.to_be_bytes()].concat();
    frame(&[&start, &[0, 2], b"me", tags, body])
}

/// An `ApiVersions` request of version 3.
pub fn api_versions(correlation: i32, name: &str, version: &str) -> Vec<u8> {
    let compact = |text: &str| [&[u8::try_from(text.len() + 1).unwrap()], text.as_bytes()].concat();
    request(18, 3, correlation, true, &[compact(name), compact(version), vec![0]].concat())
}

/// A Produce request of version 7 without any topic.
pub fn produce(correlation: i32, acks: i16) -> Vec<u8> {
    request(0, 7, correlation, false, &[&(-1_i16).to_be_bytes()[..], &acks.to_be_bytes(), &[0; 8]].concat())
}

/// A response of which nobody reads the body.
pub fn response(correlation: i32, body: &[u8]) -> Vec<u8> {
    frame(&[&correlation.to_be_bytes(), body])
}
