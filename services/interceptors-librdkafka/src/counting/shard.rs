//! What one side of a client counts: the threads of the application, or those of librdkafka.

use super::failures::RECORD_REFUSED;
use super::hook::{Counting, Hook};
use super::keys::KeyTally;
use super::record::{Answered, Committed, Consumed, Sent};
use super::statistics::Statistics;
use super::tally::{PartitionTally, TopicTally};
use super::topics::{Merge, Topics};
use super::windows::Windows;
use crate::headers::{HeaderCounts, HeaderList, Plan, Record};

/// Calls of one hook; some of them are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HookTally {
    pub(crate) calls: u64,
    pub(crate) errors: u64,
    timed: u64,
    timed_ns: u64,
}

impl HookTally {
    /// One call, and how long it took if it was timed.
    pub(crate) fn add(&mut self, took_ns: Option<u64>) {
        self.calls = self.calls.saturating_add(1);
        if let Some(took_ns) = took_ns {
            self.timed = self.timed.saturating_add(1);
            self.timed_ns = self.timed_ns.saturating_add(took_ns);
        }
    }

    /// The time of all calls, in nanoseconds, if each took as long as those that were timed.
    pub(crate) fn time_ns(&self) -> u64 {
        let scaled = u128::from(self.timed_ns).saturating_mul(self.calls.into());
        let all = scaled.checked_div(self.timed.into()).unwrap_or_default();
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

impl Merge for HookTally {
    fn merge(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.errors = self.errors.saturating_add(other.errors);
        self.timed = self.timed.saturating_add(other.timed);
        self.timed_ns = self.timed_ns.saturating_add(other.timed_ns);
    }
}

/// All of one window.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowTally {
    pub(crate) topics: Option<Topics<TopicTally>>,
    pub(crate) headers: Option<HeaderCounts>,
    /// In the order of [`Hook::ALL`].
    pub(crate) hooks: [HookTally; 4],
    pub(crate) statistics: Option<Statistics>,
}

impl WindowTally {
    pub(crate) fn hook(&mut self, hook: Hook) -> Option<&mut HookTally> {
        self.hooks.get_mut(hook as usize)
    }
}

impl Merge for WindowTally {
    fn merge(&mut self, other: &Self) {
        add_to(&mut self.topics, other.topics.as_ref());
        add_to(&mut self.headers, other.headers.as_ref());
        self.hooks.iter_mut().zip(&other.hooks).for_each(|(own, theirs)| own.merge(theirs));
        add_to(&mut self.statistics, other.statistics.as_ref());
    }
}

impl Merge for HeaderCounts {
    fn merge(&mut self, other: &Self) {
        Self::merge(self, other);
    }
}

/// Keys of one window.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeysTally(pub(crate) Option<Topics<KeyTally>>);

impl Merge for KeysTally {
    fn merge(&mut self, other: &Self) {
        add_to(&mut self.0, other.0.as_ref());
    }
}

fn add_to<T: Merge + Clone>(own: &mut Option<T>, theirs: Option<&T>) {
    let Some(theirs) = theirs else { return };
    if let Some(own) = own {
        own.merge(theirs);
    } else {
        *own = Some(theirs.clone());
    }
}

/// Open windows, and what is counted in them.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) counting: Counting,
    /// What is done with headers.
    pub(crate) plan: Option<Plan>,
    pub(crate) windows: Windows<WindowTally>,
    pub(crate) keys: Windows<KeysTally>,
}

const MICROSECONDS_IN_MILLISECOND: u64 = 1_000;

impl Shard {
    pub(crate) fn new(counting: Counting, plan: Option<Plan>, now_ms: u64) -> Self {
        let settings = &counting.settings;
        let windows = Windows::new(settings.window_ms, now_ms);
        let keys = Windows::new(settings.keys_window_ms().unwrap_or(settings.window_ms), now_ms);
        Self { counting, plan, windows, keys }
    }

    /// A record is to be sent now.
    pub(crate) fn sent(&mut self, record: &Sent<'_>, headers: &mut impl HeaderList, now_ms: u64) {
        if !self.counting.settings.selects(record.topic) {
            return;
        }
        let (audit, sizes) = (self.counting.audit, self.counting.sizes);
        let tally = self.topic(record.topic, now_ms);
        if audit {
            tally.sent = tally.sent.saturating_add(1);
        }
        if sizes {
            tally.size(record.key, record.value_bytes);
        }
        self.key(record.topic, record.key, now_ms);
        let Self { plan: Some(plan), windows, .. } = self else { return };
        let bytes = record.key.map_or(0, <[u8]>::len).saturating_add(record.value_bytes);
        let record = Record { topic: record.topic, bytes, now_ms };
        let outcome = plan.send(record, headers, &mut windows.at(now_ms).headers);
        for (anomaly, is_one) in [("not_removable", outcome.is_not_removable), ("no_room", outcome.has_no_room)] {
            if is_one {
                self.topic(record.topic, now_ms).anomalies.add(anomaly);
            }
        }
    }

    /// It is known now what became of a record.
    pub(crate) fn answered(&mut self, record: &Answered<'_>, now_ms: u64) {
        if !self.counting.settings.selects(record.topic) {
            return;
        }
        let (audit, latency) = (self.counting.audit, self.counting.latency);
        let most = self.counting.settings.limits.partitions;
        let tally = self.topic(record.topic, now_ms);
        if record.error != 0 {
            if audit {
                tally.failures.add(record.error);
            }
            return;
        }
        if audit {
            tally.acknowledged = tally.acknowledged.saturating_add(1);
            if let Some(partition) = tally.known_partition(record.partition, most) {
                partition.acknowledged = partition.acknowledged.saturating_add(1);
                partition.offsets.add(record.offset, record.offset);
            }
        }
        if let (true, Some(after_us)) = (latency, record.after_us) {
            tally.acknowledgement_time.add(after_us);
        }
    }

    /// A record is handed to the application now, in microseconds since 1970: exactly, where latencies are counted.
    pub(crate) fn consumed(&mut self, record: &Consumed<'_>, headers: &impl HeaderList, now_us: u64) {
        let at_ms = now_us / MICROSECONDS_IN_MILLISECOND;
        if !self.counting.settings.selects(record.topic) {
            return;
        }
        let Counting { audit, latency, sizes, .. } = self.counting;
        let most = self.counting.settings.limits.partitions;
        let tally = self.topic(record.topic, at_ms);
        if audit {
            tally.consumed = tally.consumed.saturating_add(1);
            if let Some(partition) = tally.known_partition(record.partition, most) {
                partition.consumed = partition.consumed.saturating_add(1);
                partition.offsets.add(record.offset, record.offset);
            }
        }
        if sizes {
            tally.size(record.key, record.value_bytes);
        }
        if let (true, Some(timestamp_ms)) = (latency, record.timestamp_ms) {
            match now_us.checked_sub(timestamp_ms.saturating_mul(MICROSECONDS_IN_MILLISECOND)) {
                Some(age_us) => tally.end_to_end.add(age_us),
                None => tally.anomalies.add("negative_latency"),
            }
        }
        self.key(record.topic, record.key, at_ms);
        if let Self { plan: Some(plan), windows, .. } = self {
            plan.consume(record.topic, headers, &mut windows.at(at_ms).headers);
        }
    }

    /// An offset was, or was not, committed.
    pub(crate) fn committed(&mut self, commit: &Committed<'_>, now_ms: u64) {
        // Below 0 there was none to commit.
        if !self.counting.audit || commit.offset < 0 || !self.counting.settings.selects(commit.topic) {
            return;
        }
        let most = self.counting.settings.limits.partitions;
        let tally = self.topic(commit.topic, now_ms);
        if commit.error != 0 {
            tally.commit_failures.add(commit.error);
            return;
        }
        tally.commits = tally.commits.saturating_add(1);
        if let Some(partition) = tally.known_partition(commit.partition, most) {
            partition.committed = Some(commit.offset);
        }
    }

    /// Statistics have come.
    pub(crate) fn said(&mut self, statistics: &Statistics, now_ms: u64) {
        if self.counting.statistics {
            self.windows.at(now_ms).statistics.get_or_insert_default().merge(statistics);
        }
    }

    fn topic(&mut self, topic: &[u8], at_ms: u64) -> &mut TopicTally {
        let most = self.counting.settings.limits.topics;
        self.windows.at(at_ms).topics.get_or_insert_with(|| Topics::new(most)).of(topic)
    }

    fn key(&mut self, topic: &[u8], key: Option<&[u8]>, now_ms: u64) {
        if self.counting.keys {
            let most = self.counting.settings.limits.topics;
            self.keys.at(now_ms).0.get_or_insert_with(|| Topics::new(most)).of(topic).add(key);
        }
    }
}

impl TopicTally {
    fn size(&mut self, key: Option<&[u8]>, value_bytes: usize) {
        let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let (key, value) = (wide(key.map_or(0, <[u8]>::len)), wide(value_bytes));
        self.key_bytes = self.key_bytes.saturating_add(key);
        self.value_bytes = self.value_bytes.saturating_add(value);
        self.sizes.add(key.saturating_add(value));
    }

    fn known_partition(&mut self, partition: i32, most: usize) -> Option<&mut PartitionTally> {
        if partition < 0 { None } else { self.partition(partition, most) }
    }
}

impl Answered<'_> {
    /// librdkafka says no error of the records of a batch of which a broker refused several, and names no offset. Nor does
    /// it where none was asked for, and where the broker had stored the batch before but forgotten at which offset.
    #[must_use]
    pub(crate) const fn judged(mut self, are_acknowledged: bool) -> Self {
        if are_acknowledged && !self.is_persisted && self.error == 0 && self.offset < 0 && self.partition >= 0 {
            self.error = RECORD_REFUSED;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Counting, Shard, WindowTally};
    use crate::counting::failures::RECORD_REFUSED;
    use crate::counting::{Answered, Closed, Sent};
    use crate::headers::listed;
    use crate::settings::Settings;

    /// Acknowledged by a broker, 25 ms after it was sent.
    const ACKNOWLEDGED: Answered<'_> =
        Answered { topic: b"orders", partition: 0, offset: 7, error: 0, is_persisted: true, after_us: Some(25_000) };

    fn shard() -> Shard {
        let text = r#"{"installation":"main","cluster_id":"c","namespace":"shop","name":"orders","suspend":false,
            "interceptors":[{"type":"Audit","name":"audit"},{"type":"Latency","name":"latency"}],"window_ms":1000,
            "collector":null}"#;
        Shard::new(Counting::of(Arc::new(Settings::parse(text.as_bytes()).unwrap())), None, 0)
    }

    /// Start of each window, and records sent, acknowledged and given up in it.
    fn counts(closed: &[Closed<WindowTally>]) -> Vec<(u64, u64, u64, u64)> {
        let topics =
            closed.iter().filter_map(|one| Some((one.start_ms, one.counted.topics.as_ref()?.iter().next()?.1)));
        topics
            .map(|(start_ms, tally)| {
                let failures = tally.failures.iter().map(|(_, count)| count).sum();
                (start_ms, tally.sent, tally.acknowledged, failures)
            })
            .collect()
    }

    #[test]
    fn what_became_of_a_record_counts_when_that_is_known() {
        let mut shard = shard();
        let sent = Sent { topic: b"orders", key: None, value_bytes: 1 };

        shard.sent(&sent, &mut listed(&[]), 990);
        shard.sent(&sent, &mut listed(&[]), 995);
        shard.answered(&ACKNOWLEDGED, 1_015);
        shard.answered(&Answered { error: -192, ..ACKNOWLEDGED }, 2_000);

        assert_eq!(counts(&shard.windows.close(3_000)), [(0, 2, 0, 0), (1_000, 0, 1, 0), (2_000, 0, 0, 1)]);
    }

    #[test]
    fn a_record_without_an_offset_is_refused_unless_the_broker_has_it_or_was_not_asked() {
        let nameless = Answered { offset: -1, ..ACKNOWLEDGED };
        let lost = Answered { is_persisted: false, ..nameless };

        let errors = [
            ACKNOWLEDGED.judged(true),
            // Of a batch that is there since a request whose answer was lost.
            nameless.judged(true),
            lost.judged(false),
            lost.judged(true),
        ]
        .map(|record| record.error);
        assert_eq!(errors, [0, 0, 0, RECORD_REFUSED]);
    }

    #[test]
    fn a_record_that_the_broker_has_without_an_offset_is_acknowledged_and_no_range() {
        let mut shard = shard();
        shard.answered(&Answered { offset: -1, ..ACKNOWLEDGED }.judged(true), 10);

        let closed = shard.windows.close(1_000);
        let tally = closed[0].counted.topics.as_ref().unwrap().iter().next().unwrap().1;
        let (_, partition) = tally.partitions.iter().next().unwrap();
        assert_eq!((tally.acknowledged, partition.acknowledged, partition.offsets.kept().len()), (1, 1, 0));
    }
}
