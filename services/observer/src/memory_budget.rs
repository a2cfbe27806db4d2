//! Bounds what all connections of the process keep: held responses, remembered requests and bytes that peers do not take.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use crate::settings::Limits;
use crate::sync::lock_ignoring_poison;

/// Bytes of a connection that the budget does not count, so that one that keeps little never waits.
pub(crate) const FREE_BYTES: usize = 8 << 10;
/// The budget where the container has no memory limit.
const UNLIMITED_BYTES: usize = 256 << 20;
/// The part of the container's memory limit: as much is needed for the queue, windows and idle connections.
const PART_OF_LIMIT: usize = 4;
const CGROUP_LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// Bytes that all connections share.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    limit: AtomicUsize,
    used: AtomicUsize,
    waits: AtomicU64,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    /// The connection that may exceed the budget.
    holder: Option<u64>,
    /// Connections that wait, by their numbers.
    waiting: BTreeMap<u64, Waker>,
}

/// The budget as metrics show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) used: u64,
    pub(crate) limit: u64,
    /// How often a connection began to wait.
    pub(crate) waits: u64,
}

impl MemoryBudget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        let (used, waits) = (AtomicUsize::new(0), AtomicU64::new(0));
        Arc::new(Self { limit: AtomicUsize::new(limit), used, waits, queue: Mutex::default() })
    }

    /// As settings limit it.
    pub(crate) fn from_limits(limits: &Limits) -> Arc<Self> {
        Self::new(limit(limits))
    }

    /// Have it limited by these settings from now on.
    pub(crate) fn follow(&self, limits: &Limits) {
        let limit = limit(limits);
        if self.limit.swap(limit, Relaxed) < limit {
            self.wake();
        }
    }

    pub(crate) fn usage(&self) -> Usage {
        let number = |count: &AtomicUsize| u64::try_from(count.load(Relaxed)).unwrap_or(u64::MAX);
        Usage { used: number(&self.used), limit: number(&self.limit), waits: self.waits.load(Relaxed) }
    }

    fn is_full(&self) -> bool {
        self.used.load(Relaxed) >= self.limit.load(Relaxed)
    }

    fn wake(&self) {
        let waiting = std::mem::take(&mut lock_ignoring_poison(&self.queue).waiting);
        waiting.into_values().for_each(Waker::wake);
    }
}

/// The budget that settings give, or else the container's memory limit.
fn limit(limits: &Limits) -> usize {
    limits.max_buffer_bytes.unwrap_or_else(default_limit)
}

fn default_limit() -> usize {
    let limit = CGROUP_LIMITS.iter().find_map(|file| std::fs::read_to_string(Path::new(file)).ok());
    limit_of(limit.as_deref().unwrap_or_default())
}

/// Version 1 of cgroups writes a number beyond every machine's memory where there is no limit.
fn limit_of(text: &str) -> usize {
    let limit = text.trim().parse::<u64>().ok().filter(|limit| *limit < 1 << 50);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    limit.map_or(UNLIMITED_BYTES, |limit| limit.div_euclid(PART_OF_LIMIT))
}

/// The part of the budget that one connection uses.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<MemoryBudget>,
    /// The connection's number.
    number: u64,
    counted: usize,
    is_waiting: bool,
    /// It may exceed the budget.
    has_turn: bool,
}

impl Reservation {
    pub(crate) const fn new(budget: Arc<MemoryBudget>, number: u64) -> Self {
        Self { budget, number, counted: 0, is_waiting: false, has_turn: false }
    }

    /// Returns true if nothing more may be kept.
    pub(crate) fn is_full(&mut self) -> bool {
        let is_full = self.budget.is_full();
        self.is_waiting &= is_full;
        is_full
    }

    /// The connection keeps so many bytes now.
    pub(crate) fn set(&mut self, bytes: usize) {
        let counted = bytes.saturating_sub(FREE_BYTES);
        let before = std::mem::replace(&mut self.counted, counted);
        if counted > before {
            self.budget.used.fetch_add(counted.saturating_sub(before), Relaxed);
        } else if counted < before {
            let was_full = self.is_full();
            self.budget.used.fetch_sub(before.saturating_sub(counted), Relaxed);
            if was_full && !self.is_full() {
                self.budget.wake();
            }
        }
        if self.has_turn && (counted == 0 || !self.is_full()) {
            self.end_turn();
        }
    }

    fn end_turn(&mut self) {
        self.has_turn = false;
        lock_ignoring_poison(&self.budget.queue).holder = None;
        self.budget.wake();
    }

    /// Returns true if the connection may keep more; otherwise it is woken when it may be so.
    ///
    /// Parameter `in_turn`: one connection of those that need this may go on though the budget is full.
    pub(crate) fn may_keep_more(&mut self, cx: &Context<'_>, in_turn: bool) -> bool {
        if !self.is_full() {
            return true;
        }
        let mut queue = lock_ignoring_poison(&self.budget.queue);
        // Looked at again under the lock: who makes room now wakes those that are in the queue.
        let is_full = self.budget.is_full();
        self.has_turn |= is_full && in_turn && *queue.holder.get_or_insert(self.number) == self.number;
        let may = !is_full || (in_turn && self.has_turn);
        if !may {
            queue.waiting.insert(self.number, cx.waker().clone());
            if !self.is_waiting {
                self.budget.waits.fetch_add(1, Relaxed);
            }
            self.is_waiting = true;
        }
        may
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        lock_ignoring_poison(&self.budget.queue).waiting.remove(&self.number);
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn without_room_one_connection_goes_on_and_the_next_is_woken_when_it_is_done() {
        let budget = MemoryBudget::new(100);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let cx = Context::from_waker(&waker);
        let [mut first, mut second, mut third] = [1, 2, 3].map(|number| Reservation::new(Arc::clone(&budget), number));
        assert!(first.may_keep_more(&cx, false));
        first.set(FREE_BYTES + 100);

        assert!(second.may_keep_more(&cx, true));
        second.set(FREE_BYTES + 50);
        assert!(!third.may_keep_more(&cx, true) && !third.may_keep_more(&cx, false));
        assert_eq!(budget.usage(), Usage { used: 150, limit: 100, waits: 1 });
        assert_eq!(woken.0.load(Relaxed), 0);

        second.set(0);
        assert_eq!(woken.0.load(Relaxed), 1);
        assert!(third.may_keep_more(&cx, true));
        assert!(!second.may_keep_more(&cx, true));

        drop((first, third));
        assert_eq!(woken.0.load(Relaxed), 2);
        assert!(second.may_keep_more(&cx, false));
        assert_eq!(budget.usage(), Usage { used: 0, limit: 100, waits: 2 });
    }

    #[test]
    fn the_limit_is_a_quarter_of_the_containers() {
        assert_eq!(limit_of("536870912\n"), 128 << 20);
        assert_eq!(
            (limit_of("max\n"), limit_of("9223372036854771712"), limit_of("")),
            (256 << 20, 256 << 20, 256 << 20)
        );
    }
}
