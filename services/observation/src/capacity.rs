//! How many series all threads of a process may have together in a window.

use std::sync::Arc;

use super::budget::Budget;

/// Drawn at once, so that threads do not meet at each new series.
const LOT: u32 = 16;

/// Kinds of series, each with a limit of its own.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Clients.
    Identities,
    /// Topics.
    Topics,
    /// Clients with partitions.
    Partitions,
    /// Clients with APIs.
    Apis,
    /// Clients with topics.
    ByTopic,
    /// Topics of fetch sessions.
    Presence,
    /// Records that passed, by topic.
    Passed,
    /// Partitions of which clients committed offsets.
    Commits,
    /// Groups with topics and clients whose commits went back.
    CommitsBack,
}

/// Counts series by [`Kind`]. Threads end a window one after the other, so two windows are counted at once.
#[derive(Debug, Default)]
pub struct SeriesBudget([[Budget; 2]; 9]);

/// The places for series of one kind in one window.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// How many series there may be; more are drawn where there is a budget.
    has: usize,
    drawn: Option<Drawn>,
}

#[derive(Clone, Debug)]
struct Drawn {
    budget: Arc<SeriesBudget>,
    kind: Kind,
    most: u32,
    window: u32,
}

impl Capacity {
    /// So many places.
    #[must_use]
    pub const fn of_at_most(most: usize) -> Self {
        Self { has: most, drawn: None }
    }

    /// Drawn from a budget of at most so many in this window, of which there is another number after it.
    #[must_use]
    pub fn drawn(budget: Arc<SeriesBudget>, kind: Kind, most: usize, window: u32) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self { has: 0, drawn: Some(Drawn { budget, kind, most, window }) }
    }

    /// Returns true if there may be one more beside so many.
    pub fn has_more_than(&mut self, count: usize) -> bool {
        if count >= self.has
            && let Some(Drawn { budget, kind, most, window }) = &self.drawn
            && let Some(windows) = budget.0.get(*kind as usize)
            && let Some(budget) = windows.get(usize::from(!window.is_multiple_of(2)))
        {
            self.has = self.has.saturating_add(budget.draw(LOT, *most, *window) as usize);
        }
        count < self.has
    }
}
