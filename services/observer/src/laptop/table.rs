//! What passes, as lines for a person: who is connected, and what each client does with each topic.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use kwitness_observation::Sketch;
use kwitness_recording::{TimeLabels, TopicNames, TrafficLabels, TrafficSums, Window};
use tokio::time::Instant;

use super::options::Options;
use crate::counters::{Software, Total};
use crate::log::{kept, printable};

/// Lines of the table at most; the busiest come first.
const MOST_LINES: usize = 40;
/// From so many on, what was silent is forgotten.
const MOST_KEPT: usize = 10_000;
const CLEAR: &str = "\x1b[H\x1b[2J";

/// What was seen, since the start and since it was shown last.
pub(crate) struct Table {
    names: Arc<TopicNames>,
    is_redrawn: bool,
    shown: Instant,
    traffic: BTreeMap<TrafficLabels, Sums>,
    times: BTreeMap<TimeLabels, Sketch>,
    is_new: bool,
    connected: BTreeMap<Software, u64>,
    introduction: String,
}

/// What was seen since it was shown last, but for records and errors, which are since the start.
#[derive(Clone, Debug, Default)]
struct Sums {
    all_records: u64,
    requests: u64,
    records: u64,
    bytes: u64,
    errors: u64,
}

impl Sums {
    fn add(&mut self, new: &TrafficSums) {
        let errors = new.errors.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
        for (sum, more) in [
            (&mut self.all_records, new.records),
            (&mut self.requests, new.requests),
            (&mut self.records, new.records),
            (&mut self.bytes, new.record_bytes),
            (&mut self.errors, errors),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    const fn begin_again(&mut self) {
        *self = Self { all_records: self.all_records, errors: self.errors, requests: 0, records: 0, bytes: 0 };
    }
}

impl Table {
    /// Nothing was seen yet. A table is redrawn in its place on a terminal, and otherwise follows the one before.
    pub(crate) fn new(names: Arc<TopicNames>, is_redrawn: bool) -> Self {
        Self {
            names,
            is_redrawn,
            shown: Instant::now(),
            traffic: BTreeMap::new(),
            times: BTreeMap::new(),
            is_new: false,
            connected: BTreeMap::new(),
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
        let traffic = window.traffic(&self.names);
        self.is_new |= !traffic.is_empty();
        for (labels, new) in traffic {
            self.traffic.entry(labels).or_default().add(&new);
        }
        for (labels, sketch) in window.times(&self.names) {
            self.times.entry(labels).or_default().merge(&sketch);
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
        self.forget();
        self.traffic.values_mut().for_each(Sums::begin_again);
    }

    /// Clients that change their names all the time fill no memory: who was silent is forgotten, if there are many.
    fn forget(&mut self) {
        if self.traffic.len() > MOST_KEPT {
            self.traffic.retain(|_, sums| sums.requests > 0);
            let kept: BTreeSet<_> = self.traffic.keys().map(time_labels).collect();
            self.times.retain(|labels, _| kept.contains(labels));
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
        let header = [
            "client",
            "principal",
            "software",
            "api",
            "topic",
            "req/s",
            "records/s",
            "bytes/s",
            "errors",
            "p99",
            "records",
        ];
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

    fn row(&self, labels: &TrafficLabels, sums: &Sums, seconds: f64) -> Row {
        let known = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), printable);
        let TrafficLabels { api, topic, client } = labels;
        let software = format!("{} {}", known(&client.client_software_name), known(&client.client_software_version));
        let p99 = self.times.get(&time_labels(labels)).and_then(|times| times.percentile(99));
        [
            known(&client.client_id),
            known(&client.principal),
            software,
            api.clone(),
            known(topic),
            rate(sums.requests, seconds),
            rate(sums.records, seconds),
            rate(sums.bytes, seconds),
            sums.errors.to_string(),
            p99.map_or_else(|| "-".to_owned(), milliseconds),
            sums.all_records.to_string(),
        ]
    }
}

type Row = [String; 11];

/// What answers to these requests are labelled with.
fn time_labels(labels: &TrafficLabels) -> TimeLabels {
    let TrafficLabels { api, topic, client } = labels;
    TimeLabels { api: api.clone(), topic: topic.clone(), principal: client.principal.clone() }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for the eye")]
fn rate(count: u64, seconds: f64) -> String {
    format!("{:.0}", count as f64 / seconds.max(0.001))
}

#[expect(clippy::cast_precision_loss, reason = "a time for the eye")]
fn milliseconds(microseconds: u64) -> String {
    format!("{:.1} ms", microseconds as f64 / 1_000.0)
}

fn aligned(rows: &[Row]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let columns = rows.first().map_or(0, |row| row.len());
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
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
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use kwitness_observation::Sketch;
    use kwitness_recording::{ClientLabels, TopicNames, TrafficLabels, TrafficSums};

    use super::{MOST_KEPT, Table, time_labels};
    use crate::counters::Total;

    fn produced_by(number: usize) -> TrafficLabels {
        let client = ClientLabels {
            principal: Some("User:\u{1b}[2J".into()),
            client_id: Some(format!("client-{number}")),
            client_software_name: Some("librdkafka".into()),
            client_software_version: None,
        };
        TrafficLabels { api: "Produce".into(), topic: Some("orders".into()), client }
    }

    fn table_of(clients: usize) -> Table {
        let mut table = Table::new(Arc::new(TopicNames::new(1)), false);
        let new = TrafficSums {
            requests: 2,
            records: 7,
            record_bytes: 100,
            errors: BTreeMap::from([("6".into(), 1)]),
            ..TrafficSums::default()
        };
        (0..clients).for_each(|number| table.traffic.entry(produced_by(number)).or_default().add(&new));
        let mut took = Sketch::default();
        took.add(3_000);
        table.times.insert(time_labels(&produced_by(0)), took);
        table
    }

    #[test]
    fn a_row_has_rates_and_what_was_counted_since_the_start() {
        let mut table = table_of(1);
        let before = table.text(&Total::default(), 2.0);
        table.show(&Total::default());
        let after = table.text(&Total::default(), 2.0);
        let cells = |text: &str| text.lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>();

        let who = ["client-0", "User:?[2J", "librdkafka", "-", "Produce", "orders"];
        assert_eq!(cells(&before), [&who[..], &["1", "4", "50", "1", "3.0", "ms", "7"]].concat());
        assert_eq!(cells(&after), [&who[..], &["0", "0", "0", "1", "3.0", "ms", "7"]].concat());
    }

    #[test]
    fn clients_that_change_their_names_fill_no_memory() {
        let mut table = table_of(MOST_KEPT + 1);
        table.show(&Total::default());
        assert_eq!((table.traffic.len(), table.times.len()), (MOST_KEPT + 1, 1));
        table.show(&Total::default());
        assert_eq!((table.traffic.len(), table.times.len()), (0, 0));
    }
}
