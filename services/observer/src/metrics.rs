//! The observer's own metrics, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;

use kwitness_observation::reason;
use kwitness_recording::Unfollowed;
use kwitness_reporting::Ledger;

use crate::client_information::Information;
use crate::counters::{Rare, Total};
use crate::end::End;
use crate::memory_budget::Usage;
use crate::metric_families::{self as families, Family};
use crate::state::STATES;
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
    pub(crate) refused: BTreeMap<&'static str, u64>,
    /// Threads that relay connections and ended by an error of ours.
    pub(crate) ended_threads: u64,
    /// How often no connection could be accepted, by reason.
    pub(crate) accept_failed: BTreeMap<&'static str, u64>,
    pub(crate) resident_bytes: Option<u64>,
    pub(crate) buffers: Usage,
    pub(crate) ledger: Ledger,
    /// Batches that were not looked into, by reason.
    pub(crate) left_out: Vec<(String, u64)>,
    pub(crate) telemetry: telemetry::Report,
}

/// The text of a scrape.
pub(crate) fn render(process: &Process, total: &Total) -> String {
    let mut page = Page::default();
    let rare = &total.rare;

    page.family(families::INFO).sample(&[process.version, &process.settings], 1);
    page.family(families::SUSPENDED).sample(&[], u64::from(process.is_suspended));
    let relay_only = page.family(families::RELAY_ONLY_UNTIL_SECONDS);
    if let Some(until_ms) = process.relay_only_until_ms {
        relay_only.sample(&[], until_ms.div_euclid(1_000));
    }
    page.family(families::SETTINGS_REFUSED_TOTAL).sample(&[], process.settings_refused);

    render_signing_in(&mut page, process, rare);

    page.family(families::CONNECTIONS);
    for state in STATES {
        let count = rare.open.iter().filter(|(open, _)| open.name() == state).map(|(_, count)| *count).sum();
        page.sample(&[state], count);
    }
    page.family(families::OPAQUE_TOTAL).samples(&rare.opaque, |reason| reason.name());
    page.family(families::RESUMED_TOTAL).samples(&rare.resumed, |state| state.reason());
    page.family(families::CONNECTIONS_OPENED_TOTAL).sample(&[], rare.opened);
    page.family(families::CONNECTIONS_CLOSED_TOTAL);
    for end in End::ALL {
        let count = |of: Option<&u64>| of.copied().unwrap_or_default();
        let (closed, refused) = (count(rare.closed.get(end.name())), count(process.refused.get(end.name())));
        page.sample(&[end.name()], closed.saturating_add(refused));
    }
    page.family(families::ACCEPT_FAILED_TOTAL);
    for (reason, count) in &process.accept_failed {
        page.sample(&[reason], *count);
    }
    page.family(families::BYTES_TOTAL).sample(&["request"], total.requested).sample(&["response"], total.answered);
    page.family(families::BUFFERED_BYTES).sample(&[], process.buffers.used);
    page.family(families::BUFFER_LIMIT_BYTES).sample(&[], process.buffers.limit);
    page.family(families::BUFFER_WAITS_TOTAL).sample(&[], process.buffers.waits);
    page.family(families::UNREAD_TOTAL).samples(&rare.unread, |why| reason(why));
    for (reason, count) in &process.left_out {
        page.sample(&[reason], *count);
    }
    page.family(families::API_VERSIONS_TOTAL);
    for information in Information::ALL {
        let count = rare.api_versions.get(&information).copied().unwrap_or_default();
        page.sample(&[information.name()], count);
    }
    let while_reading = rare.opaque.get(&Unfollowed::Panic).copied().unwrap_or_default();
    page.family(families::PANICS_TOTAL).sample(&[], rare.panics.saturating_add(while_reading));
    page.family(families::ENDED_THREADS).sample(&[], process.ended_threads);
    page.ledger(families::EVENTS_TOTAL, families::QUEUED_EVENTS, &process.ledger);
    render_telemetry(&mut page, &process.telemetry);
    if let Some(bytes) = process.resident_bytes {
        page.family(families::PROCESS_RESIDENT_MEMORY_BYTES).sample(&[], bytes);
    }
    page.text
}

fn render_telemetry(page: &mut Page, report: &telemetry::Report) {
    page.family(families::TELEMETRY_INSTANCES).sample(&[], report.instances);
    page.family(families::TELEMETRY_EVICTED_TOTAL).sample(&[], report.evicted);
    page.family(families::TELEMETRY_REQUESTS_TOTAL);
    for ((api, error), count) in &report.answered {
        page.sample(&[api, error.name()], *count);
    }
    page.family(families::TELEMETRY_UNREAD_TOTAL).sample(&[], report.unread);
    page.ledger(families::PUSHES_TOTAL, families::QUEUED_PUSHES, &report.ledger);
}

fn render_signing_in(page: &mut Page, process: &Process, rare: &Rare) {
    page.family(families::CERTIFICATE_REFUSED_TOTAL).sample(&[], process.certificates_refused);
    page.family(families::TLS_FAILED_TOTAL).samples(&rare.tls_failed, |failure| failure.name().to_owned());
    page.family(families::UNSERVED_TOTAL).samples(&rare.unserved, |mechanism| mechanism.name().to_owned());
}

#[derive(Debug, Default)]
struct Page {
    text: String,
    name: &'static str,
    labels: &'static [&'static str],
}

impl Page {
    /// Begin a family; the samples that follow are of it.
    fn family(&mut self, family: Family) -> &mut Self {
        let Family { name, kind, labels, help } = family;
        (self.name, self.labels) = (name, labels);
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        self
    }

    /// The families of a ledger: events by outcome and reason, and those that wait.
    fn ledger(&mut self, events: Family, queued: Family, ledger: &Ledger) {
        self.family(events).sample(&["accepted", ""], ledger.accepted).sample(&["delivered", ""], ledger.delivered);
        for (reason, count) in &ledger.dropped {
            self.sample(&["dropped", reason], *count);
        }
        self.family(queued).sample(&[], ledger.queued);
    }

    /// A sample for each key, in the order of their names.
    fn samples<K>(&mut self, counts: &BTreeMap<K, u64>, name: impl Fn(&K) -> String) {
        let named: BTreeMap<_, _> = counts.iter().map(|(key, count)| (name(key), *count)).collect();
        for (name, count) in named {
            self.sample(&[&name], count);
        }
    }

    /// A sample with these values of the family's labels.
    fn sample(&mut self, values: &[&str], value: u64) -> &mut Self {
        debug_assert_eq!(self.labels.len(), values.len(), "{}", self.name);
        self.text.push_str(self.name);
        for (index, (label, text)) in self.labels.iter().zip(values).enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
            let _ = write!(self.text, "{before}{label}=\"{text}\"");
        }
        let after = if self.labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{after} {value}");
        self
    }
}

/// The memory that this process occupies.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1_024)
}
