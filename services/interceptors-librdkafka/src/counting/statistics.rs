//! Reads the JSON that librdkafka hands to a statistics callback: queues, times, lag and counts of one client.

use std::collections::BTreeMap;

use super::statistics_json::{Document, Elapsed, PartitionSums, Topic};
use super::topics::{Merge, Topics};
use crate::settings::Settings;

/// Requests, and the sum of the times that they took, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) requests: u64,
    pub(crate) sum_us: u64,
}

impl Times {
    fn from_windows(windows: impl Iterator<Item = Elapsed>) -> Self {
        windows.fold(Self::default(), |sum, window| Self {
            requests: sum.requests.saturating_add(window.cnt),
            sum_us: sum.sum_us.saturating_add(window.sum),
        })
    }

    const fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
    }
}

/// All partitions of a topic, as they were when the statistics were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TopicQueues {
    /// Records that wait for the thread of a broker; of a partition without a leader all of them.
    pub(crate) queued_records: u64,
    pub(crate) queued_bytes: u64,
    /// Of the partition that is furthest behind; of none where no partition is fetched or has a committed offset.
    pub(crate) lag: Option<u64>,
}

impl Merge for TopicQueues {
    /// Add those of another topic or client.
    fn merge(&mut self, other: &Self) {
        self.queued_records = self.queued_records.saturating_add(other.queued_records);
        self.queued_bytes = self.queued_bytes.saturating_add(other.queued_bytes);
        self.lag = self.lag.max(other.lag);
    }
}

impl From<&PartitionSums> for TopicQueues {
    fn from(sums: &PartitionSums) -> Self {
        Self { queued_records: sums.queued_records, queued_bytes: sums.queued_bytes, lag: sums.largest_lag }
    }
}

/// Within one window: queues as they were last, and what was counted since the statistics before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) queued_records: Option<u64>,
    pub(crate) queued_bytes: Option<u64>,
    /// The most that the queue may hold.
    pub(crate) queue_limit_records: Option<u64>,
    pub(crate) queue_limit_bytes: Option<u64>,
    /// Records that were fetched and that the application has not been handed.
    pub(crate) fetched_records: Option<u64>,
    pub(crate) fetched_bytes: Option<u64>,
    pub(crate) sent_bytes: Option<u64>,
    pub(crate) received_bytes: Option<u64>,
    pub(crate) retries: Option<u64>,
    pub(crate) timeouts: Option<u64>,
    pub(crate) disconnects: Option<u64>,
    pub(crate) rebalances: Option<u64>,
    /// From sending to response.
    pub(crate) round_trips: Times,
    /// From a request's making to its sending.
    pub(crate) request_queue: Times,
    pub(crate) topics: Option<Topics<TopicQueues>>,
}

type Add = fn(u64, u64) -> u64;

fn join(one: Option<u64>, other: Option<u64>, add: Add) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(add(one, other)),
        (one, other) => one.or(other),
    }
}

const fn replace(_: u64, later: u64) -> u64 {
    later
}

impl Statistics {
    /// Add those of another client of the same window.
    pub(crate) fn add(&mut self, other: &Self) {
        self.join(other, u64::saturating_add);
        match (&mut self.topics, &other.topics) {
            (Some(own), Some(theirs)) => own.merge(theirs),
            (own @ None, Some(theirs)) => *own = Some(theirs.clone()),
            (_, None) => {}
        }
    }

    fn join(&mut self, other: &Self, levels: Add) {
        for (own, theirs) in [
            (&mut self.queued_records, other.queued_records),
            (&mut self.queued_bytes, other.queued_bytes),
            (&mut self.queue_limit_records, other.queue_limit_records),
            (&mut self.queue_limit_bytes, other.queue_limit_bytes),
            (&mut self.fetched_records, other.fetched_records),
            (&mut self.fetched_bytes, other.fetched_bytes),
        ] {
            *own = join(*own, theirs, levels);
        }
        for (own, theirs) in [
            (&mut self.sent_bytes, other.sent_bytes),
            (&mut self.received_bytes, other.received_bytes),
            (&mut self.retries, other.retries),
            (&mut self.timeouts, other.timeouts),
            (&mut self.disconnects, other.disconnects),
            (&mut self.rebalances, other.rebalances),
        ] {
            *own = join(*own, theirs, u64::saturating_add);
        }
        self.round_trips.add(&other.round_trips);
        self.request_queue.add(&other.request_queue);
    }
}

impl Merge for Statistics {
    /// Add what came later from the same client.
    fn merge(&mut self, later: &Self) {
        self.join(later, replace);
        if later.topics.is_some() {
            self.topics.clone_from(&later.topics);
        }
    }
}

/// Counts since the client's start, as far as they were heard of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    sent_bytes: u64,
    received_bytes: u64,
    retries: u64,
    timeouts: u64,
    disconnects: u64,
    rebalances: u64,
}

impl Totals {
    /// Read the next statistics: counts that are new, topics as settings select and bound them; `None` if they cannot be read.
    pub(crate) fn next(&mut self, json: &[u8], settings: &Settings) -> Option<Statistics> {
        let document: Document = serde_json::from_slice(json).ok()?;
        let brokers = || document.brokers.values();
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        // A broker that is not listed any more takes its counts with it: what is less is no more than nothing.
        let new = |before: &mut u64, now: u64| {
            let new = now.saturating_sub(*before);
            *before = now.max(*before);
            new
        };
        Some(Statistics {
            queued_records: document.msg_cnt,
            queued_bytes: document.msg_size,
            queue_limit_records: document.msg_max,
            queue_limit_bytes: document.msg_size_max,
            fetched_records: document.topics.values().map(|topic| topic.partitions.fetched_records).max(),
            fetched_bytes: document.topics.values().map(|topic| topic.partitions.fetched_bytes).max(),
            sent_bytes: document.tx_bytes.map(|now| new(&mut self.sent_bytes, now)),
            received_bytes: document.rx_bytes.map(|now| new(&mut self.received_bytes, now)),
            retries: Some(new(&mut self.retries, sum(&mut brokers().map(|broker| broker.txretries)))),
            timeouts: Some(new(&mut self.timeouts, sum(&mut brokers().map(|broker| broker.req_timeouts)))),
            disconnects: Some(new(&mut self.disconnects, sum(&mut brokers().map(|broker| broker.disconnects)))),
            rebalances: document.cgrp.as_ref().map(|group| new(&mut self.rebalances, group.rebalance_cnt)),
            round_trips: Times::from_windows(brokers().map(|broker| broker.rtt)),
            request_queue: Times::from_windows(brokers().map(|broker| broker.outbuf_latency)),
            topics: queues(&document.topics, settings),
        })
    }
}

fn queues(topics: &BTreeMap<String, Topic>, settings: &Settings) -> Option<Topics<TopicQueues>> {
    let mut selected = topics.iter().filter(|(name, _)| settings.selects(name.as_bytes())).peekable();
    selected.peek()?;
    let mut queues = Topics::<TopicQueues>::new(settings.limits.topics);
    for (name, topic) in selected {
        queues.of(name.as_bytes()).merge(&TopicQueues::from(&topic.partitions));
    }
    Some(queues)
}

#[cfg(test)]
mod tests {
    use super::{Merge as _, Statistics, Times, TopicQueues, Totals};
    use crate::settings::Settings;

    fn settings(limits: &str) -> Settings {
        let text = format!(
            r#"{{"installation":"main","cluster_id":"c","namespace":"shop","name":"orders","suspend":false,
                "interceptors":[{{"type":"Stats","name":"stats"}}],"topics":["orders*"],"window_ms":1000,
                "limits":{limits},"collector":null}}"#
        );
        Settings::parse(text.as_bytes()).unwrap()
    }

    fn document(sent: u64, retries: u64, queued: u64) -> String {
        format!(
            r#"{{"name":"x","msg_cnt":3,"msg_size":30,"msg_max":100000,"msg_size_max":1073741824,"tx_bytes":{sent},
                "rx_bytes":7,"brokers":{{
                    "a:1/0":{{"txretries":{retries},"req_timeouts":1,"disconnects":2,"tx":9,
                        "rtt":{{"min":1,"avg":10,"sum":40,"cnt":4}},"outbuf_latency":{{"sum":6,"cnt":3}}}},
                    "b:1/1":{{"rtt":{{"sum":60,"cnt":1}}}}}},
                "topics":{{
                    "orders":{{"topic":"orders","batchcnt":{{"sum":1}},"partitions":{{
                        "0":{{"msgq_cnt":{queued},"msgq_bytes":20,"fetchq_cnt":4,
                            "fetchq_size":400,"fetch_state":"active","consumer_lag":70}},
                        "1":{{"fetchq_cnt":1,"fetchq_size":100,"fetch_state":"active","consumer_lag":-1}},
                        "2":{{"fetchq_cnt":0,"fetch_state":"none","consumer_lag":900}},
                        "-1":{{"msgq_cnt":2,"msgq_bytes":8}}}}}},
                    "orders-2":{{"partitions":{{"0":{{"msgq_cnt":1,"msgq_bytes":1}}}}}},
                    "hidden":{{"partitions":{{"0":{{"msgq_cnt":9}}}}}}}},
                "cgrp":{{"state":"up","rebalance_cnt":3}}}}"#
        )
    }

    fn of_topics(statistics: &Statistics) -> Vec<(Option<&[u8]>, TopicQueues)> {
        statistics.topics.iter().flat_map(super::Topics::iter).map(|(name, queues)| (name, *queues)).collect()
    }

    #[test]
    fn counts_are_those_since_the_statistics_before_and_queues_are_the_last_ones() {
        let (mut totals, settings) = (Totals::default(), settings("{}"));
        let mut window = totals.next(document(100, 2, 9).as_bytes(), &settings).unwrap();
        window.merge(&totals.next(document(150, 5, 2).as_bytes(), &settings).unwrap());

        assert_eq!(
            [window.queued_records, window.queued_bytes, window.queue_limit_records, window.queue_limit_bytes],
            [Some(3), Some(30), Some(100_000), Some(1 << 30)]
        );
        assert_eq!([window.sent_bytes, window.received_bytes], [Some(150), Some(7)]);
        assert_eq!([window.fetched_records, window.fetched_bytes], [Some(4), Some(400)]);
        assert_eq!([window.retries, window.timeouts, window.disconnects], [Some(5), Some(1), Some(2)]);
        assert_eq!(window.rebalances, Some(3));
        assert_eq!(window.round_trips, Times { requests: 10, sum_us: 200 });
        assert_eq!(window.request_queue, Times { requests: 6, sum_us: 12 });
        let orders = TopicQueues { queued_records: 4, queued_bytes: 28, lag: Some(70) };
        let other = TopicQueues { queued_records: 1, queued_bytes: 1, ..TopicQueues::default() };
        assert_eq!(of_topics(&window), [(Some(&b"orders"[..]), orders), (Some(&b"orders-2"[..]), other)]);
    }

    #[test]
    fn topics_beyond_the_limit_are_added_up_in_one() {
        let statistics = Totals::default().next(document(1, 1, 9).as_bytes(), &settings(r#"{"topics":1}"#)).unwrap();

        let names: Vec<_> =
            of_topics(&statistics).iter().map(|(name, queues)| (name.is_some(), queues.queued_records)).collect();
        assert_eq!(names, [(true, 11), (false, 1)]);
    }

    #[test]
    fn clients_of_one_window_add_up() {
        let settings = settings("{}");
        let one = Totals::default().next(document(100, 2, 9).as_bytes(), &settings).unwrap();
        let mut sum = Statistics::default();
        sum.add(&one);
        sum.add(&one);

        assert_eq!([sum.queued_records, sum.queue_limit_records, sum.sent_bytes], [Some(6), Some(200_000), Some(200)]);
        assert_eq!(of_topics(&sum)[0].1.queued_records, 22);
        assert_eq!(of_topics(&sum)[0].1.lag, Some(70));
    }

    #[test]
    fn a_producer_has_no_group_and_a_client_without_topics_none() {
        let statistics = Totals::default().next(br#"{"msg_cnt":1}"#, &settings("{}")).unwrap();

        assert_eq!(statistics.rebalances, None);
        assert!(statistics.topics.is_none());
    }

    #[test]
    fn a_document_that_is_no_json_is_left_out() {
        assert!(Totals::default().next(b"{", &settings("{}")).is_none());
    }
}
