//! Windows of time that are open.

use std::collections::BTreeMap;
use std::mem;

/// What is counted, by windows that begin at whole multiples of their length since 1970.
#[derive(Debug)]
pub(crate) struct Windows<T> {
    length_ms: u64,
    /// By their start, in milliseconds since 1970.
    open: BTreeMap<u64, T>,
    /// No window that begins before it is opened again; a multiple of the length.
    opens_from_ms: u64,
    /// The start of the window of the last time that was asked for; a multiple of the length.
    last_ms: u64,
}

/// A window that nothing is added to any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed<T> {
    pub(crate) start_ms: u64,
    pub(crate) end_ms: u64,
    pub(crate) counted: T,
}

impl<T: Default> Windows<T> {
    /// None is open yet, and none that ended before now will be.
    pub(crate) const fn new(length_ms: u64, now_ms: u64) -> Self {
        let length_ms = if length_ms == 0 { 1 } else { length_ms };
        Self { length_ms, open: BTreeMap::new(), opens_from_ms: begin(now_ms, length_ms), last_ms: 0 }
    }

    /// The window of this time, or the oldest one that may still be open: a clock may be set back.
    pub(crate) fn at(&mut self, time_ms: u64) -> &mut T {
        // A division takes longer than the rest.
        let since = time_ms.checked_sub(self.last_ms).filter(|since| *since < self.length_ms);
        if since.is_none() {
            self.last_ms = begin(time_ms, self.length_ms);
        }
        self.open.entry(self.last_ms.max(self.opens_from_ms)).or_default()
    }

    /// Those that have ended.
    pub(crate) fn close(&mut self, now_ms: u64) -> Vec<Closed<T>> {
        self.opens_from_ms = self.opens_from_ms.max(begin(now_ms, self.length_ms));
        let open = self.open.split_off(&self.opens_from_ms);
        mem::replace(&mut self.open, open).into_iter().map(closing(self.length_ms)).collect()
    }

    /// All of them: nothing more comes, or windows have another length from now on.
    pub(crate) fn close_all(&mut self, now_ms: u64, next_length_ms: u64) -> Vec<Closed<T>> {
        let length_ms = mem::replace(&mut self.length_ms, next_length_ms.max(1));
        self.last_ms = 0;
        let closed: Vec<_> = mem::take(&mut self.open).into_iter().map(closing(length_ms)).collect();
        let end_ms = closed.last().map_or(0, |closed| closed.end_ms);
        let next = self.length_ms;
        // A window of the new length that begins no earlier than the last of the old one ends.
        self.opens_from_ms = begin(end_ms.saturating_add(next).saturating_sub(1), next).max(begin(now_ms, next));
        closed
    }

    /// The length of windows that begin from now on.
    pub(crate) const fn length_ms(&self) -> u64 {
        self.length_ms
    }
}

fn closing<T>(length_ms: u64) -> impl Fn((u64, T)) -> Closed<T> {
    move |(start_ms, counted)| Closed { start_ms, end_ms: start_ms.saturating_add(length_ms), counted }
}

/// The start of the window of this length that has this time.
pub(crate) const fn begin(time_ms: u64, length_ms: u64) -> u64 {
    time_ms.saturating_sub(match time_ms.checked_rem(length_ms) {
        Some(rest) => rest,
        None => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::{Closed, Windows};

    fn starts(closed: &[Closed<u64>]) -> Vec<(u64, u64, u64)> {
        closed.iter().map(|one| (one.start_ms, one.end_ms, one.counted)).collect()
    }

    #[test]
    fn a_window_is_closed_when_it_has_ended() {
        let mut windows = Windows::<u64>::new(10, 100);
        *windows.at(100) += 1;
        *windows.at(109) += 2;
        *windows.at(125) += 4;

        assert_eq!(windows.close(109), []);
        assert_eq!(starts(&windows.close(110)), [(100, 110, 3)]);
        assert_eq!(starts(&windows.close(1_000)), [(120, 130, 4)]);
    }

    #[test]
    fn a_clock_that_is_set_back_opens_no_window_again() {
        let mut windows = Windows::<u64>::new(10, 100);
        *windows.at(149) += 1;
        assert_eq!(starts(&windows.close(155)), [(140, 150, 1)]);

        *windows.at(3) += 2;
        *windows.at(141) += 4;
        assert_eq!(windows.close(142), []);
        *windows.at(142) += 8;
        *windows.at(151) += 16;

        assert_eq!(starts(&windows.close(1_000)), [(150, 160, 30)]);
    }

    #[test]
    fn another_length_begins_after_the_last_window_of_the_old_one() {
        let mut windows = Windows::<u64>::new(10, 100);
        *windows.at(101) += 1;

        assert_eq!(starts(&windows.close_all(105, 60)), [(100, 110, 1)]);
        *windows.at(106) += 2;
        assert_eq!(starts(&windows.close_all(106, 60)), [(120, 180, 2)]);
    }
}
