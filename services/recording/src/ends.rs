//! Ends of partitions that follow from what clients of a window wrote.

use std::ptr;

use hashbrown::HashMap;
use kwitness_observation::Identity;
use kwitness_protocol::schema::Api;

use crate::topics::TopicNames;
use crate::window::{Which, Who, Window};

/// Keep the offsets after the last records that clients wrote, as watermarks: brokers answer acks=all when the high
/// watermark has passed the records.
///
/// Only of clients whose Produce requests of the window all had acks=all, since rows of partitions do not say which had.
pub(crate) fn keep_ends(window: &Window, names: &TopicNames) {
    let mut waiting: HashMap<*const Identity, bool> = HashMap::new();
    for (who, api, tally) in window.apis() {
        if let (Who::Client(client), Some((Api::PRODUCE, _))) = (who, api) {
            let [of_none, of_leader, of_all] = tally.acks.0;
            *waiting.entry(ptr::from_ref(client)).or_insert(true) &= of_none == 0 && of_leader == 0 && of_all > 0;
        }
    }
    for (who, which, partition, api, tally) in window.partitions() {
        if let (Who::Client(client), Which::Topic(topic), Some(partition)) = (who, which, partition)
            && api == Api::PRODUCE
            && waiting.get(&ptr::from_ref(client)) == Some(&true)
            && let Some(end) = tally.content.last_offset.and_then(|last| last.checked_add(1))
        {
            names.watermarks.keep(&topic, partition, end, window.end_ms);
        }
    }
}
