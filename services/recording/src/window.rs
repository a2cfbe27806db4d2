//! All that happened within a window of time.

use std::hash::Hash;
use std::sync::Arc;

use kwitness_observation::{Counts, Identity, Kind, Series};
use kwitness_protocol::{Commit, LONGEST_NAME, OwnTopic, Topic, Unread, is_administrative};

use super::commits::{CommitTally, PendingOffset};
use super::commits_back::{CommitsBack, CommitsBackTally};
use super::headers::Headers;
use super::lag::TopicLag;
use super::life::{ConnectionEvent, Unfollowed};
use super::requests::RequestEvent;
use super::settings::Settings;
use super::tally::{ApiTally, PartitionTally, PresenceTally, TopicTally, grow};
use crate::OTHER;
use crate::identities::Identities;
use crate::topics::TopicNames;

/// Why an event is not among a window's: it had no room.
pub(crate) const WINDOW_FULL: &str = "window_full";
/// In the place of a partition's number where partitions are not told apart.
const NO_PARTITION: i32 = -1;
/// In the place of an API's key, and of its version, where they are not told apart.
const OTHER_API: i16 = i16::MIN;
/// In the place of a topic's number where no topic was named, or several.
const NO_TOPIC: u32 = OTHER - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartitionKey {
    who: u32,
    topic: u32,
    partition: i32,
    api: i16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ApiKey {
    who: u32,
    api: i16,
    version: i16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TopicKey {
    who: u32,
    topic: u32,
    api: i16,
}

/// How much of a window is not told apart: what was one too many for its [`Settings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflowed {
    /// How often an identity was.
    pub identities: u64,
    /// How often a topic was.
    pub topics: u64,
    /// How often a combination of client, API, version, topic and partition was.
    pub series: u64,
    /// Events of connections that are told nowhere.
    pub connection_events: u64,
}

/// A client in a row.
#[derive(Clone, Copy, Debug)]
pub enum Who<'a> {
    /// This one.
    Client(&'a Identity),
    /// Some that are not told apart.
    Others,
}

impl<'a> Who<'a> {
    /// The client, if it is one.
    #[must_use]
    pub const fn client(self) -> Option<&'a Identity> {
        match self {
            Self::Client(identity) => Some(identity),
            Self::Others => None,
        }
    }
}

/// A topic in a row.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// This one.
    Topic(Topic<'a>),
    /// Some that are not told apart.
    Others,
    /// None, or several at once.
    NoneAlone,
}

/// All that happened within a window, made by a [`Recorder`](super::Recorder).
///
/// It has its own identities and topics, so those that nobody uses any more are gone with the window before.
#[derive(Debug)]
pub struct Window {
    /// Its first millisecond since 1970.
    pub start_ms: u64,
    /// The first millisecond after it.
    pub end_ms: u64,
    /// What was not told apart.
    pub overflowed: Overflowed,
    /// What happened to connections themselves, in its order.
    pub connections: Vec<ConnectionEvent>,
    /// Requests and responses one by one, in the order of each connection.
    pub requests: Vec<RequestEvent>,
    /// Those that are told nowhere, by reason.
    pub left_out: Counts<&'static str>,
    /// What was seen of headers, put here by who has looked.
    pub headers: Option<Headers>,
    /// Requests that were not, or not wholly, understood.
    pub unread: Counts<Unread>,
    /// Connections that became opaque.
    pub opaque: Counts<Unfollowed>,
    most_connection_events: usize,
    /// The memory of requests and responses that are not administrative.
    request_bytes: usize,
    /// The memory of those that are.
    administrative_bytes: usize,
    identities: Identities,
    topics: Series<OwnTopic, ()>,
    partitions: Series<PartitionKey, PartitionTally>,
    apis: Series<ApiKey, ApiTally>,
    by_topic: Series<TopicKey, TopicTally>,
    presence: Series<(u32, u32), PresenceTally>,
    /// By client, topic and partition.
    commits: Series<(u32, u32, i32), CommitTally>,
    commits_back: CommitsBack,
    /// Records by client, topic and whether they were written, where headers are looked at.
    passed: Series<(u32, u32, bool), u64>,
}

impl Window {
    pub(crate) fn new(settings: &Settings, start_ms: u64) -> Self {
        Self {
            start_ms,
            end_ms: start_ms.saturating_add(settings.window_ms.get()),
            overflowed: Overflowed::default(),
            connections: Vec::new(),
            requests: Vec::new(),
            left_out: Counts::default(),
            headers: None,
            request_bytes: 0,
            administrative_bytes: 0,
            unread: Counts::default(),
            opaque: Counts::default(),
            most_connection_events: settings.most_connection_events,
            identities: Identities::within(settings.capacity(Kind::Identities, settings.most_identities, start_ms)),
            topics: Series::within(settings.capacity(Kind::Topics, settings.most_topics, start_ms)),
            partitions: Series::within(settings.capacity(Kind::Partitions, settings.most_series, start_ms)),
            apis: Series::within(settings.capacity(Kind::Apis, settings.most_series, start_ms)),
            by_topic: Series::within(settings.capacity(Kind::ByTopic, settings.most_series, start_ms)),
            presence: Series::within(settings.capacity(Kind::Presence, settings.most_series, start_ms)),
            commits: Series::within(settings.capacity(Kind::Commits, settings.most_series, start_ms)),
            commits_back: CommitsBack::within(settings.capacity(Kind::CommitsBack, settings.most_series, start_ms)),
            passed: Series::within(settings.capacity(Kind::Passed, settings.most_series, start_ms)),
        }
    }

    pub(crate) fn place(&mut self, identity: &Arc<Identity>) -> u32 {
        let who = self.identities.place(identity);
        self.count_other(who)
    }

    /// The number of what was `who` and has grown.
    pub(crate) fn grown(&mut self, who: u32, identity: &Arc<Identity>) -> u32 {
        let who = self.identities.grown(who, identity);
        self.count_other(who)
    }

    /// The number of what is not told apart.
    pub(crate) fn other(&mut self) -> u32 {
        self.count_other(OTHER)
    }

    fn count_other(&mut self, who: u32) -> u32 {
        grow(&mut self.overflowed.identities, (who == OTHER).into());
        who
    }

    pub(crate) fn topic(&mut self, topic: &Topic<'_>) -> u32 {
        // Whatever a client calls a topic, records have room for what Kafka allows.
        let is_possible = !matches!(topic, Topic::Name(name) if name.is_empty() || name.len() > LONGEST_NAME);
        let place = if is_possible { self.topics.place(topic, || topic.into()) } else { None };
        place.unwrap_or_else(|| {
            grow(&mut self.overflowed.topics, 1);
            OTHER
        })
    }

    /// Returns true if this is the topic of this number.
    pub(crate) fn is_topic(&self, number: u32, topic: &Topic<'_>) -> bool {
        self.topics.key(number).is_some_and(|own| own.as_topic() == *topic)
    }

    pub(crate) fn partition(&mut self, key: PartitionKey) -> u32 {
        let other = PartitionKey { who: OTHER, topic: OTHER, partition: NO_PARTITION, api: key.api };
        place(&mut self.partitions, key, other, &mut self.overflowed)
    }

    pub(crate) fn partition_tally(&mut self, row: u32) -> Option<&mut PartitionTally> {
        self.partitions.value(row)
    }

    pub(crate) fn api(&mut self, key: ApiKey) -> u32 {
        place(&mut self.apis, key, ApiKey { who: OTHER, api: OTHER_API, version: OTHER_API }, &mut self.overflowed)
    }

    pub(crate) fn api_tally(&mut self, row: u32) -> Option<&mut ApiTally> {
        self.apis.value(row)
    }

    pub(crate) fn by_topic(&mut self, key: TopicKey) -> u32 {
        place(&mut self.by_topic, key, TopicKey { who: OTHER, topic: OTHER, api: OTHER_API }, &mut self.overflowed)
    }

    pub(crate) fn topic_tally(&mut self, row: u32) -> Option<&mut TopicTally> {
        self.by_topic.value(row)
    }

    pub(crate) fn present(&mut self, who: u32, topic: u32, partitions: u32, lag: Option<TopicLag>) {
        let row = place(&mut self.presence, (who, topic), (OTHER, OTHER), &mut self.overflowed);
        if let Some(most) = self.presence.value(row) {
            most.partitions = partitions.max(most.partitions);
            most.lag = lag.map_or(most.lag, |lag| Some(lag.or_more(most.lag)));
        }
    }

    /// The offsets of a client in a partition; `None` if it is one too many, or not told apart from others.
    fn commit_tally(&mut self, who: u32, topic: u32, partition: i32) -> Option<&mut CommitTally> {
        let key = (who, topic, partition);
        let row = if who == OTHER || topic == OTHER { None } else { self.commits.place(&key, || key) };
        if row.is_none() {
            grow(&mut self.overflowed.series, 1);
        }
        self.commits.value(row?)
    }

    /// Keep an offset that a client committed; returns false without room for it.
    pub(crate) fn commit(&mut self, who: u32, commit: &Commit<'_>) -> bool {
        let topic = self.topic(&commit.topic);
        let Some(tally) = self.commit_tally(who, topic, commit.partition) else { return false };
        grow(&mut tally.commits, 1);
        let offset = if commit.is_transactional { &mut tally.pending } else { &mut tally.committed };
        *offset = Some(commit.offset);
        true
    }

    /// The transaction of an offset was committed.
    pub(crate) fn confirm(&mut self, offset: &PendingOffset, names: &TopicNames) {
        let (who, topic) = (self.place(&offset.member), self.topic(&offset.topic.as_topic()));
        if let Some(tally) = self.commit_tally(who, topic, offset.partition) {
            (tally.committed, tally.pending) = (Some(offset.offset), None);
        }
        offset.as_commit().into_iter().for_each(|commit| self.compare(who, &commit, names));
    }

    /// Count a commit for any group if its offset is below the one that the group had: what an administrator sets may be.
    pub(crate) fn compare(&mut self, who: u32, commit: &Commit<'_>, names: &TopicNames) {
        let Some(records) = names.records_back(commit) else { return };
        let topic = self.topic(&commit.topic);
        let is_apart = self.commits_back.add(who, commit.group, topic, records);
        grow(&mut self.overflowed.series, (!is_apart).into());
    }

    pub(crate) fn pass(&mut self, who: u32, topic: u32, is_produced: bool, records: u64) {
        let key = (who, topic, is_produced);
        if let Some(row) = self.passed.place(&key, || key)
            && let Some(passed) = self.passed.value(row)
        {
            grow(passed, records);
        }
    }

    /// How many records a client wrote to a topic, or read from it; `None` where it is not told apart from others.
    #[must_use]
    pub fn passed(&self, client: &Identity, topic: &Topic<'_>, is_produced: bool) -> Option<u64> {
        let key = (self.identities.find(client)?, self.topics.find(topic)?, is_produced);
        self.passed.get(self.passed.find(&key)?).copied()
    }

    pub(crate) fn happened(&mut self, event: ConnectionEvent) {
        if self.connections.len() < self.most_connection_events {
            self.connections.push(event);
        } else {
            grow(&mut self.overflowed.connection_events, 1);
        }
    }

    /// A request or response, if there is room for it within so many bytes of its budget.
    pub(crate) fn exchanged(&mut self, event: RequestEvent, most_bytes: usize) -> bool {
        let is_administrative = is_administrative(event.opening.key);
        let held = if is_administrative { &mut self.administrative_bytes } else { &mut self.request_bytes };
        let bytes = held.saturating_add(event.size());
        let has_room = bytes <= most_bytes;
        if has_room {
            *held = bytes;
            self.requests.push(event);
        }
        has_room
    }

    /// What clients did with partitions; without a partition where they are not told apart.
    pub fn partitions(&self) -> impl Iterator<Item = (Who<'_>, Which<'_>, Option<i32>, i16, &PartitionTally)> {
        self.partitions.iter().map(|(key, tally)| {
            let partition = Some(key.partition).filter(|partition| *partition != NO_PARTITION);
            (self.who(key.who), self.which(key.topic), partition, key.api, tally)
        })
    }

    /// What clients did with APIs, by key and version; without them where they are not told apart.
    pub fn apis(&self) -> impl Iterator<Item = (Who<'_>, Option<(i16, i16)>, &ApiTally)> {
        self.apis.iter().map(|(key, tally)| {
            let api = Some((key.api, key.version)).filter(|(api, _)| *api != OTHER_API);
            (self.who(key.who), api, tally)
        })
    }

    /// What clients did with topics, by the API's key; without it where they are not told apart.
    pub fn topics(&self) -> impl Iterator<Item = (Who<'_>, Which<'_>, Option<i16>, &TopicTally)> {
        self.by_topic.iter().map(|(key, tally)| {
            let api = Some(key.api).filter(|api| *api != OTHER_API);
            (self.who(key.who), self.which(key.topic), api, tally)
        })
    }

    /// Topics that fetch sessions had.
    pub fn presence(&self) -> impl Iterator<Item = (Who<'_>, Which<'_>, PresenceTally)> {
        self.presence.iter().map(|((who, topic), tally)| (self.who(*who), self.which(*topic), *tally))
    }

    /// Offsets that clients committed for their groups.
    pub fn commits(&self) -> impl Iterator<Item = (Who<'_>, Which<'_>, i32, CommitTally)> {
        let all = self.commits.iter();
        all.map(|((who, topic, partition), tally)| (self.who(*who), self.which(*topic), *partition, *tally))
    }

    pub(crate) fn commits_back(&self) -> impl Iterator<Item = (Who<'_>, Option<&[u8]>, Which<'_>, CommitsBackTally)> {
        let all = self.commits_back.iter();
        all.map(|(key, tally)| (self.who(key.who), key.group.as_deref(), self.which(key.topic), *tally))
    }

    fn who(&self, number: u32) -> Who<'_> {
        self.identities.get(number).map_or(Who::Others, |identity| Who::Client(identity))
    }

    fn which(&self, number: u32) -> Which<'_> {
        match self.topics.key(number) {
            Some(own) => Which::Topic(own.as_topic()),
            None if number == NO_TOPIC => Which::NoneAlone,
            None => Which::Others,
        }
    }
}

impl PartitionKey {
    /// Partitions of topics that are not told apart are not told apart either.
    pub(crate) const fn new(who: u32, topic: u32, partition: i32, api: i16) -> Self {
        Self { who, topic, partition: if topic == OTHER { NO_PARTITION } else { partition }, api }
    }
}

impl ApiKey {
    /// No API has a key or a version below zero.
    pub(crate) const fn new(who: u32, api: i16, version: i16) -> Self {
        if api < 0 || version < 0 {
            return Self { who, api: OTHER_API, version: OTHER_API };
        }
        Self { who, api, version }
    }
}

impl TopicKey {
    pub(crate) const fn new(who: u32, topic: u32, api: i16) -> Self {
        Self { who, topic, api }
    }

    pub(crate) const fn without_topic(who: u32, api: i16) -> Self {
        Self { who, topic: NO_TOPIC, api }
    }
}

/// The row of this key, or of `other` if it is one too many.
fn place<K: Copy + Eq + Hash, V: Default>(
    series: &mut Series<K, V>,
    key: K,
    other: K,
    overflowed: &mut Overflowed,
) -> u32 {
    series.place(&key, || key).unwrap_or_else(|| {
        grow(&mut overflowed.series, 1);
        series.place_beyond(other)
    })
}
