//! What happened to a connection.

use kwitness_observation::reason;
use serde::Serialize;

use super::source::{Source, connection_id};
use crate::life::{ConnectionEvent, Happened, Unfollowed};

#[derive(Serialize)]
pub(super) struct ConnectionRow {
    kind: &'static str,
    connection_id: String,
    occurred_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    security_protocol: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mechanism: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    succeeded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opaque: Option<String>,
}

impl ConnectionRow {
    pub(super) fn new(source: &Source, event: &ConnectionEvent) -> Self {
        let row = Self {
            kind: "opened",
            connection_id: connection_id(source, event.connection),
            occurred_at_ms: event.occurred_at_ms,
            security_protocol: event.security.protocol(),
            mechanism: None,
            principal_source: event.is_anonymous.then(|| "none".into()),
            succeeded: None,
            duration_ms: None,
            end: None,
            last_error: None,
            opaque: event.opaque.map(Unfollowed::name),
        };
        match event.kind {
            Happened::Opened => row,
            Happened::Authenticated { mechanism, source, succeeded } => Self {
                kind: "authenticated",
                mechanism: Some(mechanism.name()),
                principal_source: Some(source.map_or_else(|| "none".into(), reason)),
                succeeded: Some(succeeded),
                ..row
            },
            Happened::Closed { end, duration_ms, last_error } => {
                Self { kind: "closed", duration_ms: Some(duration_ms), end: Some(end.name()), last_error, ..row }
            }
        }
    }
}
