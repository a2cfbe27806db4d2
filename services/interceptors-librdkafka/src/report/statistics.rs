//! Writes librdkafka's statistics into rows and totals.

use serde_json::{Map, Value, json};

use super::rows::topic_name;
use crate::client::Side;
use crate::counting::{Statistics, TopicQueues, Topics};

/// Write the entry of a row: the client, and its topics.
pub(super) fn whole(statistics: &Statistics, side: Side) -> Map<String, Value> {
    let mut entry = of_client(statistics, side);
    let topics: Vec<_> = statistics
        .topics
        .iter()
        .flat_map(Topics::iter)
        .map(|(topic, queues)| {
            let mut entry = of_topic(queues, side);
            match topic_name(topic) {
                Some(name) => entry.insert("topic".to_owned(), json!(name)),
                None => entry.insert("overflowed".to_owned(), json!(true)),
            };
            entry
        })
        .collect();
    if !topics.is_empty() {
        entry.insert("topics".to_owned(), json!(topics));
    }
    entry
}

/// Write all that is known, zeros too: a queue is empty most of the time.
pub(super) fn of_client(statistics: &Statistics, side: Side) -> Map<String, Value> {
    // A producer fetches nothing, and a consumer sends nothing.
    let (queue, fetches) = match side {
        Side::Producer => (Some(()), None),
        Side::Consumer => (None, Some(())),
    };
    let (trips, waits) = (statistics.round_trips, statistics.request_queue);
    let members = [
        ("queued_records", statistics.queued_records),
        ("queued_bytes", statistics.queued_bytes),
        ("queue_limit_records", queue.and(statistics.queue_limit_records)),
        ("queue_limit_bytes", queue.and(statistics.queue_limit_bytes)),
        ("fetched_records", fetches.and(statistics.fetched_records)),
        ("fetched_bytes", fetches.and(statistics.fetched_bytes)),
        ("sent_bytes", statistics.sent_bytes),
        ("received_bytes", statistics.received_bytes),
        ("retries", statistics.retries),
        ("timeouts", statistics.timeouts),
        ("disconnects", statistics.disconnects),
        ("rebalances", statistics.rebalances),
        ("round_trips", Some(trips.requests).filter(|requests| *requests > 0)),
        ("round_trip_us", Some(trips.sum_us).filter(|_| trips.requests > 0)),
        ("requests", Some(waits.requests).filter(|requests| *requests > 0)),
        ("request_queue_us", Some(waits.sum_us).filter(|_| waits.requests > 0)),
    ];
    members.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?)))).collect()
}

pub(super) fn of_topic(queues: &TopicQueues, side: Side) -> Map<String, Value> {
    let (queue, lag) = match side {
        Side::Producer => (Some(queues), None),
        Side::Consumer => (None, queues.lag),
    };
    let members = [
        ("queued_records", queue.map(|queue| queue.queued_records)),
        ("queued_bytes", queue.map(|queue| queue.queued_bytes)),
        ("lag", lag),
    ];
    members.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?)))).collect()
}
