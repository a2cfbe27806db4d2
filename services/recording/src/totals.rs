//! What a window adds to the counters that Prometheus reads.

use std::collections::BTreeMap;
use std::mem;

use kwitness_observation::record_headers::key_text;
use kwitness_observation::{CodecCounts, IdentityKey, Sketch, Totals};
use kwitness_protocol::schema::Api;
use serde::Serialize;

use super::group_totals::{commits_back, groups};
use super::headers::Headers;
use super::history::Age;
use super::labels::{OTHER, api_label, label, topic_label};
use super::lag::Behind;
use super::rows::{Named, Writer, fetch_lag, is_zero, side};
use super::tally::{AckCounts, grow, grow_all};
use super::topics::TopicNames;
use super::window::{Which, Who, Window};

/// The bounds of the response times, in microseconds; `contracts/vectors/response_time_bounds.json` says the same.
pub const RESPONSE_TIME_BOUNDS_US: [u64; 14] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000, 30_000_000,
];

/// Of so many bytes one part is made, and what its last entry has beyond.
const PART_BYTES: usize = 64 << 10;

/// Who a client is, as counters are labelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ClientLabels {
    /// Its principal, as brokers know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Its `client.id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The name of its library (KIP-511).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_software_name: Option<String>,
    /// The version of its library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_software_version: Option<String>,
}

impl ClientLabels {
    fn of(who: Who<'_>) -> Self {
        let value = |key| label(who, key);
        Self {
            principal: value(IdentityKey::Principal),
            client_id: value(IdentityKey::ClientId),
            client_software_name: value(IdentityKey::ClientSoftwareName),
            client_software_version: value(IdentityKey::ClientSoftwareVersion),
        }
    }
}

/// What a client does with a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TrafficLabels {
    /// The API by its name, or `other`.
    pub api: String,
    /// The topic by its name, or `other`; `None` where its name is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The client, or `other`s.
    #[serde(flatten)]
    pub client: ClientLabels,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct ApiLabels {
    api: String,
    #[serde(flatten)]
    client: ClientLabels,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct HeaderLabels {
    side: &'static str,
    /// `None` where topics are not told apart, and while its name is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    /// `None` where keys are not told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    registered: bool,
}

#[derive(Default, Serialize)]
struct HeaderSums {
    headers: u64,
    bytes: u64,
    problems: BTreeMap<&'static str, u64>,
    removed: u64,
}

/// What is answered, and to whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TimeLabels {
    /// The API by its name, or `other`.
    pub api: String,
    /// The one topic that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The principal, as brokers know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

/// What a client has done with a topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrafficSums {
    /// Requests that name it.
    pub requests: u64,
    /// Records that a broker acknowledged or gave.
    pub records: u64,
    /// Their bytes, as they were sent.
    pub record_bytes: u64,
    /// Their batches, by codec.
    #[serde(skip_serializing_if = "CodecCounts::is_empty")]
    pub batches: CodecCounts,
    /// Partitions in responses with an error, by its code.
    pub errors: BTreeMap<String, u64>,
    /// The most records of a partition that it was behind (Fetch, `ShareFetch`); `None` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch_lag: Option<u64>,
    /// The longest that a record of a partition which it has not fetched can be read already; `None` where that is not
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetch_lag_ms: Option<u64>,
    /// The most records of a partition that an open transaction held (Fetch); `None` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by_transaction: Option<u64>,
}

impl TrafficSums {
    fn fall_behind(&mut self, records: u64, age: Option<Age>) {
        self.fetch_lag = self.fetch_lag.max(Some(records));
        self.fetch_lag_ms = self.fetch_lag_ms.max(age.map(|age| age.ms));
    }
}

#[derive(Default, Serialize)]
struct ApiSums {
    requests: u64,
    request_bytes: u64,
    response_bytes: u64,
    errors: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "AckCounts::is_empty")]
    acks: AckCounts,
    #[serde(skip_serializing_if = "is_zero")]
    idempotent_requests: u64,
    #[serde(skip_serializing_if = "is_zero")]
    empty_responses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    longest_gap_us: u64,
    #[serde(skip_serializing_if = "is_zero")]
    throttled_responses: u64,
    #[serde(skip_serializing_if = "is_zero")]
    throttle_ms: u64,
}

#[derive(Serialize)]
struct Times {
    counts: Vec<u64>,
    sum_us: u64,
}

#[derive(Serialize)]
struct Entry<L, S> {
    #[serde(flatten)]
    labels: L,
    #[serde(flatten)]
    sums: S,
}

impl Window {
    /// What clients did with topics. Requests count with each topic that they name.
    #[must_use]
    pub fn traffic(&self, names: &TopicNames) -> BTreeMap<TrafficLabels, TrafficSums> {
        let mut all: BTreeMap<TrafficLabels, TrafficSums> = BTreeMap::new();
        let labels = |who, which, api| TrafficLabels {
            api: api_label(api),
            topic: topic_label(which, names),
            client: ClientLabels::of(who),
        };
        for (who, which, api, tally) in self.topics().filter(|(.., tally)| tally.requests > 0) {
            grow(&mut all.entry(labels(who, which, api)).or_default().requests, tally.requests);
        }
        for (who, which, partition, api, tally) in self.partitions() {
            let sums = all.entry(labels(who, which, Some(api))).or_default();
            grow(&mut sums.records, tally.content.records);
            grow(&mut sums.record_bytes, tally.content.bytes);
            grow_all(&mut sums.batches.0, tally.content.codecs);
            add_errors(&mut sums.errors, tally.errors.iter(), tally.errors.others());
            // That of a Fetch is of its topic's presence.
            if api == Api::SHARE_FETCH
                && let Some(Behind { records, age }) = fetch_lag(which, partition, api, tally, names, self.end_ms)
            {
                sums.fall_behind(records, age);
            }
        }
        for (who, which, tally) in self.presence() {
            let Some(lag) = tally.lag else { continue };
            let sums = all.entry(labels(who, which, Some(Api::FETCH))).or_default();
            sums.fall_behind(lag.records, lag.age);
            sums.held_by_transaction = sums.held_by_transaction.max(lag.held);
        }
        all
    }

    /// How long answers took. A time counts with the topic where there is one alone, and without a topic otherwise.
    #[must_use]
    pub fn times(&self, names: &TopicNames) -> BTreeMap<TimeLabels, Sketch> {
        let mut all: BTreeMap<TimeLabels, Sketch> = BTreeMap::new();
        for (who, which, api, tally) in self.topics().filter(|(.., tally)| !tally.served.is_empty()) {
            let principal = label(who, IdentityKey::Principal);
            let labels = TimeLabels { api: api_label(api), topic: topic_label(which, names), principal };
            all.entry(labels).or_default().merge(&tally.served);
        }
        all
    }
}

impl Writer {
    /// What a window adds to counters, in parts of about 64 KiB; none if there is nothing to add.
    ///
    /// It is [`Window::traffic`], [`Window::times`] in histograms, and what each client asked of each API.
    pub fn totals(&mut self, window: &Window, names: &TopicNames) -> Vec<Totals> {
        let (start_ms, end_ms) = (window.start_ms, window.end_ms);
        let mut parts = Parts { next: self.next_seq(), start_ms, end_ms, ..Parts::default() };
        parts.add_all("traffic", window.traffic(names));
        parts.add_all("apis", apis(window));
        let times =
            |sketch: Sketch| Times { counts: sketch.histogram(&RESPONSE_TIME_BOUNDS_US), sum_us: sketch.sum_us() };
        parts.add_all(
            "times",
            window.times(names).into_iter().map(|(labels, sketch)| (labels, times(sketch))).collect(),
        );
        parts.add_all("headers", headers(window, names));
        parts.add_all("groups", groups(window, names));
        parts.add_all("commits_back", commits_back(window, names));
        parts.finish();
        self.skip_to(parts.next);
        parts.made
    }
}

fn apis(window: &Window) -> BTreeMap<ApiLabels, ApiSums> {
    let mut all: BTreeMap<ApiLabels, ApiSums> = BTreeMap::new();
    for (who, api, tally) in window.apis() {
        let labels = ApiLabels { api: api_label(api.map(|(key, _)| key)), client: ClientLabels::of(who) };
        let sums = all.entry(labels).or_default();
        grow(&mut sums.requests, tally.requests);
        grow(&mut sums.request_bytes, tally.request_bytes);
        grow(&mut sums.response_bytes, tally.response_bytes);
        grow_all(&mut sums.acks.0, tally.acks.0);
        grow(&mut sums.idempotent_requests, tally.idempotent);
        grow(&mut sums.empty_responses, tally.empty);
        sums.longest_gap_us = sums.longest_gap_us.max(tally.longest_gap_us);
        grow(&mut sums.throttled_responses, tally.throttled_responses);
        grow(&mut sums.throttle_ms, tally.throttle_ms);
        add_errors(&mut sums.errors, tally.errors.iter(), tally.errors.others());
    }
    all
}

fn headers(window: &Window, names: &TopicNames) -> BTreeMap<HeaderLabels, HeaderSums> {
    let mut all: BTreeMap<HeaderLabels, HeaderSums> = BTreeMap::new();
    for row in window.headers.iter().flat_map(Headers::rows) {
        let Some(tally) = row.tally else { continue };
        let labels = HeaderLabels {
            side: side(row.is_produced),
            topic: row.topic.and_then(|topic| Named::of(Which::Topic(topic), names).topic),
            key: row.key.map(|key| key_text(key).into_owned()),
            client_id: label(row.client.map_or(Who::Others, Who::Client), IdentityKey::ClientId),
            registered: tally.registered,
        };
        let sums = all.entry(labels).or_default();
        grow(&mut sums.headers, tally.headers);
        grow(&mut sums.bytes, tally.bytes);
        for (problem, count) in tally.problems() {
            grow(sums.problems.entry(problem.name()).or_default(), count);
        }
    }
    all
}

fn add_errors(all: &mut BTreeMap<String, u64>, new: impl Iterator<Item = (i16, u64)>, others: u64) {
    let others = Some((OTHER.to_owned(), others)).filter(|(_, count)| *count > 0);
    for (code, count) in new.map(|(code, count)| (code.to_string(), count)).chain(others) {
        grow(all.entry(code).or_default(), count);
    }
}

/// Totals in parts of a bounded size.
#[derive(Default)]
struct Parts {
    next: u64,
    /// Of the window.
    start_ms: u64,
    end_ms: u64,
    /// The part that is being made, its last brackets still open.
    open: String,
    made: Vec<Totals>,
}

impl Parts {
    fn add_all<L: Serialize, S: Serialize>(&mut self, section: &str, entries: BTreeMap<L, S>) {
        let mut is_begun = false;
        for (labels, sums) in entries {
            let Ok(entry) = serde_json::to_string(&Entry { labels, sums }) else { continue };
            if is_begun && self.open.len() < PART_BYTES {
                self.open.push(',');
            } else {
                if self.open.len() >= PART_BYTES {
                    self.finish();
                }
                self.begin(section);
                is_begun = true;
            }
            self.open.push_str(&entry);
        }
    }

    fn begin(&mut self, section: &str) {
        if self.open.is_empty() {
            self.open = format!("{{\"seq\":{},\"start_ms\":{},\"end_ms\":{}", self.next, self.start_ms, self.end_ms);
        } else {
            self.open.push(']');
        }
        self.open.extend([",\"", section, "\":["]);
    }

    fn finish(&mut self) {
        if !self.open.is_empty() {
            let json = mem::take(&mut self.open) + "]}";
            self.made.push(Totals { seq: self.next, json });
            self.next = self.next.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_a_bounded_size_and_lose_nothing() {
        let mut parts = Parts { next: 7, ..Parts::default() };
        let entries = |count: u64| (0..count).map(|number| (number_label(number), Number { count: 1 })).collect();

        parts.add_all("traffic", entries(5_000));
        parts.add_all("apis", entries(0));
        parts.add_all("times", entries(300));
        parts.finish();

        let read: Vec<serde_json::Value> =
            parts.made.iter().map(|part| serde_json::from_str(&part.json).unwrap()).collect();
        let entries = |section| read.iter().filter_map(move |part| part.get(section)?.as_array()).flatten().count();
        let numbers: Vec<u64> = read.iter().map(|part| part["seq"].as_u64().unwrap()).collect();
        assert!(parts.made.len() > 2);
        assert!(parts.made.iter().all(|part| part.json.len() < PART_BYTES + 200));
        assert_eq!(numbers, parts.made.iter().map(|part| part.seq).collect::<Vec<_>>());
        assert_eq!(numbers, (7..parts.next).collect::<Vec<_>>());
        assert_eq!((entries("traffic"), entries("apis"), entries("times")), (5_000, 0, 300));
    }

    #[derive(Serialize)]
    struct Number {
        count: u64,
    }

    fn number_label(number: u64) -> ApiLabels {
        let client_id = Some(format!("client-{number}"));
        let client =
            ClientLabels { principal: None, client_id, client_software_name: None, client_software_version: None };
        ApiLabels { api: "Produce".into(), client }
    }
}
