//! Settings of a recorder.

use std::num::NonZeroU64;
use std::sync::Arc;

use kwitness_observation::{Capacity, IdentityPolicy, Kind, SeriesBudget};
use kwitness_protocol::samples::Sampling;

use super::requests::RequestSettings;

/// Selects what is added up, and limits it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The length of windows, which begin at its multiples since 1970.
    pub window_ms: NonZeroU64,
    /// How many clients are told apart in a window.
    pub most_identities: usize,
    /// How many topics are.
    pub most_topics: usize,
    /// How many rows of each kind a window has, but for those of what is not told apart.
    pub most_series: usize,
    /// Draws these from what all recorders of the process may have together; without it each recorder has as many.
    pub series: Option<Arc<SeriesBudget>>,
    /// How many events of connections a window has.
    pub most_connection_events: usize,
    /// Keeps, hashes or drops what is known of clients.
    pub identity: IdentityPolicy,
    /// Whether events of connections are kept.
    pub connections: bool,
    /// Whether requests, topics and partitions are counted.
    pub traffic: bool,
    /// Whether response times are.
    pub latency: bool,
    /// Whether requests and responses are told one by one, and how.
    pub requests: Option<RequestSettings>,
    /// Whether batches are looked into for the headers of their records, and which.
    pub headers: Option<Sampling>,
}

impl Settings {
    /// Everything is added up, in windows of ten seconds, with at most `most` of each kind.
    #[must_use]
    pub fn of_at_most(most: usize) -> Self {
        Self {
            window_ms: NonZeroU64::new(10_000).unwrap_or(NonZeroU64::MIN),
            most_identities: most,
            most_topics: most,
            most_series: most,
            series: None,
            most_connection_events: most,
            identity: IdentityPolicy::default(),
            connections: true,
            traffic: true,
            latency: true,
            requests: None,
            headers: None,
        }
    }

    /// The room of this kind in the window that begins then.
    pub(crate) fn capacity(&self, kind: Kind, most: usize, start_ms: u64) -> Capacity {
        let Some(series) = &self.series else { return Capacity::of_at_most(most) };
        // Windows that follow each other have numbers that do.
        let window = u32::try_from(start_ms / self.window_ms).unwrap_or_default();
        Capacity::drawn(Arc::clone(series), kind, most, window)
    }
}
