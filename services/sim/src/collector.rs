//! A collector: it keeps rows on a disk that outlives its process, and is sick at times.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::rc::Rc;
use std::time::Duration;

use flate2::read::GzDecoder;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::time::sleep;
use turmoil::net::TcpListener;

use crate::dice::Dice;
use crate::history::{Collected, Counts, Ledger, Row, Seal, Shared};
use crate::sabotage::Sabotage;

/// Why a row is refused.
const REFUSED: &str = "BadRow";

/// A collector with what outlives its processes.
#[derive(Clone, Debug)]
pub(crate) struct Collector {
    pub(crate) history: Shared,
    pub(crate) dice: Rc<RefCell<Dice>>,
    /// It refuses, is slow, takes a part, or answers nothing, each now and then.
    pub(crate) is_sick: Rc<Cell<bool>>,
    pub(crate) sabotage: Option<Sabotage>,
}

/// The treatment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Keeps,
    KeepsSome,
    KeepsSilently,
    Answers(u16),
}

/// One process, until it is killed.
pub(crate) async fn run(collector: Collector) -> turmoil::Result {
    let listener = TcpListener::bind(("0.0.0.0", 80)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let collector = collector.clone();
        tokio::task::spawn_local(async move {
            let service = service_fn(|request| collector.answer(request));
            // A sender that is gone is no error of the collector.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Collector {
    /// An error closes the connection without an answer.
    async fn answer(&self, request: Request<Incoming>) -> io::Result<Response<Full<Bytes>>> {
        let Ok(body) = request.into_body().collect().await else { return Ok(status(400, String::new())) };
        let (mood, late) = self.mood();
        let mut text = String::new();
        if GzDecoder::new(&body.to_bytes()[..]).read_to_string(&mut text).is_err() {
            self.history.borrow_mut().collected.nonsense.push("a body that is not compressed".to_owned());
        }
        sleep(Duration::from_millis(late)).await;
        let answer = match mood {
            Mood::Answers(code) => status(code, String::new()),
            _ => status(200, self.keep(&text, mood).unwrap_or_default()),
        };
        if mood == Mood::KeepsSilently { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(answer) }
    }

    fn mood(&self) -> (Mood, u64) {
        let mut dice = self.dice.borrow_mut();
        if !self.is_sick.get() {
            return (Mood::Keeps, dice.within(0, 20));
        }
        let moods = [
            Mood::Keeps,
            Mood::KeepsSome,
            Mood::KeepsSome,
            Mood::KeepsSilently,
            Mood::KeepsSilently,
            Mood::KeepsSilently,
            Mood::Answers(503),
            Mood::Answers(413),
            Mood::Answers(429),
        ];
        (*dice.pick(&moods), dice.within(0, 3_000))
    }

    /// Keeps what came; returns the answer.
    fn keep(&self, text: &str, mood: Mood) -> Option<String> {
        let (mut history, mut dice) = (self.history.borrow_mut(), self.dice.borrow_mut());
        let (head, lines) = text.split_once('\n').unwrap_or((text, ""));
        let head: Value = serde_json::from_str(head).ok()?;
        let epoch = head["epoch"].as_u64()?;
        let collected = &mut history.collected;
        collected.requests += 1;
        let (mut accepted, mut duplicates, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        let rows: Vec<(u64, Row)> = head["rows"].as_array()?.iter().zip(lines.lines()).filter_map(row).collect();
        if rows.len() != head["rows"].as_array()?.len() {
            collected.nonsense.push(format!("{} rows of {}", rows.len(), head["rows"]));
        }
        for (seq, row) in rows {
            if mood == Mood::KeepsSome && dice.one_in(3) {
                if dice.one_in(4) && row.seal.is_none() && !collected.rows.contains_key(&(epoch, seq)) {
                    collected.rejected.insert((epoch, seq));
                    rejected.push(json!({"seq": seq, "reason": REFUSED}));
                }
                continue;
            }
            let is_known = collected.rows.contains_key(&(epoch, seq));
            let listed = if is_known { &mut duplicates } else { &mut accepted };
            listed.push(seq);
            if self.sabotage == Some(Sabotage::LostRow) && seq % 7 == 0 {
                continue;
            }
            let kept = collected.rows.entry((epoch, seq)).or_insert_with(|| row.clone());
            if is_known && self.sabotage == Some(Sabotage::DoubledRow) {
                kept.counts += row.counts;
            } else if *kept != row && row.seal.is_none() {
                collected.nonsense.push(format!("row {seq} of {epoch} came again as another one"));
            }
        }
        for totals in head["totals"].as_array()? {
            let seq = totals["seq"].as_u64()?;
            let listed = if collected.totals.insert((epoch, seq)) { &mut accepted } else { &mut duplicates };
            listed.push(seq);
        }
        self.keep_ledger(collected, epoch, &head["state"]["ledger"])?;
        let text = |seqs: &[u64]| seqs.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let answer = json!({
            "protocol": 2, "collector": "sim/collector", "replica": 0, "accepted": text(&accepted),
            "duplicates": text(&duplicates), "rejected": rejected, "retry_after_ms": 0, "directives": {},
        });
        history.note(format_args!("collector keeps {} of {epoch}, {} again", accepted.len(), duplicates.len()));
        Some(answer.to_string())
    }

    fn keep_ledger(&self, collected: &mut Collected, epoch: u64, ledger: &Value) -> Option<()> {
        let dropped = ledger["dropped"].as_object()?.iter();
        let dropped: BTreeMap<_, _> =
            dropped.filter_map(|(reason, count)| Some((reason.clone(), count.as_u64()?))).collect();
        let open = u64::from(self.sabotage == Some(Sabotage::OpenLedger));
        let ledger = Ledger {
            accepted: ledger["accepted"].as_u64()? + open,
            delivered: ledger["delivered"].as_u64()?,
            queued: ledger["queued"].as_u64()?,
            dropped,
        };
        let rows = collected.rows.range((epoch, 0)..=(epoch, u64::MAX)).count() as u64;
        collected.ledgers.push((epoch, ledger, rows));
        Some(())
    }
}

fn status(code: u16, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

fn row((head, line): (&Value, &str)) -> Option<(u64, Row)> {
    let seq = head["seq"].as_u64()?;
    let topic = head["topic"].as_str()?.to_owned();
    if head["bytes"].as_u64()? != line.len() as u64 {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| line[name].as_u64().unwrap_or_default();
    let counts = match (topic.as_str(), line["kind"].as_str()) {
        ("traffic", Some("api")) => Counts { requests: number("requests"), records: 0 },
        ("traffic", Some("partition")) => Counts { requests: 0, records: number("records") + number("unconfirmed") },
        _ => Counts::default(),
    };
    let seal = (topic == "seals").then(|| Seal {
        topic: line["topic"].as_str().unwrap_or_default().to_owned(),
        first: number("first_seq"),
        last: number("last_seq"),
        count: number("count"),
        dropped: line["dropped"].as_object().map_or(0, |all| all.values().filter_map(Value::as_u64).sum()),
    });
    Some((seq, Row { topic, counts, seal }))
}
