//! Committed lag of groups in a window, for the gauges that Prometheus reads.

use std::collections::BTreeMap;

use kwitness_observation::IdentityKey;
use serde::Serialize;

use crate::labels::{label, topic_label};
use crate::rows::committed_lag;
use crate::topics::TopicNames;
use crate::window::Window;

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct GroupLabels {
    group_id: String,
    topic: String,
}

#[derive(Default, Serialize)]
pub(crate) struct GroupSums {
    /// The most records of a partition.
    committed_lag: u64,
    /// The longest that a record which the group has not committed can be read already; `None` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_lag_ms: Option<u64>,
}

pub(crate) fn groups(window: &Window, names: &TopicNames) -> BTreeMap<GroupLabels, GroupSums> {
    let mut all: BTreeMap<GroupLabels, GroupSums> = BTreeMap::new();
    for (who, which, partition, tally) in window.commits() {
        let lag = committed_lag(which, partition, tally, names, window.end_ms);
        let (Some(lag), Some(topic)) = (lag, topic_label(which, names)) else { continue };
        let Some(group_id) = label(who, IdentityKey::GroupId) else { continue };
        let sums = all.entry(GroupLabels { group_id, topic }).or_default();
        sums.committed_lag = sums.committed_lag.max(lag.records);
        sums.committed_lag_ms = sums.committed_lag_ms.max(lag.age.map(|age| age.ms));
    }
    all
}
