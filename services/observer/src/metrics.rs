//! The observer's own metrics, as Prometheus reads them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use kwitness_wire::aggregate::{Unfollowed, reason};
use kwitness_wire::report::Ledger;

use crate::client_information::Information;
use crate::counters::{Rare, STATES, Total};
use crate::relay::End;
use crate::telemetry;

/// What there is to show beside what the threads count.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) version: &'static str,
    pub(crate) settings: String,
    pub(crate) settings_refused: u64,
    pub(crate) certificates_refused: u64,
    pub(crate) is_suspended: bool,
    pub(crate) relay_only_until_ms: Option<u64>,
    pub(crate) refused: u64,
    /// Threads that relay connections and ended by an error of ours.
    pub(crate) ended_threads: u64,
    /// How often no connection could be accepted, by reason.
    pub(crate) accept_failed: BTreeMap<&'static str, u64>,
    pub(crate) resident_bytes: Option<u64>,
    pub(crate) ledger: Ledger,
    /// Batches that were not looked into, by reason.
    pub(crate) left_out: Vec<(String, u64)>,
    pub(crate) telemetry: telemetry::Report,
}

/// The text of a scrape.
pub(crate) fn render(process: &Process, total: &Total) -> String {
    let mut page = Page::default();
    let rare = &total.rare;

    page.family("kwitness_observer_info", "gauge", "Version and settings in use, as labels.");
    page.sample(&[("version", process.version), ("settings", &process.settings)], 1);
    page.family("kwitness_observer_suspended", "gauge", "1 while nothing is observed because that is wanted.");
    page.sample(&[], u64::from(process.is_suspended));
    page.family(
        "kwitness_observer_relay_only_until_seconds",
        "gauge",
        "Until when nothing is observed because the process before was killed, in seconds since 1970.",
    );
    if let Some(until_ms) = process.relay_only_until_ms {
        page.sample(&[], until_ms.div_euclid(1_000));
    }
    page.family(
        "kwitness_observer_settings_refused_total",
        "counter",
        "Changes of the settings file that were refused.",
    );
    page.sample(&[], process.settings_refused);

    render_signing_in(&mut page, process, rare);

    page.family("kwitness_observer_connections", "gauge", "Open connections of clients, by what is done with them.");
    for state in STATES {
        let count = rare.open.iter().filter(|(open, _)| open.name() == state).map(|(_, count)| *count).sum();
        page.sample(&[("state", state)], count);
    }
    page.family(
        "kwitness_observer_opaque_total",
        "counter",
        "Connections that came to be passed on unread, by reason.",
    );
    page.samples("reason", &rare.opaque, |reason| reason.name());
    page.family("kwitness_observer_connections_opened_total", "counter", "Connections that clients opened.");
    page.sample(&[], rare.opened);
    page.family(
        "kwitness_observer_connections_closed_total",
        "counter",
        "Connections that ended, by who or what ended them.",
    );
    for end in End::ALL {
        let count =
            if end == End::Limit { process.refused } else { rare.closed.get(end.name()).copied().unwrap_or_default() };
        page.sample(&[("end", end.name())], count);
    }
    page.family(
        "kwitness_observer_accept_failed_total",
        "counter",
        "Attempts to accept a client's connection that the system refused, by reason.",
    );
    for (reason, count) in &process.accept_failed {
        page.sample(&[("reason", reason)], *count);
    }
    page.family("kwitness_observer_bytes_total", "counter", "Bytes that were passed on.");
    page.sample(&[("direction", "request")], total.requested);
    page.sample(&[("direction", "response")], total.answered);
    page.family(
        "kwitness_observer_unread_total",
        "counter",
        "Requests that were passed on and not wholly understood, and batches that were not looked into, by reason.",
    );
    page.samples("reason", &rare.unread, |why| reason(why));
    for (reason, count) in &process.left_out {
        page.sample(&[("reason", reason)], *count);
    }
    page.family(
        "kwitness_observer_api_versions_total",
        "counter",
        "ApiVersions requests by what they say of the client's software.",
    );
    for information in Information::ALL {
        let count = rare.api_versions.get(&information).copied().unwrap_or_default();
        page.sample(&[("information", information.name())], count);
    }
    render_errors(&mut page, process, rare);
    let ledger = &process.ledger;
    page.family("kwitness_observer_events_total", "counter", "Rows made, and what became of them.");
    page.sample(&[("outcome", "accepted"), ("reason", "")], ledger.accepted);
    page.sample(&[("outcome", "delivered"), ("reason", "")], ledger.delivered);
    for (reason, count) in &ledger.dropped {
        page.sample(&[("outcome", "dropped"), ("reason", reason)], *count);
    }
    page.family("kwitness_observer_queued_events", "gauge", "Rows that wait for the collector.");
    page.sample(&[], ledger.queued);
    render_telemetry(&mut page, &process.telemetry);
    if let Some(bytes) = process.resident_bytes {
        page.family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.");
        page.sample(&[], bytes);
    }
    page.text
}

fn render_errors(page: &mut Page, process: &Process, rare: &Rare) {
    page.family(
        "kwitness_observer_panics_total",
        "counter",
        "Errors of ours; each made one connection opaque, or ended it.",
    );
    let while_reading = rare.opaque.get(&Unfollowed::Panic).copied().unwrap_or_default();
    page.sample(&[], rare.panics.saturating_add(while_reading));
    page.family(
        "kwitness_observer_ended_threads",
        "gauge",
        "Threads that relay connections and ended by an error of ours; the process is not ready then.",
    );
    page.sample(&[], process.ended_threads);
}

fn render_telemetry(page: &mut Page, report: &telemetry::Report) {
    page.family(
        "kwitness_observer_telemetry_instances",
        "gauge",
        "Client instances whose telemetry is answered here that are remembered.",
    );
    page.sample(&[], report.instances);
    page.family(
        "kwitness_observer_telemetry_evicted_total",
        "counter",
        "Client instances that gave way to others because there are too many.",
    );
    page.sample(&[], report.evicted);
    page.family(
        "kwitness_observer_telemetry_requests_total",
        "counter",
        "Requests of clients' telemetry that were answered here, by Kafka's name and error.",
    );
    for ((api, error), count) in &report.answered {
        page.sample(&[("api", api), ("error", error.name())], *count);
    }
    page.family(
        "kwitness_observer_telemetry_unread_total",
        "counter",
        "Connections whose client was not offered telemetry because what the broker offers could not be read.",
    );
    page.sample(&[], report.unread);
    let ledger = &report.ledger;
    page.family("kwitness_observer_pushes_total", "counter", "Pushes that were taken, and what became of them.");
    page.sample(&[("outcome", "accepted"), ("reason", "")], ledger.accepted);
    page.sample(&[("outcome", "delivered"), ("reason", "")], ledger.delivered);
    for (reason, count) in &ledger.dropped {
        page.sample(&[("outcome", "dropped"), ("reason", reason)], *count);
    }
    page.family("kwitness_observer_queued_pushes", "gauge", "Pushes that wait for the collector.");
    page.sample(&[], ledger.queued);
}

fn render_signing_in(page: &mut Page, process: &Process, rare: &Rare) {
    page.family(
        "kwitness_observer_certificate_refused_total",
        "counter",
        "Changes of the listener's certificate files that were refused.",
    );
    page.sample(&[], process.certificates_refused);
    page.family(
        "kwitness_observer_tls_failed_total",
        "counter",
        "Clients that were closed because TLS with them failed, by reason.",
    );
    page.samples("reason", &rare.tls_failed, |failure| failure.name().to_owned());
    page.family(
        "kwitness_observer_unserved_total",
        "counter",
        "Attempts to authenticate that fail where brokers' addresses are changed, by mechanism.",
    );
    page.samples("mechanism", &rare.unserved, |mechanism| mechanism.name().to_owned());
}

#[derive(Debug, Default)]
struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A sample for each key, in the order of their names.
    fn samples<K>(&mut self, label: &str, counts: &HashMap<K, u64>, name: impl Fn(&K) -> String) {
        let named: BTreeMap<_, _> = counts.iter().map(|(key, count)| (name(key), *count)).collect();
        for (name, count) in named {
            self.sample(&[(label, &name)], count);
        }
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: u64) {
        self.text.push_str(self.name);
        for (index, (label, text)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
            let _ = write!(self.text, "{before}{label}=\"{text}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{after} {value}");
    }
}

/// The memory that this process occupies.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1_024)
}
