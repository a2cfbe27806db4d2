//! What librdkafka says of itself, in the JSON that it hands to a statistics callback.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::topics::Merge;

/// Within one window: what is counted is what came since the statistics before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    pub(crate) queued_records: Option<u64>,
    pub(crate) queued_bytes: Option<u64>,
    pub(crate) sent_bytes: Option<u64>,
    pub(crate) received_bytes: Option<u64>,
    pub(crate) retries: Option<u64>,
    pub(crate) timeouts: Option<u64>,
}

impl Merge for Statistics {
    /// Add what came later in the same window.
    fn merge(&mut self, later: &Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        *self = Self {
            queued_records: later.queued_records.or(self.queued_records),
            queued_bytes: later.queued_bytes.or(self.queued_bytes),
            sent_bytes: sum(self.sent_bytes, later.sent_bytes),
            received_bytes: sum(self.received_bytes, later.received_bytes),
            retries: sum(self.retries, later.retries),
            timeouts: sum(self.timeouts, later.timeouts),
        };
    }
}

/// The part of the JSON that is read; counts are since the client's start.
#[derive(Debug, Default, Deserialize)]
struct Said {
    msg_cnt: Option<u64>,
    msg_size: Option<u64>,
    tx_bytes: Option<u64>,
    rx_bytes: Option<u64>,
    #[serde(default)]
    brokers: BTreeMap<String, SaidOfBroker>,
}

#[derive(Debug, Default, Deserialize)]
struct SaidOfBroker {
    #[serde(default)]
    txretries: u64,
    #[serde(default)]
    req_timeouts: u64,
}

/// Counts since the client's start, as far as they were heard of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    sent_bytes: u64,
    received_bytes: u64,
    retries: u64,
    timeouts: u64,
}

impl Totals {
    /// What the next statistics say is new; `None` if they cannot be read.
    pub(crate) fn next(&mut self, json: &[u8]) -> Option<Statistics> {
        let said: Said = serde_json::from_slice(json).ok()?;
        let sum = |of: fn(&SaidOfBroker) -> u64| said.brokers.values().map(of).fold(0, u64::saturating_add);
        // A broker that is not listed any more takes its counts with it: what is less is no more than nothing.
        let new = |before: &mut u64, now: u64| {
            let new = now.saturating_sub(*before);
            *before = now.max(*before);
            new
        };
        Some(Statistics {
            queued_records: said.msg_cnt,
            queued_bytes: said.msg_size,
            sent_bytes: said.tx_bytes.map(|now| new(&mut self.sent_bytes, now)),
            received_bytes: said.rx_bytes.map(|now| new(&mut self.received_bytes, now)),
            retries: Some(new(&mut self.retries, sum(|broker| broker.txretries))),
            timeouts: Some(new(&mut self.timeouts, sum(|broker| broker.req_timeouts))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Merge as _, Statistics, Totals};

    #[test]
    fn counts_are_those_since_the_statistics_before() {
        let said = |sent: u64, retries: u64| {
            format!(
                r#"{{"name":"x","msg_cnt":3,"msg_size":30,"tx_bytes":{sent},"rx_bytes":7,
                    "brokers":{{"a:1/0":{{"txretries":{retries},"req_timeouts":1,"tx":9}}}}}}"#
            )
        };
        let mut totals = Totals::default();
        let mut window = totals.next(said(100, 2).as_bytes()).unwrap();
        window.merge(&totals.next(said(150, 5).as_bytes()).unwrap());

        let expected = Statistics {
            queued_records: Some(3),
            queued_bytes: Some(30),
            sent_bytes: Some(150),
            received_bytes: Some(7),
            retries: Some(5),
            timeouts: Some(1),
        };
        assert_eq!(window, expected);
    }

    #[test]
    fn what_is_no_json_says_nothing() {
        assert_eq!(Totals::default().next(b"{"), None);
    }
}
