//! Seals that wait: what is lost of the rows that they are about is written into them before they go.

use std::collections::{BTreeMap, VecDeque};

use kwitness_observation::Row;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The topic of seals, without its prefix.
const SEALS: &str = "seals";

type Lost = BTreeMap<String, u64>;

/// The seals among the rows of a queue.
#[derive(Debug, Default)]
pub(crate) struct Seals {
    waiting: VecDeque<Seal>,
    /// Of rows whose seal is not written yet, by topic.
    unsealed: BTreeMap<String, Lost>,
    /// The last number that was sealed, by topic.
    sealed: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Seal {
    seq: u64,
    names: Names,
    lost: Lost,
}

/// What a seal is about.
#[derive(Debug, Deserialize)]
struct Names {
    topic: String,
    first_seq: u64,
    last_seq: u64,
}

impl Names {
    fn have(&self, row: &Row) -> bool {
        self.topic == row.topic && (self.first_seq..=self.last_seq).contains(&row.seq)
    }
}

impl Seals {
    /// A row comes into the queue.
    pub(crate) fn came(&mut self, row: &Row) {
        let Some(names) = names(row) else { return };
        self.sealed.insert(names.topic.clone(), names.last_seq);
        let lost = self.unsealed.remove(&names.topic).unwrap_or_default();
        self.waiting.push_back(Seal { seq: row.seq, names, lost });
    }

    /// A row has left the queue, delivered or lost.
    pub(crate) fn left(&mut self, row: &Row) {
        if row.topic == SEALS {
            self.waiting.retain(|seal| seal.seq != row.seq);
        }
    }

    /// A row that is no seal was given up for this reason. Where its seal was given up before it, nobody is told.
    pub(crate) fn lost(&mut self, row: &Row, reason: &str) {
        if row.topic == SEALS {
            return;
        }
        let is_sealed = self.sealed.get(row.topic).is_some_and(|last| row.seq <= *last);
        let lost = match self.waiting.iter_mut().find(|seal| seal.names.have(row)) {
            Some(seal) => &mut seal.lost,
            None if is_sealed => return,
            None => self.unsealed.entry(row.topic.to_owned()).or_default(),
        };
        let count = lost.entry(reason.to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// Returns true if this row is a seal of one of these: it goes when nothing can be lost of them any more.
    pub(crate) fn is_of_any<'a>(&self, row: &Row, mut rows: impl Iterator<Item = &'a Row>) -> bool {
        self.seal_of(row).is_some_and(|seal| rows.any(|row| seal.names.have(row)))
    }

    /// The row as it is sent now.
    pub(crate) fn written(&self, row: &Row) -> Row {
        let lost = self.seal_of(row).map(|seal| &seal.lost).filter(|lost| !lost.is_empty());
        let line = lost.and_then(|lost| with_losses(&row.line, lost));
        Row { line: line.unwrap_or_else(|| row.line.clone()), ..row.clone() }
    }

    /// The seal that this row is.
    fn seal_of(&self, row: &Row) -> Option<&Seal> {
        self.waiting.iter().find(|seal| row.topic == SEALS && seal.seq == row.seq)
    }
}

fn names(row: &Row) -> Option<Names> {
    if row.topic == SEALS { serde_json::from_slice(&row.line).ok() } else { None }
}

/// A seal from whose count these are taken.
fn with_losses(line: &[u8], lost: &Lost) -> Option<Vec<u8>> {
    let mut seal: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let count = seal.get("count")?.as_u64()?.saturating_sub(lost.values().sum());
    seal.insert("count".to_owned(), count.into());
    let dropped = seal.get_mut("dropped")?.as_object_mut()?;
    for (reason, count) in lost {
        let before = dropped.get(reason).and_then(Value::as_u64).unwrap_or_default();
        dropped.insert(reason.clone(), before.saturating_add(*count).into());
    }
    serde_json::to_vec(&seal).ok()
}
