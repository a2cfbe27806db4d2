//! The connections that are open, as a heartbeat lists them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use kwitness_observation::{IdentityKey, IdentityPolicy};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::counters::Counters;
use crate::open_connections::Open;
use crate::settings::Settings;
use crate::state::State;

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
        let connections = entries(epoch_ms, all.iter().take(most), &settings.identity.policy());
        let reason = if settings.report.connections { "too_many" } else { "not_reported" };
        let beyond = count.saturating_sub(connections.len());
        Self { connections, left_out: Some((reason, beyond)).filter(|(_, beyond)| *beyond > 0).into_iter().collect() }
    }
}

fn entries<'a>(
    epoch_ms: u64,
    all: impl Iterator<Item = &'a (u64, Open)>,
    policy: &IdentityPolicy,
) -> Vec<Box<RawValue>> {
    let (mut made, mut bytes) = (Vec::new(), 0_usize);
    for (number, open) in all {
        let Ok(entry) = to_raw_value(&entry(epoch_ms, *number, open, policy)) else { continue };
        bytes = bytes.saturating_add(entry.get().len());
        made.push(entry);
        if bytes > MOST_BYTES {
            break;
        }
    }
    made
}

fn entry(epoch_ms: u64, number: u64, open: &Open, policy: &IdentityPolicy) -> Value {
    let mut identity = Arc::clone(&open.identity);
    policy.apply(&mut identity);
    let mut all: Map<String, Value> =
        identity.known().map(|(key, value)| (key.name().to_owned(), text(key, value))).collect();
    all.insert("connection_id".to_owned(), format!("{epoch_ms}-{number}").into());
    all.insert("opened_at_ms".to_owned(), open.opened_at_ms.into());
    all.insert("state".to_owned(), open.state.name().into());
    if let Some(protocol) = open.security.protocol() {
        all.insert("security_protocol".to_owned(), protocol.into());
    }
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

#[cfg(test)]
mod tests {
    use kwitness_observation::{Identity, LONGEST_VALUE};
    use kwitness_recording::Security;

    use super::*;

    #[test]
    fn a_list_of_clients_with_the_longest_names_is_cut_at_its_bound() {
        let longest = [b'x'; LONGEST_VALUE];
        let identity = IdentityKey::ALL.iter().fold(Identity::default(), |all, key| all.with(*key, &longest));
        let security = Security { is_encrypted: false, is_sasl: false, is_missed: false };
        let open = Open { identity: Arc::new(identity), security, opened_at_ms: 1, state: State::Sniff };
        let all: Vec<_> = (0..MOST as u64).map(|number| (number, open.clone())).collect();

        let made = entries(1, all.iter(), &IdentityPolicy::default());

        let bytes: usize = made.iter().map(|entry| entry.get().len()).sum();
        assert!(made.len() > 100 && bytes > MOST_BYTES && bytes < MOST_BYTES + 8_000, "{} {bytes}", made.len());
    }

    #[test]
    fn the_oldest_of_a_thread_are_taken_and_all_are_counted() {
        let counters = Counters::new(Arc::default());
        let security = Security { is_encrypted: true, is_sasl: true, is_missed: false };
        for number in (0..5).rev() {
            let identity = Arc::default();
            counters.connections.add(number, Open { identity, security, opened_at_ms: 1, state: State::Sniff });
        }
        counters.connections.remove(0);

        let (oldest, count) = counters.connections.oldest(2);

        assert_eq!((oldest.iter().map(|(number, _)| *number).collect::<Vec<_>>(), count), (vec![1, 2], 4));
    }
}
