//! What one thread counts; a scrape adds the threads up.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use kwitness_observation::IdentityPolicy;
use kwitness_protocol::{Side, Unread};
use kwitness_recording::Unfollowed;
use tokio::task::JoinError;

use crate::client_information::Information;
use crate::end::End;
use crate::log::Throttle;
use crate::open_connections::OpenConnections;
use crate::state::State;
use crate::sync::lock_ignoring_poison;
use crate::tls::Failure;
use crate::unserved::Unserved;

/// The counters of one thread.
#[derive(Debug)]
pub(crate) struct Counters {
    requested: AtomicU64,
    answered: AtomicU64,
    rare: Mutex<Rare>,
    /// The connections themselves.
    pub(crate) connections: OpenConnections,
    /// One for all threads.
    throttle: Arc<Mutex<Throttle>>,
}

/// What changes with a connection, or hardly ever.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    /// Connections that are open.
    pub(crate) open: BTreeMap<State, u64>,
    pub(crate) opened: u64,
    pub(crate) closed: BTreeMap<&'static str, u64>,
    pub(crate) unread: BTreeMap<Unread, u64>,
    /// Connections that became opaque, since the start.
    pub(crate) opaque: BTreeMap<Unfollowed, u64>,
    /// Connections that were read again, by the state in which they were unread and its reason, since the start.
    pub(crate) resumed: BTreeMap<State, u64>,
    /// Clients with which TLS failed, since the start.
    pub(crate) tls_failed: BTreeMap<Failure, u64>,
    /// Connections that ended by an error of ours, since the start.
    pub(crate) panics: u64,
    /// Attempts to authenticate that cannot succeed here, since the start.
    pub(crate) unserved: BTreeMap<Unserved, u64>,
    /// `ApiVersions` requests by what they say of the client's software, since the start.
    pub(crate) api_versions: BTreeMap<Information, u64>,
    /// Connections that are open, by the software of the client and its version.
    pub(crate) software: BTreeMap<Software, u64>,
}

/// Name and version.
pub(crate) type Software = (Box<str>, Box<str>);

/// The sum over all threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    pub(crate) requested: u64,
    pub(crate) answered: u64,
    pub(crate) rare: Rare,
}

impl Counters {
    pub(crate) fn new(throttle: Arc<Mutex<Throttle>>) -> Self {
        let zero = AtomicU64::default;
        let (rare, connections) = (Mutex::default(), OpenConnections::default());
        Self { requested: zero(), answered: zero(), rare, connections, throttle }
    }

    pub(crate) fn passed(&self, side: Side, bytes: usize) {
        let counter = match side {
            Side::Client => &self.requested,
            Side::Broker => &self.answered,
        };
        counter.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Relaxed);
    }

    pub(crate) fn opened(&self) {
        add(&mut self.rare().opened, 1);
    }

    pub(crate) fn closed(&self, end: End) {
        add(self.rare().closed.entry(end.name()).or_default(), 1);
    }

    /// The task of a connection ended; if it did so by an error of ours, its connection was not closed otherwise.
    pub(crate) fn ended(&self, task: &Result<(), JoinError>) {
        if task.as_ref().is_err_and(JoinError::is_panic) {
            add(&mut self.rare().panics, 1);
            self.closed(End::Error);
        }
    }

    pub(crate) fn enter(&self, state: State) {
        let mut rare = self.rare();
        if let State::Opaque(reason) = state {
            add(rare.opaque.entry(reason).or_default(), 1);
        }
        add(rare.open.entry(state).or_default(), 1);
    }

    /// A connection of this state is read again.
    pub(crate) fn resumed(&self, state: State) {
        add(self.rare().resumed.entry(state).or_default(), 1);
    }

    pub(crate) fn leave(&self, state: State) {
        let mut rare = self.rare();
        let open = rare.open.entry(state).or_default();
        *open = open.saturating_sub(1);
    }

    /// A client has said, or ceased, to be this.
    pub(crate) fn software(&self, software: &Software, is_open: bool) {
        let mut rare = self.rare();
        if is_open {
            add(rare.software.entry(software.clone()).or_default(), 1);
        } else if let Some(count) = rare.software.get_mut(software) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                rare.software.remove(software);
            }
        }
    }

    pub(crate) fn tls_failed(&self, failure: Failure) {
        add(self.rare().tls_failed.entry(failure).or_default(), 1);
    }

    pub(crate) fn unserved(&self, unserved: Unserved) {
        add(self.rare().unserved.entry(unserved).or_default(), 1);
    }

    pub(crate) fn informed(&self, information: Information) {
        add(self.rare().api_versions.entry(information).or_default(), 1);
    }

    pub(crate) fn unread(&self, why: Unread) {
        add(self.rare().unread.entry(why).or_default(), 1);
    }

    /// Returns how a line of this kind names this source; `None` where none may be logged now.
    pub(crate) fn named_in_log(&self, source: IpAddr, kind: &'static str) -> Option<String> {
        let mut throttle = lock_ignoring_poison(&self.throttle);
        throttle.allows(source, kind, Instant::now()).then(|| throttle.name(source))
    }

    /// Name sources in lines of all threads so from now on.
    pub(crate) fn treat_in_log(&self, identity: IdentityPolicy) {
        lock_ignoring_poison(&self.throttle).treat(identity);
    }

    fn rare(&self) -> MutexGuard<'_, Rare> {
        lock_ignoring_poison(&self.rare)
    }

    /// Add what this thread counted.
    pub(crate) fn add_to(&self, total: &mut Total) {
        add(&mut total.requested, self.requested.load(Relaxed));
        add(&mut total.answered, self.answered.load(Relaxed));
        let rare = self.rare();
        add(&mut total.rare.opened, rare.opened);
        add(&mut total.rare.panics, rare.panics);
        add_all(&mut total.rare.open, &rare.open);
        add_all(&mut total.rare.closed, &rare.closed);
        add_all(&mut total.rare.unread, &rare.unread);
        add_all(&mut total.rare.opaque, &rare.opaque);
        add_all(&mut total.rare.resumed, &rare.resumed);
        add_all(&mut total.rare.tls_failed, &rare.tls_failed);
        add_all(&mut total.rare.unserved, &rare.unserved);
        add_all(&mut total.rare.api_versions, &rare.api_versions);
        add_all(&mut total.rare.software, &rare.software);
    }
}

const fn add(to: &mut u64, count: u64) {
    *to = to.saturating_add(count);
}

fn add_all<K: Clone + Ord>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        add(to.entry(key.clone()).or_default(), *count);
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test]
    async fn a_connection_that_ends_by_an_error_of_ours_is_counted_and_closed() {
        let (counters, mut connections) = (Counters::new(Arc::default()), JoinSet::new());
        connections.spawn(async { panic!("a rewriter's") });
        connections.spawn(async {});

        while let Some(ended) = connections.join_next().await {
            counters.ended(&ended);
        }

        let mut total = Total::default();
        counters.add_to(&mut total);
        assert_eq!((total.rare.panics, total.rare.closed["error"]), (1, 1));
    }
}
