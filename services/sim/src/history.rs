//! Holds the history of a run: bytes, rows and counts of each process for the checker, and a line for each event.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use crate::frames::{Answered, Request};

/// Shared by everything that is simulated.
pub(crate) type Shared = Rc<RefCell<History>>;

/// Everything that happened.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) lines: Vec<String>,
    pub(crate) clients: Vec<Rc<RefCell<ClientSide>>>,
    pub(crate) relayed: Vec<Rc<RefCell<Relayed>>>,
    pub(crate) brokers: Vec<Rc<RefCell<BrokerSide>>>,
    pub(crate) processes: Vec<Rc<RefCell<Process>>>,
    pub(crate) collected: Collected,
}

/// A connection as its client knows it.
#[derive(Debug, Default)]
pub(crate) struct ClientSide {
    /// Its own port.
    pub(crate) port: u16,
    pub(crate) sent: Vec<u8>,
    pub(crate) got: Vec<u8>,
    /// The requests, each with its end in the bytes that are sent.
    pub(crate) requests: Vec<(usize, Request)>,
    /// It has read the end of the other side.
    pub(crate) saw_end: bool,
}

/// A connection as its broker knows it.
#[derive(Debug, Default)]
pub(crate) struct BrokerSide {
    /// The observer's port.
    pub(crate) port: u16,
    pub(crate) got: Vec<u8>,
    pub(crate) sent: Vec<u8>,
    pub(crate) answers: Vec<Answer>,
    /// It has read the end of the other side.
    pub(crate) saw_end: bool,
}

/// A broker's answer, as it sends it and as the client must get it.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its end in the bytes that are sent.
    pub(crate) end: usize,
    pub(crate) for_client: Vec<u8>,
    pub(crate) request: Request,
    pub(crate) answered: Vec<Answered>,
}

/// A connection as the relay's two streams know it.
#[derive(Debug)]
pub(crate) struct Relayed {
    /// The number of the observer's process.
    pub(crate) process: usize,
    pub(crate) client_port: u16,
    pub(crate) broker_port: u16,
    pub(crate) client: Rc<RefCell<Tape>>,
    pub(crate) broker: Rc<RefCell<Tape>>,
    /// How it ended, unless its process was killed.
    pub(crate) end: Option<String>,
}

/// The bytes of one stream of the relay.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    pub(crate) read: Vec<u8>,
    pub(crate) written: Vec<u8>,
    /// The other side ended in good order.
    pub(crate) saw_end: bool,
    /// The relay closed it by a reset, which turmoil has none of: its other side may see an end where bytes are missing.
    pub(crate) is_reset: bool,
}

/// A process of the observer.
#[derive(Debug, Default)]
pub(crate) struct Process {
    /// By which its rows are known.
    pub(crate) epoch: u64,
    /// Counts of its windows, by the port that the broker sees.
    pub(crate) counted: BTreeMap<u16, Counts>,
    /// How its ledger ended, unless it was killed.
    pub(crate) ledger: Option<Ledger>,
}

/// Requests and records that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    pub(crate) records: u64,
}

/// A ledger as a collector reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    pub(crate) accepted: u64,
    pub(crate) delivered: u64,
    pub(crate) queued: u64,
    pub(crate) dropped: BTreeMap<String, u64>,
}

/// Rows on the collector's disk.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// By epoch and number.
    pub(crate) rows: BTreeMap<(u64, u64), Row>,
    pub(crate) totals: BTreeSet<(u64, u64)>,
    pub(crate) rejected: BTreeSet<(u64, u64)>,
    /// Ledgers as they came, with how many rows of their epoch were there, by epoch.
    pub(crate) ledgers: Vec<(u64, Ledger, u64)>,
    /// Requests that came, answered or not.
    pub(crate) requests: u64,
    /// Errors in what senders sent.
    pub(crate) nonsense: Vec<String>,
}

/// A row, or the seal of some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) topic: String,
    pub(crate) counts: Counts,
    pub(crate) seal: Option<Seal>,
}

/// A seal's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) topic: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) count: u64,
    pub(crate) dropped: u64,
}

impl Ledger {
    pub(crate) fn closes(&self) -> bool {
        self.accepted == self.delivered + self.queued + self.lost()
    }

    pub(crate) fn lost(&self) -> u64 {
        self.dropped.values().sum()
    }
}

impl Process {
    /// Returns the counts of all connections.
    pub(crate) fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        self.counted.values().for_each(|counts| sum += *counts);
        sum
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.records += other.records;
    }
}

impl History {
    /// Returns true once the last process has told the collector that nothing waits.
    pub(crate) fn is_settled(&self) -> bool {
        let last = self.processes.last().map(|process| process.borrow().epoch);
        self.collected.ledgers.last().is_some_and(|(epoch, ledger, _)| Some(*epoch) == last && ledger.queued == 0)
    }

    /// Note an event of a host that runs now.
    pub(crate) fn note(&mut self, what: impl std::fmt::Display) {
        self.note_at(turmoil::sim_elapsed().unwrap_or_default(), what);
    }

    pub(crate) fn note_at(&mut self, at: Duration, what: impl std::fmt::Display) {
        self.lines.push(format!("{:>6} {what}", at.as_millis()));
    }

    /// All of it as text: equal runs have equal texts.
    pub(crate) fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        for side in &self.clients {
            let side = side.borrow();
            let (sent, got) = (digest(&side.sent), digest(&side.got));
            let _ = write!(text, "\nclient {} sent {sent} got {got} {}", side.port, side.saw_end);
        }
        for relayed in &self.relayed {
            let relayed = relayed.borrow();
            let (client, broker) = (relayed.client.borrow(), relayed.broker.borrow());
            let tapes = [&client.read, &broker.written, &broker.read, &client.written].map(|bytes| digest(bytes));
            let (from, to, end) = (relayed.client_port, relayed.broker_port, relayed.end.as_deref());
            let _ = write!(text, "\nrelayed {from} to {to} {tapes:?} {}", end.unwrap_or("killed"));
        }
        for side in &self.brokers {
            let side = side.borrow();
            let (sent, got) = (digest(&side.sent), digest(&side.got));
            let _ = write!(text, "\nbroker {} sent {sent} got {got} {}", side.port, side.saw_end);
        }
        for process in &self.processes {
            let _ = write!(text, "\n{:?}", process.borrow());
        }
        let _ = writeln!(text, "\n{:#?}", self.collected);
        text
    }
}

/// Length and FNV-1a hash.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mix = |all: u64, byte: &u8| (all ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{}:{:016x}", bytes.len(), bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix))
}
