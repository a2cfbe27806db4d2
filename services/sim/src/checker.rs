//! Checks a history: bytes, counts, rows and ledgers.

use std::collections::BTreeMap;
use std::fmt;

use crate::frames::{FETCH, PRODUCE};
use crate::history::{Answer, BrokerSide, ClientSide, Counts, History, Relayed, Seal};

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    connections: usize,
    whole: usize,
    pub(crate) counted: Counts,
    rows: usize,
    lost: u64,
    processes: usize,
    killed: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connections, whole, counted, rows, lost, processes, killed } = self;
        let Counts { requests, records } = counted;
        write!(
            formatter,
            "{connections} connections, {whole} of them whole; {requests} requests, {records} records; {rows} rows, \
             {lost} dropped; {processes} processes, {killed} killed"
        )
    }
}

/// Returns how much there was, and the errors in it.
pub(crate) fn check(history: &History) -> (Summary, Vec<String>) {
    let mut checker = Checker { wrong: Vec::new(), summary: Summary::default() };
    checker.bytes(history);
    checker.counts(history);
    checker.rows(history);
    checker.ledgers(history);
    checker.wrong.extend(history.collected.nonsense.iter().map(|what| format!("the collector got {what}")));
    (checker.summary, checker.wrong)
}

struct Checker {
    wrong: Vec<String>,
    summary: Summary,
}

impl Checker {
    fn must(&mut self, holds: bool, otherwise: impl fmt::Display) {
        if !holds {
            self.wrong.push(otherwise.to_string());
        }
    }

    fn bytes(&mut self, history: &History) {
        let clients: BTreeMap<u16, _> = history.clients.iter().map(|side| (side.borrow().port, side)).collect();
        let brokers: BTreeMap<u16, _> = history.brokers.iter().map(|side| (side.borrow().port, side)).collect();
        self.must(
            clients.len() == history.clients.len() && brokers.len() == history.brokers.len(),
            "a port was used twice",
        );
        for relayed in &history.relayed {
            let relayed = relayed.borrow();
            match (clients.get(&relayed.client_port), brokers.get(&relayed.broker_port)) {
                (Some(client), Some(broker)) => self.connection(&client.borrow(), &relayed, &broker.borrow()),
                // Who connected may be killed, or have given up, before it knows that it is connected.
                (None, _) => self.must(relayed.client.borrow().read.is_empty(), "bytes came of no client"),
                (_, None) => self.must(relayed.broker.borrow().read.is_empty(), "bytes came of no broker"),
            }
        }
    }

    fn connection(&mut self, client: &ClientSide, relayed: &Relayed, broker: &BrokerSide) {
        let of = format!("connection {} to {}", relayed.client_port, relayed.broker_port);
        let (from_client, from_broker) = (relayed.client.borrow(), relayed.broker.borrow());
        let answers: Vec<u8> = broker.answers.iter().flat_map(|answer| answer.for_client.clone()).collect();
        for (what, whole, part) in [
            ("the relay read of the client what it did not send", &client.sent, &from_client.read),
            ("the relay wrote to the broker what it did not read", &from_client.read, &from_broker.written),
            ("the broker got what the relay did not write", &from_broker.written, &broker.got),
            ("the relay read of the broker what it did not send", &broker.sent, &from_broker.read),
            ("the relay wrote to the client what the broker did not answer", &answers, &from_client.written),
            ("the client got what the relay did not write", &from_client.written, &client.got),
        ] {
            self.must(
                whole.starts_with(part),
                format_args!("{of}: {what}, within {} of {} bytes", part.len(), whole.len()),
            );
        }
        let complete: usize = complete(broker, from_broker.read.len()).map(|answer| answer.for_client.len()).sum();
        self.summary.connections += 1;
        let ended = matches!(relayed.end.as_deref(), Some("client" | "broker"));
        let is_reset = from_client.is_reset || from_broker.is_reset;
        if !ended || is_reset {
            return;
        }
        if from_client.saw_end && broker.saw_end {
            self.must(broker.got == client.sent, format_args!("{of}: the broker has not all that was sent"));
        }
        if from_broker.saw_end && client.saw_end {
            self.must(client.got.len() >= complete, format_args!("{of}: the client has not all that was answered"));
        }
        if from_client.saw_end && from_broker.saw_end && client.saw_end && broker.saw_end {
            self.summary.whole += 1;
            let is_equal = client.got.len() == complete && broker.sent == from_broker.read;
            self.must(is_equal, format_args!("{of}: it ended in order, and not all answers have come"));
        }
    }

    fn counts(&mut self, history: &History) {
        for (number, process) in history.processes.iter().enumerate() {
            let process = process.borrow();
            let is_killed = process.ledger.is_none();
            self.summary.processes += 1;
            self.summary.killed += usize::from(is_killed);
            self.summary.counted += process.sum();
            let mut left = process.counted.clone();
            for relayed in history.relayed.iter().filter(|relayed| relayed.borrow().process == number) {
                let relayed = relayed.borrow();
                let Counts { requests, records } = left.remove(&relayed.broker_port).unwrap_or_default();
                let (low, high) = passed(history, &relayed);
                // The last window of one that is killed is lost with it.
                let low = if is_killed { Counts::default() } else { low };
                let of = format!("connection {} to {}", relayed.client_port, relayed.broker_port);
                self.must(
                    (low.requests..=high.requests).contains(&requests),
                    format_args!("{of}: counted {requests} requests of {} to {}", low.requests, high.requests),
                );
                self.must(
                    (low.records..=high.records).contains(&records),
                    format_args!("{of}: counted {records} records of {} to {}", low.records, high.records),
                );
            }
            self.must(left.is_empty(), format_args!("process {number} counted what passed nowhere: {left:?}"));
        }
    }

    fn rows(&mut self, history: &History) {
        let all = &history.collected;
        self.summary.rows = all.rows.len();
        for process in &history.processes {
            let process = process.borrow();
            let epoch = process.epoch;
            let rows: BTreeMap<u64, _> =
                all.rows.range((epoch, 0)..=(epoch, u64::MAX)).map(|((_, seq), row)| (*seq, row)).collect();
            let mut came = Counts::default();
            for row in rows.values() {
                came += row.counts;
            }
            let counted = process.sum();
            let Counts { requests, records } = counted;
            self.must(
                came.requests <= requests && came.records <= records,
                format_args!("rows of {epoch} have {came:?}, and its windows {counted:?}"),
            );
            for Seal { topic, first, last, count, dropped } in rows.values().filter_map(|row| row.seal.as_ref()) {
                let sealed = rows.range(first..=last).filter(|(_, row)| row.topic == *topic).count() as u64;
                self.must(
                    (*count..=count + dropped).contains(&sealed),
                    format_args!("{sealed} rows of {topic} from {first} to {last} came, and their seal says {count} and {dropped} dropped"),
                );
            }
            let Some(ledger) = &process.ledger else { continue };
            self.summary.lost += ledger.lost();
            let number = rows.len() as u64;
            let most = ledger.delivered + ledger.queued + ledger.lost();
            self.must(
                (ledger.delivered..=most).contains(&number),
                format_args!("{number} rows of {epoch} came, and its ledger says {ledger:?}"),
            );
            if ledger.queued == 0 && ledger.lost() == 0 {
                self.must(
                    came == counted,
                    format_args!("rows of {epoch} have {came:?}, its windows {counted:?}, and nothing was dropped"),
                );
            }
        }
        let last = history.processes.last().map(|process| process.borrow().ledger.clone());
        let is_delivered = matches!(last, Some(Some(ledger)) if ledger.queued == 0);
        self.must(is_delivered, "the last process did not deliver what it had, though nothing was wrong any more");
    }

    fn ledgers(&mut self, history: &History) {
        let of_ends = history.processes.iter().filter_map(|process| process.borrow().ledger.clone());
        let of_ends: Vec<_> = of_ends.collect();
        for ledger in of_ends.iter().chain(history.collected.ledgers.iter().map(|(_, ledger, _)| ledger)) {
            self.must(ledger.closes(), format_args!("a ledger does not close: {ledger:?}"));
        }
        let mut before: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (epoch, ledger, rows) in &history.collected.ledgers {
            self.must(
                ledger.delivered <= *rows,
                format_args!("a ledger of {epoch} says that {} rows are delivered, of {rows}", ledger.delivered),
            );
            let last = before.insert(*epoch, (ledger.accepted, ledger.delivered)).unwrap_or_default();
            self.must(
                last.0 <= ledger.accepted && last.1 <= ledger.delivered,
                format_args!("a ledger of {epoch} goes back from {last:?} to {ledger:?}"),
            );
        }
    }
}

/// Returns the answers that are complete in so many bytes of the broker.
fn complete(broker: &BrokerSide, bytes: usize) -> impl Iterator<Item = &Answer> {
    broker.answers.iter().take_while(move |answer| answer.end <= bytes)
}

/// Returns the least and the most that can be counted of a connection: bytes that the relay has read and could not pass
/// on, since the other side was gone, are counted or not, and so is a frame that was cut off.
fn passed(history: &History, relayed: &Relayed) -> (Counts, Counts) {
    let (mut low, mut high) = (Counts::default(), Counts::default());
    let (from_client, from_broker) = (relayed.client.borrow(), relayed.broker.borrow());
    let client = history.clients.iter().find(|side| side.borrow().port == relayed.client_port);
    let broker = history.brokers.iter().find(|side| side.borrow().port == relayed.broker_port);
    if let Some(client) = client {
        let mut begin = 0;
        for (end, request) in &client.borrow().requests {
            let is_silent = request.key == PRODUCE && request.acks == 0;
            let records =
                if is_silent { request.partitions.iter().map(|(_, records)| records.cast_unsigned()).sum() } else { 0 };
            let counts = Counts { requests: 1, records };
            low += if *end <= from_broker.written.len() { counts } else { Counts::default() };
            high += if begin < from_client.read.len() { counts } else { Counts::default() };
            begin = *end;
        }
    }
    if let Some(broker) = broker {
        let (mut begin, mut for_client) = (0, 0);
        for answer in &broker.borrow().answers {
            for_client += answer.for_client.len();
            let counts = Counts { requests: 0, records: records(answer) };
            low += if for_client <= from_client.written.len() { counts } else { Counts::default() };
            high += if begin < from_broker.read.len() { counts } else { Counts::default() };
            begin = answer.end;
        }
    }
    (low, high)
}

/// Returns the records that this answer confirms or hands out.
fn records(answer: &Answer) -> u64 {
    let partitions = answer.request.partitions.iter().zip(&answer.answered);
    let of = |((_, produced), answered): (&(i32, i64), &crate::frames::Answered)| match answer.request.key {
        _ if answered.error != 0 => 0,
        PRODUCE => produced.cast_unsigned(),
        FETCH => u64::try_from(answered.records).unwrap_or_default(),
        _ => 0,
    };
    partitions.map(of).sum()
}
