//! Names who writes records.

/// Who writes records. A source numbers them, without a gap, within its epoch.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, `<namespace>/<pod>`.
    pub name: String,
    /// Its start, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Which cluster it observes.
    pub cluster_id: String,
    /// Where it runs.
    pub reported_by: String,
    /// How it comes between client and broker.
    pub observer_mode: String,
}

/// A connection's name among those of its source.
pub(super) fn connection_id(source: &Source, number: u64) -> String {
    format!("{}-{number}", source.epoch_ms)
}
