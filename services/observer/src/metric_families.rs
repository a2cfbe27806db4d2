// Generated from contracts/registry/observer_metrics.yaml by `make generate`; do not edit.
//! Families of the observer's own metrics.

/// A family of samples, and the names of their labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) labels: &'static [&'static str],
    pub(crate) help: &'static str,
}

pub(crate) const INFO: Family = Family {
    name: "kwitness_observer_info",
    kind: "gauge",
    labels: &["version", "settings"],
    help: "Always 1; version and settings in use are in the labels.",
};
pub(crate) const SUSPENDED: Family = Family {
    name: "kwitness_observer_suspended",
    kind: "gauge",
    labels: &[],
    help: "Whether spec.suspend stops observation (1) or not (0).",
};
pub(crate) const RELAY_ONLY_UNTIL_SECONDS: Family = Family {
    name: "kwitness_observer_relay_only_until_seconds",
    kind: "gauge",
    labels: &[],
    help: "Until when nothing is observed because the process before was killed, in seconds since 1970; no sample at other times.",
};
pub(crate) const SETTINGS_REFUSED_TOTAL: Family = Family {
    name: "kwitness_observer_settings_refused_total",
    kind: "counter",
    labels: &[],
    help: "Changes of the settings file that were refused.",
};
pub(crate) const CERTIFICATE_REFUSED_TOTAL: Family = Family {
    name: "kwitness_observer_certificate_refused_total",
    kind: "counter",
    labels: &[],
    help: "Changes of the listener's certificate files that were refused.",
};
pub(crate) const TLS_FAILED_TOTAL: Family = Family {
    name: "kwitness_observer_tls_failed_total",
    kind: "counter",
    labels: &["reason"],
    help: "Connections of clients that were closed because the TLS handshake failed, by reason.",
};
pub(crate) const UNSERVED_TOTAL: Family = Family {
    name: "kwitness_observer_unserved_total",
    kind: "counter",
    labels: &["mechanism"],
    help: "Attempts to authenticate that fail where brokers' addresses are changed, by SASL mechanism.",
};
pub(crate) const CONNECTIONS: Family = Family {
    name: "kwitness_observer_connections",
    kind: "gauge",
    labels: &["state"],
    help: "Open connections of clients by state: sniff, observed, opaque, relay_only.",
};
pub(crate) const OPAQUE_TOTAL: Family = Family {
    name: "kwitness_observer_opaque_total",
    kind: "counter",
    labels: &["reason"],
    help: "Connections that the observer began to pass on unread, by reason.",
};
pub(crate) const RESUMED_TOTAL: Family = Family {
    name: "kwitness_observer_resumed_total",
    kind: "counter",
    labels: &["reason"],
    help: "Connections that were unread and are read again from a request on, by the reason for which they were unread: relay_only, in_flight, correlation.",
};
pub(crate) const CONNECTIONS_OPENED_TOTAL: Family = Family {
    name: "kwitness_observer_connections_opened_total",
    kind: "counter",
    labels: &[],
    help: "Connections that clients opened.",
};
pub(crate) const CONNECTIONS_CLOSED_TOTAL: Family = Family {
    name: "kwitness_observer_connections_closed_total",
    kind: "counter",
    labels: &["end"],
    help: "Connections that ended, by what ended them.",
};
pub(crate) const ACCEPT_FAILED_TOTAL: Family = Family {
    name: "kwitness_observer_accept_failed_total",
    kind: "counter",
    labels: &["reason"],
    help: "Attempts to accept a client's connection that the system refused, by reason.",
};
pub(crate) const BYTES_TOTAL: Family = Family {
    name: "kwitness_observer_bytes_total",
    kind: "counter",
    labels: &["direction"],
    help: "Bytes that were passed on: request (from clients) and response (to clients).",
};
pub(crate) const BUFFERED_BYTES: Family = Family {
    name: "kwitness_observer_buffered_bytes",
    kind: "gauge",
    labels: &[],
    help: "Bytes that connections keep and that count against the budget of the process.",
};
pub(crate) const BUFFER_LIMIT_BYTES: Family = Family {
    name: "kwitness_observer_buffer_limit_bytes",
    kind: "gauge",
    labels: &[],
    help: "Bytes that all connections together may keep.",
};
pub(crate) const BUFFER_WAITS_TOTAL: Family = Family {
    name: "kwitness_observer_buffer_waits_total",
    kind: "counter",
    labels: &[],
    help: "Times that a connection stopped reading because the budget was used up.",
};
pub(crate) const UNREAD_TOTAL: Family = Family {
    name: "kwitness_observer_unread_total",
    kind: "counter",
    labels: &["reason"],
    help: "Requests passed on and not wholly understood, and record batches passed on unread, by reason.",
};
pub(crate) const API_VERSIONS_TOTAL: Family = Family {
    name: "kwitness_observer_api_versions_total",
    kind: "counter",
    labels: &["information"],
    help: "ApiVersions requests by their information on the client's software (KIP-511): named, unnamed (a version before 3), invalid (a broker refuses the name or version), unread.",
};
pub(crate) const PANICS_TOTAL: Family = Family {
    name: "kwitness_observer_panics_total",
    kind: "counter",
    labels: &[],
    help: "Errors of the observer itself; each made one connection opaque, or ended it.",
};
pub(crate) const ENDED_THREADS: Family = Family {
    name: "kwitness_observer_ended_threads",
    kind: "gauge",
    labels: &[],
    help: "Threads that relay connections and ended by such an error; the process is not ready then.",
};
pub(crate) const EVENTS_TOTAL: Family = Family {
    name: "kwitness_observer_events_total",
    kind: "counter",
    labels: &["outcome", "reason"],
    help: "Rows by outcome: accepted, delivered to the collector, dropped.",
};
pub(crate) const QUEUED_EVENTS: Family = Family {
    name: "kwitness_observer_queued_events",
    kind: "gauge",
    labels: &[],
    help: "Rows that wait for the collector: accepted = delivered + queued + dropped.",
};
pub(crate) const TELEMETRY_INSTANCES: Family = Family {
    name: "kwitness_observer_telemetry_instances",
    kind: "gauge",
    labels: &[],
    help: "Client instances whose telemetry requests the observer answers and that it remembers.",
};
pub(crate) const TELEMETRY_EVICTED_TOTAL: Family = Family {
    name: "kwitness_observer_telemetry_evicted_total",
    kind: "counter",
    labels: &[],
    help: "Client instances that the observer forgot to make room for others.",
};
pub(crate) const TELEMETRY_REQUESTS_TOTAL: Family = Family {
    name: "kwitness_observer_telemetry_requests_total",
    kind: "counter",
    labels: &["api", "error"],
    help: "Telemetry requests that the observer answered, by Kafka's names of API and error.",
};
pub(crate) const TELEMETRY_UNREAD_TOTAL: Family = Family {
    name: "kwitness_observer_telemetry_unread_total",
    kind: "counter",
    labels: &[],
    help: "Connections whose client was not offered telemetry because the broker's ApiVersions response could not be read.",
};
pub(crate) const PUSHES_TOTAL: Family = Family {
    name: "kwitness_observer_pushes_total",
    kind: "counter",
    labels: &["outcome", "reason"],
    help: "Pushes of clients by outcome: accepted, delivered to the collector, dropped.",
};
pub(crate) const QUEUED_PUSHES: Family = Family {
    name: "kwitness_observer_queued_pushes",
    kind: "gauge",
    labels: &[],
    help: "Pushes that wait for the collector: accepted = delivered + queued + dropped.",
};
pub(crate) const PROCESS_RESIDENT_MEMORY_BYTES: Family = Family {
    name: "process_resident_memory_bytes",
    kind: "gauge",
    labels: &[],
    help: "Resident memory size in bytes.",
};
