//! Values of the labels that counters and gauges have.

use kwitness_observation::{IdentityKey, text};
use kwitness_protocol::schema;

use crate::rows::{Named, api_name};
use crate::topics::TopicNames;
use crate::window::{Which, Who};

/// Stands for clients, topics and APIs that are not told apart, and for APIs that Kafka does not have.
pub(crate) const OTHER: &str = "other";

pub(crate) fn label(who: Who<'_>, key: IdentityKey) -> Option<String> {
    match who {
        Who::Client(identity) => identity.get(key).map(|value| text(value).into_owned()),
        Who::Others => Some(OTHER.into()),
    }
}

pub(crate) fn topic_label(which: Which<'_>, names: &TopicNames) -> Option<String> {
    if matches!(which, Which::Others) { Some(OTHER.into()) } else { Named::of(which, names).topic }
}

pub(crate) fn api_label(key: Option<i16>) -> String {
    api_name(key.filter(|key| schema::api(*key).is_some()))
}
