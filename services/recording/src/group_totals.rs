//! Committed lag of groups in a window, and commits that went back, for the metrics that Prometheus reads.

use std::collections::BTreeMap;

use kwitness_observation::{IdentityKey, text};
use serde::Serialize;

use crate::labels::{OTHER, label, topic_label};
use crate::rows::committed_lag;
use crate::tally::grow;
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

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct CommitsBackLabels {
    group_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    /// Of the client that committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
}

#[derive(Default, Serialize)]
pub(crate) struct CommitsBackSums {
    commits: u64,
    most_records: u64,
}

pub(crate) fn commits_back(window: &Window, names: &TopicNames) -> BTreeMap<CommitsBackLabels, CommitsBackSums> {
    let mut all: BTreeMap<CommitsBackLabels, CommitsBackSums> = BTreeMap::new();
    for (who, group, which, tally) in window.commits_back() {
        let labels = CommitsBackLabels {
            group_id: group.map_or_else(|| OTHER.into(), |group| text(group).into_owned()),
            topic: topic_label(which, names),
            principal: label(who, IdentityKey::Principal),
            client_id: label(who, IdentityKey::ClientId),
        };
        let sums = all.entry(labels).or_default();
        grow(&mut sums.commits, tally.commits);
        sums.most_records = sums.most_records.max(tally.most_records);
    }
    all
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
