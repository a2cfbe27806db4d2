//! The thread that sends: one request at a time, and nothing that anybody waits for.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kwitness_observation::IdentityPolicy;
use kwitness_reporting::{Acknowledging, Body, Directive, Failure, Item, Queue, Verdicts, owner_of};
use serde_json::{Value, json};

use super::http::Http;
use super::pace::Pace;
use super::progress::Progress;
use super::rows::{Numbers, Reported, Source, Unnumbered};
use super::totals::Sums;
use crate::abi::coarse_now_ms;
use crate::client::{Client, Harvest, Side};
use crate::counting::{Counting, begin};
use crate::plugin::Plugin;
use crate::settings::{Collector, Settings};
use crate::settings_file::SettingsFile;

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the thread has.
pub(crate) struct Sender {
    plugin: &'static Plugin,
    file: SettingsFile,
    settings: Arc<Settings>,
    policy: IdentityPolicy,
    directive: Option<Directive>,
    source: Source,
    numbers: Numbers,
    queue: Queue,
    progress: Progress,
    /// What of the ledger was told as dropped.
    told: BTreeMap<String, u64>,
    http: Http,
    acknowledging: Acknowledging,
    pace: Pace,
    /// Something was settled by the last answer, which nobody was told of.
    has_news: bool,
    /// The process ends, and nothing is left to be sent.
    has_ended: bool,
}

/// What a request has come to.
enum Outcome {
    /// It was answered, and so many items are to be sent again, after so many milliseconds.
    Settled { again: usize, after_ms: u64 },
    /// It came to nothing.
    Failed(Failure),
}

impl Sender {
    pub(crate) fn new(plugin: &'static Plugin, file: SettingsFile, settings: Arc<Settings>) -> Self {
        let reporter = &plugin.reporter;
        let source = Source { name: reporter.source(), reporter: reporter.name.clone(), epoch_ms: reporter.epoch_ms };
        Self {
            plugin,
            file,
            policy: settings.identity_policy(),
            settings,
            directive: None,
            source,
            numbers: Numbers::new(1),
            queue: Queue::new(1),
            progress: Progress::from(reporter.epoch_ms),
            told: BTreeMap::new(),
            http: Http::default(),
            acknowledging: Acknowledging::default(),
            pace: Pace::new(),
            has_news: false,
            has_ended: false,
        }
    }

    /// Until the process ends.
    pub(crate) fn run(mut self) {
        loop {
            let (wanted, ends) = self.plugin.wake.sleep(LOOK_EVERY);
            // A panic ends the turn alone: without the next ones windows would be kept for nobody.
            let _ = catch_unwind(AssertUnwindSafe(|| self.turn(ends)));
            // Whoever waits has waited for this: what could not be sent is tried again, but nobody waits for that.
            self.plugin.wake.finish(wanted);
        }
    }

    /// Look at the settings, take what is counted, and send what is due; `ends` says that nothing follows.
    fn turn(&mut self, ends: bool) {
        self.look_at_settings();
        if ends {
            self.plugin.clients().iter().for_each(|client| client.end());
        }
        self.harvest();
        // Without a collector what waits goes on to wait.
        let settings = Arc::clone(&self.settings);
        let Some(collector) = &settings.collector else { return };
        // The last word says what the answer before it has settled.
        while self.pace.is_due(Instant::now(), !self.queue.is_empty() || self.has_news && !ends) {
            self.send(&settings, collector);
        }
        if ends && self.queue.is_empty() {
            self.has_ended = true;
            self.send(&settings, collector);
        }
    }

    /// The file has changed, or a directive has come.
    fn look_at_settings(&mut self) {
        let settings = self.file.look();
        // The file of the key may come, and change, without the settings.
        self.policy = settings.as_ref().unwrap_or(&self.settings).identity_policy();
        if let Some(settings) = settings {
            let (before, next) = (Counting::of(Arc::clone(&self.settings)), Counting::of(Arc::clone(&settings)));
            self.plugin.count_as(&next);
            let now_ms = coarse_now_ms();
            let mut taken = Taken::default();
            for client in self.plugin.clients() {
                taken.add(&client, &self.policy, &before, &self.source, &client.obey(&next, now_ms));
            }
            self.put(taken);
            self.settings = settings;
        }
        let Settings { hash, suspend, .. } = &*self.settings;
        let is_suspended = Directive::or_settings(self.directive.as_ref(), hash, *suspend);
        if self.plugin.is_suspended.swap(is_suspended, Ordering::Relaxed) != is_suspended {
            self.plugin.clients().iter().for_each(|client| client.set_counting(!is_suspended));
        }
    }

    /// Take the windows that are over.
    fn harvest(&mut self) {
        let counting = Counting::of(Arc::clone(&self.settings));
        let now_ms = coarse_now_ms();
        let mut taken = Taken::default();
        for client in self.plugin.clients() {
            if counting.statistics {
                client.look_at_queue();
            }
            // An ended client is forgotten after its last windows were taken, which hooks of its own do not fill again.
            let has_ended = client.has_ended();
            taken.add(&client, &self.policy, &counting, &self.source, &client.harvest(now_ms));
            if has_ended {
                self.plugin.forget(&client);
            }
        }
        self.put(taken);
        self.progress.add(begin(now_ms, self.settings.window_ms), self.numbers.next());
    }

    fn put(&mut self, taken: Taken) {
        let Taken { rows, sums } = taken;
        if rows.is_empty() || self.settings.collector.is_none() {
            return;
        }
        let (queue, limit) = (&mut self.queue, self.settings.limits.queue_bytes);
        rows.write(&self.source, &self.settings.cluster_id, &mut self.numbers, &mut |row| {
            queue.push(Item::Row(row), limit);
        });
        let dropped = new_drops(&mut self.told, &queue.ledger().dropped);
        for totals in sums.parts(&dropped, &mut self.numbers) {
            queue.push(Item::Totals(totals), limit);
        }
    }

    fn send(&mut self, settings: &Settings, collector: &Collector) {
        self.pace.begin(Instant::now());
        self.has_news = false;
        let batch = self.queue.send(self.pace.most());
        let body = self.body(settings, &batch);
        let outcome = self.post(collector, &body);
        self.judge(&outcome, batch.len());
    }

    fn post(&mut self, collector: &Collector, body: &[u8]) -> Outcome {
        let ordinal = owner_of(&self.plugin.reporter.pod, collector.replicas);
        let Some((status, answer)) = self.http.post(collector, ordinal, body) else {
            return Outcome::Failed(Failure::Again);
        };
        if let Some(failure) = Failure::from_status(status) {
            return Outcome::Failed(failure);
        }
        // Somebody else may answer at the collector's address.
        let verdicts = Verdicts::parse(&answer).filter(|verdicts| verdicts.replica == ordinal);
        let Some(verdicts) = verdicts else { return Outcome::Failed(Failure::Slowly) };
        if self.acknowledging.accept(&collector.url, &verdicts.collector).is_err() {
            return Outcome::Failed(Failure::Slowly);
        }
        if verdicts.directive.is_some() {
            self.directive.clone_from(&verdicts.directive);
        }
        Outcome::Settled { again: self.queue.settle(&verdicts), after_ms: verdicts.retry_after_ms }
    }

    fn judge(&mut self, outcome: &Outcome, sent: usize) {
        let now = Instant::now();
        match *outcome {
            Outcome::Settled { again, after_ms } => {
                // Who is killed before it says so leaves these in doubt.
                self.has_news = sent > again;
                return self.pace.answered(now, (again > 0).then_some(Duration::from_millis(after_ms)));
            }
            Outcome::Failed(Failure::Unreadable(reason)) => {
                if sent <= 1 {
                    self.queue.give_up(reason);
                }
                self.pace.halve(sent);
                self.pace.failed(now);
            }
            Outcome::Failed(Failure::Again) => self.pace.failed(now),
            Outcome::Failed(Failure::Slowly) => self.pace.failed_for_long(now),
        }
        self.queue.come_back();
    }

    /// The head, and a line for each row.
    fn body(&mut self, settings: &Settings, batch: &[Item]) -> Vec<u8> {
        let body = Body::from_items(batch);
        let rest = json!({
            "schema": "kwitness.interceptor_events/1",
            "source": self.source.name,
            "epoch": self.source.epoch_ms,
            "cluster_id": settings.cluster_id,
            "profile": {"namespace": settings.namespace, "name": settings.name},
            "runtime": "librdkafka",
            "reporter": self.source.reporter,
            "process_id": std::process::id(),
            "container": self.plugin.reporter.container,
            "workload": settings.workload,
            "attributes": settings.attributes,
            "version": env!("CARGO_PKG_VERSION"),
            "settled": self.queue.settled(),
            "sent_at_ms": coarse_now_ms(),
            "rows": body.rows,
            "state": self.state(settings),
        });
        body.write(rest)
    }

    fn state(&mut self, settings: &Settings) -> Value {
        let sealed_until_ms = self.progress.settle(self.queue.settled());
        let clients = self.plugin.clients();
        let open = |side: Side| clients.iter().filter(|one| one.about.side == side && !one.has_ended()).count();
        let clients: Vec<_> = [Side::Producer, Side::Consumer]
            .map(|side| json!({"side": side.name(), "clients": open(side)}))
            .into_iter()
            .collect();
        let ledger = self.queue.ledger();
        json!({
            "settings": settings.hash,
            "suspended": self.plugin.is_suspended.load(Ordering::Relaxed),
            "lacks_identity_key": self.policy.lacks_key(),
            "clients": clients,
            "not_intercepted": self.plugin.not_intercepted(),
            "unusable": self.plugin.unusable(settings),
            "ledger": ledger,
            "sealed_until_ms": sealed_until_ms,
            "ended": self.has_ended,
        })
    }
}

/// What was harvested, before it has numbers.
#[derive(Default)]
struct Taken {
    rows: Unnumbered,
    sums: Sums,
}

impl Taken {
    fn add(
        &mut self,
        client: &Client,
        policy: &IdentityPolicy,
        counting: &Counting,
        source: &Source,
        harvest: &Harvest,
    ) {
        let reported = Reported::new(&client.about, policy);
        self.rows.add(client, &reported, counting, source, harvest);
        self.sums.add(client, &reported, counting, harvest);
    }
}

/// What was dropped since the last time.
fn new_drops(told: &mut BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let new = |(reason, count): (&String, &u64)| {
        let before = told.get(reason).copied().unwrap_or_default();
        (reason.clone(), count.saturating_sub(before))
    };
    let drops = now.iter().map(new).filter(|(_, count)| *count > 0).collect();
    told.clone_from(now);
    drops
}

#[cfg(test)]
mod tests {
    use kwitness_observation::Row;
    use kwitness_reporting::Item;

    use super::Sender;
    use crate::abi::ProcessMark;
    use crate::plugin::Plugin;
    use crate::settings_file::SettingsFile;

    #[test]
    fn what_waits_while_there_is_no_collector_keeps_the_thread_from_nothing() {
        let file = std::env::temp_dir().join(format!("kwitness-{}.json", std::process::id()));
        let text = r#"{"installation":"main","cluster_id":"c","namespace":"shop","name":"orders","suspend":false,
            "interceptors":[{"type":"Audit","name":"audit"}],"attributes":{"team":"shop"},"collector":null}"#;
        std::fs::write(&file, text).unwrap();
        let plugin = Box::leak(Box::new(Plugin::new(ProcessMark::new(), "shop/orders-1".to_owned())));
        let (opened, settings) = SettingsFile::open(file.clone()).unwrap();
        let mut sender = Sender::new(plugin, opened, settings.clone());
        let head: serde_json::Value = serde_json::from_slice(&sender.body(&settings, &[])).unwrap();
        assert_eq!(head["attributes"]["team"], "shop");
        sender.queue.push(Item::Row(Row { seq: 1, topic: "interceptions", key: String::new(), line: vec![] }), 1 << 20);

        sender.turn(true);

        assert_eq!((sender.queue.ledger().queued, sender.has_ended), (1, false));
        std::fs::remove_file(file).unwrap();
    }
}
