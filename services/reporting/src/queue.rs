//! What waits for the collector.

use std::collections::VecDeque;

use kwitness_observation::{Row, Totals};

use super::answer::Verdicts;
use super::ledger::Ledger;
use super::seals::Seals;

/// Most rows of one request.
const MOST_ROWS: usize = 4_096;
/// Most bytes of one request that items take; what is left to a mebibyte is for the head.
const MOST_BYTES: usize = 768 << 10;
/// What a row takes in the head beside its key.
const ROW_OVERHEAD: usize = 128;

/// Something with a number.
#[derive(Clone, Debug)]
pub enum Item {
    /// A record.
    Row(Row),
    /// What is new since the last window.
    Totals(Totals),
}

impl Item {
    /// The number.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        match self {
            Self::Row(row) => row.seq,
            Self::Totals(totals) => totals.seq,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Row(row) => row.line.len().saturating_add(row.key.len()).saturating_add(ROW_OVERHEAD),
            Self::Totals(totals) => totals.json.len().saturating_add(ROW_OVERHEAD),
        }
    }

    const fn rows(&self) -> u64 {
        matches!(self, Self::Row(_)) as u64
    }

    const fn row(&self) -> Option<&Row> {
        match self {
            Self::Row(row) => Some(row),
            Self::Totals(_) => None,
        }
    }
}

/// A queue bounded in bytes. When it is full the oldest item goes, but for those that are on their way.
#[derive(Debug)]
pub struct Queue {
    items: VecDeque<Item>,
    bytes: usize,
    on_their_way: usize,
    next: u64,
    ledger: Ledger,
    seals: Seals,
}

impl Queue {
    /// An empty one; `first` is the number that comes first.
    #[must_use]
    pub fn new(first: u64) -> Self {
        let (items, seals) = (VecDeque::new(), Seals::default());
        Self { items, bytes: 0, on_their_way: 0, next: first, ledger: Ledger::default(), seals }
    }

    /// The ledger as it is now.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns true if nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Every number below it is final.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.items.front().map_or(self.next, Item::seq)
    }

    /// Take an item, whose number is above those before.
    pub fn push(&mut self, item: Item, limit: usize) {
        self.next = item.seq().saturating_add(1);
        self.ledger.accepted = self.ledger.accepted.saturating_add(item.rows());
        self.ledger.queued = self.ledger.queued.saturating_add(item.rows());
        self.bytes = self.bytes.saturating_add(item.bytes());
        item.row().into_iter().for_each(|row| self.seals.came(row));
        self.items.push_back(item);
        while self.bytes > limit && self.items.len() > self.on_their_way {
            self.drop_at(self.on_their_way, "queue_full");
        }
    }

    /// Rows were not made, for this reason: their seal says so already.
    pub fn leave_out(&mut self, reason: &str, rows: u64) {
        self.ledger.accepted = self.ledger.accepted.saturating_add(rows);
        let dropped = self.ledger.dropped.entry(reason.to_owned()).or_default();
        *dropped = dropped.saturating_add(rows);
    }

    /// The next request: items by rising numbers, at most `most` of them. They stay until they are settled. A seal waits
    /// until the rows that it is about are settled.
    pub fn send(&mut self, most: usize) -> Vec<Item> {
        let (mut bytes, mut batch) = (0_usize, Vec::new());
        for item in self.items.iter().take(most.min(MOST_ROWS)) {
            bytes = bytes.saturating_add(item.bytes());
            if bytes > MOST_BYTES && !batch.is_empty() {
                break;
            }
            batch.push(match item {
                Item::Row(row) if self.seals.is_of_any(row, batch.iter().filter_map(Item::row)) => break,
                Item::Row(row) => Item::Row(self.seals.written(row)),
                Item::Totals(_) => item.clone(),
            });
        }
        self.on_their_way = batch.len();
        batch
    }

    /// What was on its way has come to nothing, and is sent again.
    pub const fn come_back(&mut self) {
        self.on_their_way = 0;
    }

    /// What was on its way was judged; how many of it are to be sent again.
    pub fn settle(&mut self, verdicts: &Verdicts) -> usize {
        let mut at = 0;
        for _ in 0..std::mem::take(&mut self.on_their_way) {
            let Some(seq) = self.items.get(at).map(Item::seq) else { break };
            if verdicts.are_taken(seq) {
                let rows = self.take_at(at).map_or(0, |item| item.rows());
                self.ledger.delivered = self.ledger.delivered.saturating_add(rows);
            } else if let Some(reason) = verdicts.rejected(seq) {
                self.drop_at(at, reason);
            } else {
                at = at.saturating_add(1);
            }
        }
        at
    }

    /// Give up what was on its way.
    pub fn give_up(&mut self, reason: &str) {
        for _ in 0..std::mem::take(&mut self.on_their_way) {
            self.drop_at(0, reason);
        }
    }

    fn drop_at(&mut self, at: usize, reason: &str) {
        if let Some(Item::Row(row)) = self.take_at(at) {
            self.seals.lost(&row, reason);
            let dropped = self.ledger.dropped.entry(reason.to_owned()).or_default();
            *dropped = dropped.saturating_add(1);
        }
    }

    fn take_at(&mut self, at: usize) -> Option<Item> {
        let item = self.items.remove(at)?;
        self.bytes = self.bytes.saturating_sub(item.bytes());
        self.ledger.queued = self.ledger.queued.saturating_sub(item.rows());
        item.row().into_iter().for_each(|row| self.seals.left(row));
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use kwitness_observation::Row;

    use super::{Item, Ledger, Queue, Verdicts};

    fn row(seq: u64) -> Item {
        Item::Row(Row { seq, topic: "traffic", key: String::new(), line: vec![b'x'; 1000] })
    }

    fn seal(seq: u64, first: u64, last: u64) -> Item {
        let line = serde_json::json!({
            "schema": "kwitness.seals/1", "topic": "traffic", "first_seq": first, "last_seq": last,
            "count": (first..=last).count(), "dropped": {"window_full": 1},
        });
        Item::Row(Row { seq, topic: "seals", key: String::new(), line: line.to_string().into_bytes() })
    }

    fn sealed(items: &[Item]) -> (u64, serde_json::Value) {
        let [Item::Row(row)] = items else { panic!("{items:?}") };
        let line: serde_json::Value = serde_json::from_slice(&row.line).unwrap();
        (line["count"].as_u64().unwrap(), line["dropped"].clone())
    }

    fn verdicts(members: &str) -> Verdicts {
        let text = format!(r#"{{"protocol":2,"collector":"n/c","replica":0,{members}}}"#);
        Verdicts::parse(text.as_bytes()).unwrap()
    }

    fn closes(ledger: &Ledger) -> bool {
        let parts = ledger.dropped.values().chain([&ledger.delivered, &ledger.queued]);
        ledger.accepted == parts.sum::<u64>()
    }

    fn seqs(items: &[Item]) -> Vec<u64> {
        items.iter().map(Item::seq).collect()
    }

    #[test]
    fn the_oldest_goes_when_it_is_full_but_for_what_is_on_its_way() {
        let mut queue = Queue::new(1);
        (1..=3).for_each(|seq| queue.push(row(seq), 10_000));
        assert_eq!(seqs(&queue.send(2)), [1, 2]);
        (4..=6).for_each(|seq| queue.push(row(seq), 4_600));

        assert_eq!(queue.ledger().dropped.get("queue_full"), Some(&2));
        queue.come_back();
        assert_eq!(seqs(&queue.send(9)), [1, 2, 5, 6]);
        assert!(closes(queue.ledger()));
        assert_eq!(queue.settled(), 1);
    }

    #[test]
    fn what_was_left_out_before_it_could_wait_is_in_the_ledger() {
        let mut queue = Queue::new(1);
        queue.push(row(1), 10_000);

        queue.leave_out("events_limit", 2);
        queue.leave_out("events_limit", 3);

        assert_eq!((queue.ledger().accepted, queue.ledger().dropped.get("events_limit")), (6, Some(&5)));
        assert!(closes(queue.ledger()));
    }

    #[test]
    fn what_is_not_listed_is_sent_again_and_the_ledger_closes() {
        let mut queue = Queue::new(1);
        (1..=6).for_each(|seq| queue.push(row(seq), 100_000));
        queue.send(5);
        let verdicts = Verdicts::parse(
            r#"{"protocol":2,"collector":"n/c","replica":0,"accepted":"1-2","duplicates":"4","later":"3",
                "rejected":[{"seq":5,"reason":"BadRow","message":"m"}],"retry_after_ms":0,"directives":{}}"#
                .as_bytes(),
        )
        .unwrap();

        assert_eq!(queue.settle(&verdicts), 1);
        assert_eq!(seqs(&queue.send(9)), [3, 6]);
        assert_eq!(queue.settled(), 3);
        let ledger = queue.ledger();
        assert_eq!((ledger.delivered, ledger.queued, ledger.dropped.get("BadRow")), (3, 2, Some(&1)));
        assert!(closes(ledger));
    }

    #[test]
    fn a_seal_goes_when_its_rows_are_settled_and_names_those_that_were_lost_after_it_was_written() {
        let mut queue = Queue::new(1);
        (1..=4).for_each(|seq| queue.push(row(seq), 100_000));
        queue.push(seal(5, 1, 4), 100_000);
        queue.push(row(6), 100_000);

        assert_eq!(seqs(&queue.send(9)), [1, 2, 3, 4]);
        queue.settle(&verdicts(r#""accepted":"1-2","rejected":[{"seq":3,"reason":"BadRow"}]"#));
        assert_eq!(seqs(&queue.send(9)), [4], "one of its rows is not settled");
        queue.settle(&verdicts(r#""accepted":"4""#));
        assert_eq!(sealed(&queue.send(1)), (3, serde_json::json!({"window_full": 1, "BadRow": 1})));
        queue.settle(&verdicts(r#""accepted":"5""#));
        assert_eq!(seqs(&queue.send(9)), [6]);
        assert!(closes(queue.ledger()));
    }

    #[test]
    fn a_seal_names_rows_that_were_lost_before_it_was_written() {
        let mut queue = Queue::new(1);
        (1..=4).for_each(|seq| queue.push(row(seq), 2_300));
        queue.push(seal(5, 1, 4), 3_000);
        queue.push(row(6), 100_000);
        queue.push(seal(7, 6, 6), 100_000);

        assert_eq!(seqs(&queue.send(9)), [3, 4]);
        queue.settle(&verdicts(r#""accepted":"3-4""#));
        assert_eq!(sealed(&queue.send(1)), (2, serde_json::json!({"window_full": 1, "queue_full": 2})));
        queue.settle(&verdicts(r#""accepted":"5""#));
        queue.send(1);
        queue.settle(&verdicts(r#""accepted":"6""#));
        assert_eq!(sealed(&queue.send(9)), (1, serde_json::json!({"window_full": 1})));
    }

    #[test]
    fn rows_whose_seal_was_lost_are_in_no_other_seal() {
        let mut queue = Queue::new(1);
        (1..=2).for_each(|seq| queue.push(row(seq), 100_000));
        queue.push(seal(3, 1, 2), 100_000);
        assert_eq!(seqs(&queue.send(9)), [1, 2]);
        queue.push(row(4), 2_300); // the seal goes: what is on its way stays
        queue.give_up("refused");
        queue.push(row(5), 100_000);
        queue.push(seal(6, 4, 5), 100_000);

        let dropped = &queue.ledger().dropped;
        assert_eq!((dropped.get("queue_full"), dropped.get("refused")), (Some(&2), Some(&2)));
        queue.send(9);
        queue.settle(&verdicts(r#""accepted":"4-5""#));
        assert_eq!(sealed(&queue.send(9)), (1, serde_json::json!({"window_full": 1, "queue_full": 1})));
    }
}
