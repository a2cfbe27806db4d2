//! The connections that are open, as a heartbeat lists them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use kwitness_wire::aggregate::{IdentityKey, IdentityKeys};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::counters::{Counters, State};
use crate::open_connections::Open;
use crate::settings::Settings;

/// How many are listed.
const MOST: usize = 2_000;
/// How long the list is at most, and what its last entry has beyond. It comes on top of what a request may take.
const MOST_BYTES: usize = 512 << 10;

/// The oldest ones, and how many there are beside them.
#[derive(Debug, Serialize)]
pub(super) struct Listing {
    connections: Vec<Box<RawValue>>,
    left_out: BTreeMap<&'static str, usize>,
}

impl Listing {
    /// What all threads have open; nothing but how many where connections are not to be reported.
    pub(super) fn of(settings: &Settings, epoch_ms: u64, threads: &[Arc<Counters>]) -> Self {
        let most = if settings.report.connections { MOST } else { 0 };
        let (mut all, mut count) = (Vec::new(), 0_usize);
        for thread in threads {
            let (oldest, open) = thread.connections.oldest(most);
            all.extend(oldest);
            count = count.saturating_add(open);
        }
        all.sort_unstable_by_key(|(number, _)| *number);
        let dropped: IdentityKeys = settings.identity.drop.iter().map(|key| key.key()).collect();
        let (mut connections, mut bytes) = (Vec::new(), 0_usize);
        for (number, open) in all.iter().take(most) {
            let Ok(entry) = to_raw_value(&entry(epoch_ms, *number, open, dropped)) else { continue };
            bytes = bytes.saturating_add(entry.get().len());
            connections.push(entry);
            if bytes > MOST_BYTES {
                break;
            }
        }
        let reason = if settings.report.connections { "too_many" } else { "not_reported" };
        let beyond = count.saturating_sub(connections.len());
        Self { connections, left_out: Some((reason, beyond)).filter(|(_, beyond)| *beyond > 0).into_iter().collect() }
    }
}

fn entry(epoch_ms: u64, number: u64, open: &Open, dropped: IdentityKeys) -> Value {
    let known = open.identity.known().filter(|(key, _)| !dropped.contain(*key));
    let mut all: Map<String, Value> = known.map(|(key, value)| (key.name().to_owned(), text(key, value))).collect();
    all.insert("connection_id".to_owned(), format!("{epoch_ms}-{number}").into());
    all.insert("opened_at_ms".to_owned(), open.opened_at_ms.into());
    all.insert("state".to_owned(), open.state.name().into());
    all.insert("security_protocol".to_owned(), open.security.protocol().into());
    if let State::Opaque(reason) = open.state {
        all.insert("opaque".to_owned(), reason.name().into());
    }
    all.into()
}

fn text(key: IdentityKey, value: &[u8]) -> Value {
    let text: Cow<'_, str> = String::from_utf8_lossy(value);
    match (key, text.parse::<u16>()) {
        (IdentityKey::ClientSourcePort, Ok(port)) => json!(port),
        _ => json!(text),
    }
}
