//! One producer or consumer: its hooks count here.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::abi::coarse_now_ms;
use crate::counting::{
    Answered, Closed, Committed, Consumed, Counting, Hook, KeysTally, Merge, Sent, Shard, Statistics, Totals,
    WindowTally,
};
use crate::headers::{HeaderList, Plan};
use crate::reasons::Reasons;

const MICROSECONDS_IN_MILLISECOND: u64 = 1_000;
/// One call of so many is timed.
const TIMED_EVERY: u32 = 64;

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// What the client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Producer,
    Consumer,
}

impl Side {
    /// As records spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Producer => "producer",
            Self::Consumer => "consumer",
        }
    }
}

/// What is known of a client when it begins.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// From 1, within its reporter.
    pub(crate) number: u64,
    /// Where librdkafka has it.
    pub(crate) handle: usize,
    pub(crate) side: Side,
    pub(crate) client_id: Option<String>,
    pub(crate) group_id: Option<String>,
    /// Whether brokers are asked to acknowledge.
    pub(crate) are_acknowledged: bool,
    /// `<namespace>/<pod>`.
    pub(crate) pod: String,
    /// `message.max.bytes`.
    pub(crate) most_record_bytes: usize,
    /// Whether this librdkafka has functions for headers.
    pub(crate) has_header_functions: bool,
}

/// How many records wait in a client, asked of librdkafka.
pub(crate) type QueueLength = Box<dyn Fn() -> u64 + Send>;

/// The side of hooks is split in two, so that the application's threads and librdkafka's seldom wait for each other.
pub(crate) struct Client {
    pub(crate) about: About,
    pub(crate) reasons: Reasons,
    application: Mutex<Shard>,
    library: Mutex<Shard>,
    /// Statistics that came before; their differences are counted.
    totals: Mutex<Totals>,
    has_statistics: AtomicBool,
    queue_length: Mutex<Option<QueueLength>>,
    /// A hook has been called: librdkafka has finished making the client.
    is_made: AtomicBool,
    is_counting: AtomicBool,
    has_ended: AtomicBool,
    panics: [AtomicU64; 4],
}

/// What is to be reported of a client.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    pub(crate) windows: Vec<Closed<WindowTally>>,
    pub(crate) keys: Vec<Closed<KeysTally>>,
}

/// A call that is timed, or not.
struct Call(Option<Instant>);

impl Call {
    fn begin() -> Self {
        let number = CALLS.get();
        CALLS.set(number.wrapping_add(1));
        Self(number.is_multiple_of(TIMED_EVERY).then(Instant::now))
    }

    fn took_ns(&self) -> Option<u64> {
        self.0.map(|began| u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Client {
    /// One that counts nothing until it is told to.
    pub(crate) fn new(about: About, reasons: Reasons, counting: Counting, queue_length: QueueLength) -> Self {
        let now_ms = coarse_now_ms();
        let plan = Plan::of(&counting.settings, &about);
        Self {
            about,
            reasons,
            application: Mutex::new(Shard::new(counting.clone(), plan, now_ms)),
            library: Mutex::new(Shard::new(counting, None, now_ms)),
            totals: Mutex::default(),
            has_statistics: AtomicBool::new(false),
            queue_length: Mutex::new(Some(queue_length)),
            is_made: AtomicBool::new(false),
            is_counting: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            panics: [const { AtomicU64::new(0) }; 4],
        }
    }

    /// A record is to be sent, with these headers, of which some may be removed and to which others may be added.
    pub(crate) fn sent(&self, record: &Sent<'_>, headers: &mut impl HeaderList) {
        self.count(Hook::Send, &self.application, |shard, now_us| {
            shard.sent(record, headers, now_us / MICROSECONDS_IN_MILLISECOND);
        });
    }

    /// It is known what became of a record.
    pub(crate) fn answered(&self, record: Answered<'_>) {
        let record = record.judged(self.about.are_acknowledged);
        self.count(Hook::Acknowledgement, &self.library, |shard, now_us| {
            shard.answered(&record, now_us / MICROSECONDS_IN_MILLISECOND);
        });
    }

    /// A record is handed to the application.
    pub(crate) fn consumed(&self, record: &Consumed<'_>, headers: &impl HeaderList) {
        self.count(Hook::Consume, &self.application, |shard, now_us| shard.consumed(record, headers, now_us));
    }

    /// Offsets were, or were not, committed.
    pub(crate) fn committed<'a>(&self, offsets: impl Iterator<Item = Committed<'a>>) {
        self.count(Hook::Commit, &self.library, |shard, now_us| {
            offsets.for_each(|offset| shard.committed(&offset, now_us / MICROSECONDS_IN_MILLISECOND));
        });
    }

    fn count(&self, hook: Hook, shard: &Mutex<Shard>, count: impl FnOnce(&mut Shard, u64)) {
        if !self.is_made.load(Ordering::Relaxed) {
            self.is_made.store(true, Ordering::Release);
        }
        if !self.is_counting.load(Ordering::Relaxed) {
            return;
        }
        let call = Call::begin();
        let mut shard = unpoisoned(shard);
        // One look at one clock: at the exact one where a latency is counted by it.
        let now_us = if hook == Hook::Consume && shard.counting.latency {
            now_us()
        } else {
            coarse_now_ms().saturating_mul(MICROSECONDS_IN_MILLISECOND)
        };
        count(&mut shard, now_us);
        if let Some(tally) = shard.windows.at(now_us / MICROSECONDS_IN_MILLISECOND).hook(hook) {
            tally.add(call.took_ns());
        }
    }

    /// librdkafka's statistics; what cannot be read is nothing.
    pub(crate) fn said(&self, json: &[u8]) {
        let settings = Arc::clone(&unpoisoned(&self.library).counting.settings);
        let Some(statistics) = unpoisoned(&self.totals).next(json, &settings) else { return };
        self.has_statistics.store(true, Ordering::Relaxed);
        if self.is_counting.load(Ordering::Relaxed) {
            unpoisoned(&self.library).said(&statistics, coarse_now_ms());
        }
    }

    /// A hook of ours has panicked.
    pub(crate) fn panicked(&self, hook: Hook) {
        if let Some(count) = self.panics.get(hook as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// librdkafka must not be asked for anything of this client any more. Its threads may still call hooks.
    pub(crate) fn stop_asking(&self) {
        unpoisoned(&self.queue_length).take();
    }

    /// No hook is called any more.
    pub(crate) fn end(&self) {
        self.stop_asking();
        self.has_ended.store(true, Ordering::Release);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Count from now on, or do not.
    pub(crate) fn set_counting(&self, is_counting: bool) {
        self.is_counting.store(is_counting, Ordering::Relaxed);
    }

    /// How many records wait, if librdkafka may be asked and says nothing by itself.
    pub(crate) fn look_at_queue(&self) {
        if self.has_statistics.load(Ordering::Relaxed) || !self.is_made.load(Ordering::Acquire) {
            return;
        }
        let Some(records) = unpoisoned(&self.queue_length).as_ref().map(|length| length()) else { return };
        let statistics = Statistics { queued_records: Some(records), ..Statistics::default() };
        if self.is_counting.load(Ordering::Relaxed) {
            unpoisoned(&self.library).said(&statistics, coarse_now_ms());
        }
    }

    /// The windows that are over; all where the client has ended.
    pub(crate) fn harvest(&self, now_ms: u64) -> Harvest {
        let has_ended = self.has_ended();
        self.take_from_both(|shard| {
            if has_ended {
                let keys = shard.keys.length_ms();
                (shard.windows.close_all(now_ms, shard.windows.length_ms()), shard.keys.close_all(now_ms, keys))
            } else {
                (shard.windows.close(now_ms), shard.keys.close(now_ms))
            }
        })
    }

    /// Count as other settings say; what was counted by those before.
    pub(crate) fn obey(&self, counting: &Counting, now_ms: u64) -> Harvest {
        let settings = &counting.settings;
        let keys_ms = settings.keys_window_ms().unwrap_or(settings.window_ms);
        let harvest = self.take_from_both(|shard| {
            shard.counting = counting.clone();
            (shard.windows.close_all(now_ms, settings.window_ms), shard.keys.close_all(now_ms, keys_ms))
        });
        unpoisoned(&self.application).plan = Plan::of(settings, &self.about);
        harvest
    }

    fn take_from_both(
        &self,
        take: impl Fn(&mut Shard) -> (Vec<Closed<WindowTally>>, Vec<Closed<KeysTally>>),
    ) -> Harvest {
        let (windows, keys) = take(&mut unpoisoned(&self.application));
        let (more_windows, more_keys) = take(&mut unpoisoned(&self.library));
        let mut windows = joined(windows, more_windows);
        if let Some(last) = windows.last_mut() {
            for (tally, count) in last.counted.hooks.iter_mut().zip(&self.panics) {
                tally.errors = tally.errors.saturating_add(count.swap(0, Ordering::Relaxed));
            }
        }
        Harvest { windows, keys: joined(keys, more_keys) }
    }
}

/// Windows of the same time as one.
fn joined<T: Merge>(one: Vec<Closed<T>>, other: Vec<Closed<T>>) -> Vec<Closed<T>> {
    let mut all = BTreeMap::<u64, Closed<T>>::new();
    for closed in one.into_iter().chain(other) {
        match all.get_mut(&closed.start_ms) {
            Some(own) => own.counted.merge(&closed.counted),
            None => {
                all.insert(closed.start_ms, closed);
            }
        }
    }
    all.into_values().collect()
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// What is counted is whole after every step, so a panic spoils none of it.
pub(crate) fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Clients are shared between their hooks and the sender.
pub(crate) type Shared = Arc<Client>;
