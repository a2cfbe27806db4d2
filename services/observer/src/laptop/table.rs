//! What passes, as lines for a person: who is connected, and what each client does with each topic.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use kwitness_wire::aggregate::{RESPONSE_TIME_BOUNDS_US, Source, TopicNames, Window, Writer};
use serde::Deserialize;
use tokio::time::Instant;

use super::Options;
use crate::counters::{Software, Total};
use crate::log::{kept, printable};

/// Lines of the table at most; the busiest come first.
const MOST_LINES: usize = 40;
const CLEAR: &str = "\x1b[H\x1b[2J";

/// What was seen, since the start and since it was shown last.
pub(crate) struct Table {
    writer: Writer,
    names: Arc<TopicNames>,
    is_redrawn: bool,
    shown: Instant,
    traffic: BTreeMap<Labels, Sums>,
    times: BTreeMap<(String, Option<String>), Vec<u64>>,
    is_new: bool,
    connected: HashMap<Software, u64>,
    introduction: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Labels {
    client_id: Option<String>,
    client_software_name: Option<String>,
    client_software_version: Option<String>,
    api: String,
    topic: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    all_records: u64,
    requests: u64,
    records: u64,
    bytes: u64,
    errors: u64,
}

/// A part of a window's totals, as [`Writer::totals`] writes it.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    traffic: Vec<Traffic>,
    #[serde(default)]
    times: Vec<Time>,
}

#[derive(Deserialize)]
struct Traffic {
    #[serde(flatten)]
    labels: Labels,
    requests: u64,
    records: u64,
    record_bytes: u64,
    errors: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Time {
    api: String,
    topic: Option<String>,
    counts: Vec<u64>,
}

impl Table {
    /// Nothing was seen yet. A table is redrawn in its place on a terminal, and otherwise follows the one before.
    pub(crate) fn new(names: Arc<TopicNames>, is_redrawn: bool) -> Self {
        let source = Source {
            name: "laptop".to_owned(),
            epoch_ms: 0,
            cluster_id: "laptop".to_owned(),
            reported_by: "laptop".to_owned(),
            observer_mode: "laptop".to_owned(),
        };
        Self {
            writer: Writer::new(source, 1),
            names,
            is_redrawn,
            shown: Instant::now(),
            traffic: BTreeMap::new(),
            times: BTreeMap::new(),
            is_new: false,
            connected: HashMap::new(),
            introduction: String::new(),
        }
    }

    /// Say where clients have to connect.
    pub(crate) fn begin(&mut self, options: &Options) {
        let brokers: Vec<_> = options.bootstrap.iter().map(ToString::to_string).collect();
        self.introduction = format!(
            "Relaying to {}. Point clients at bootstrap.servers={}; end with Ctrl-C.\n",
            brokers.join(","),
            options.listen
        );
        if !self.is_redrawn {
            print(&self.introduction);
        }
    }

    /// Add what was new in a window.
    pub(crate) fn take(&mut self, window: &Window) {
        for part in self.writer.totals(window, &self.names) {
            let Ok(part) = serde_json::from_str::<Part>(&part.json) else { continue };
            self.is_new |= !part.traffic.is_empty();
            for one in part.traffic {
                let sums = self.traffic.entry(one.labels).or_default();
                let errors = one.errors.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
                for (sum, more) in [
                    (&mut sums.all_records, one.records),
                    (&mut sums.requests, one.requests),
                    (&mut sums.records, one.records),
                    (&mut sums.bytes, one.record_bytes),
                    (&mut sums.errors, errors),
                ] {
                    *sum = sum.saturating_add(more);
                }
            }
            for one in part.times {
                let counts = self.times.entry((one.api, one.topic)).or_default();
                counts.resize(counts.len().max(one.counts.len()), 0);
                counts.iter_mut().zip(one.counts).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            }
        }
    }

    /// Show rates since the last time, and begin to count them again; nothing where lines follow each other and nothing is new.
    pub(crate) fn show(&mut self, total: &Total) {
        let seconds = self.shown.elapsed().as_secs_f64();
        self.shown = Instant::now();
        if self.is_redrawn {
            print(&format!("{CLEAR}{}\n{}\n{}", self.introduction, self.text(total, seconds), kept()));
        } else if std::mem::take(&mut self.is_new) || self.connected != total.rare.software {
            print(&self.text(total, seconds));
            self.connected.clone_from(&total.rare.software);
        }
        for sums in self.traffic.values_mut() {
            *sums = Sums { all_records: sums.all_records, errors: sums.errors, ..Sums::default() };
        }
    }

    fn text(&self, total: &Total, seconds: f64) -> String {
        let mut text = String::new();
        let mut software: Vec<_> = total.rare.software.iter().filter(|(_, count)| **count > 0).collect();
        software.sort_by(|one, other| other.1.cmp(one.1).then_with(|| one.0.cmp(other.0)));
        for ((name, version), count) in software.into_iter().take(MOST_LINES) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "connected  {name} {version}: {count}");
        }
        let header =
            ["client", "software", "api", "topic", "req/s", "records/s", "bytes/s", "errors", "p99", "records"];
        let mut rows = vec![header.map(str::to_owned)];
        let mut lines: Vec<_> = self.traffic.iter().collect();
        lines.sort_by(|one, other| other.1.bytes.cmp(&one.1.bytes).then_with(|| one.0.cmp(other.0)));
        for (labels, sums) in lines.into_iter().take(MOST_LINES) {
            rows.push(self.row(labels, sums, seconds));
        }
        if rows.len() > 1 {
            text.push_str(&aligned(&rows));
        }
        text
    }

    fn row(&self, labels: &Labels, sums: &Sums, seconds: f64) -> [String; 10] {
        let known = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), printable);
        let software = format!("{} {}", known(&labels.client_software_name), known(&labels.client_software_version));
        let times = self.times.get(&(labels.api.clone(), labels.topic.clone()));
        [
            known(&labels.client_id),
            software,
            labels.api.clone(),
            known(&labels.topic),
            rate(sums.requests, seconds),
            rate(sums.records, seconds),
            rate(sums.bytes, seconds),
            sums.errors.to_string(),
            times.map_or_else(|| "-".to_owned(), |counts| p99(counts)),
            sums.all_records.to_string(),
        ]
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
fn rate(count: u64, seconds: f64) -> String {
    format!("{:.0}", count as f64 / seconds.max(0.001))
}

/// The bound below which 99 of 100 answers came.
fn p99(counts: &[u64]) -> String {
    let all = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    let beyond = all.div_euclid(100);
    let mut left = all;
    for (count, bound) in counts.iter().zip(RESPONSE_TIME_BOUNDS_US) {
        left = left.saturating_sub(*count);
        if left <= beyond {
            return format!("<{} ms", bound.div_ceil(1_000));
        }
    }
    ">30 s".to_owned()
}

fn aligned(rows: &[[String; 10]]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..10).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    // Whoever reads it may have gone.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::p99;

    #[test]
    fn of_a_hundred_answers_one_may_be_late() {
        let mut counts = [0; 15];
        (counts[0], counts[14]) = (99, 1);
        assert_eq!(p99(&counts), "<1 ms");
        counts[14] = 2;
        assert_eq!(p99(&counts), ">30 s");
    }
}
