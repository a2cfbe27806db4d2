//! What was seen reaches the collector once it can take it, and every row is accounted for.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::collector::{Collector, answer, everything};
use crate::process::{Broker, Observer, eventually, request, settings};

pub fn reporting_to(collector: &Collector) -> (Value, tempfile::Token) {
    let token = tempfile::Token::new("secret-token");
    let mut all = settings(Broker::answering().port);
    let url = format!("http://127.0.0.1:{}", collector.port);
    all["collector"] = json!({"url": url, "replicas": 1, "ca_file": null, "token_file": token.path()});
    (all, token)
}

pub mod tempfile {
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A file with a token, removed at the end.
    pub struct Token(PathBuf);

    impl Token {
        pub fn new(content: &str) -> Self {
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            let name = format!("token-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::SeqCst));
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, content).unwrap();
            Self(path)
        }

        pub fn path(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Token {
        fn drop(&mut self) {
            std::fs::remove_file(&self.0).unwrap();
        }
    }
}

fn ask(observer: &Observer, times: i32) {
    let mut client = observer.client();
    for number in 0..times {
        client.write_all(&request(number)).unwrap();
        client.read_exact(&mut [0; 9]).unwrap();
    }
}

fn ledger(observer: &Observer, outcome: &str) -> u64 {
    observer.metric(&format!(r#"kwitness_observer_events_total{{outcome="{outcome}",reason=""}}"#))
}

#[test]
fn what_a_client_asked_is_reported_with_who_it_is_and_a_seal() {
    let collector = Collector::that(everything);
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::with(settings, &["--pod-name", "edge-0"]);
    ask(&observer, 3);
    let asked = |rows: &[Value]| -> u64 {
        rows.iter().filter(|row| row["kind"] == "api").map(|row| row["requests"].as_u64().unwrap()).sum()
    };
    let mut rows: Vec<Value> = Vec::new();
    eventually("all is reported and sealed", || {
        rows = collector.requests().into_iter().flat_map(|request| request.rows).collect();
        let is_sealed = rows.iter().any(|row| row["schema"] == "kwitness.seals/1" && row["topic"] == "traffic");
        is_sealed && asked(&rows) == 3
    });

    let requests = collector.requests();
    let of = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).cloned().collect::<Vec<_>>();
    assert_eq!((&of("api")[0]["api"], &of("api")[0]["client_id"]), (&json!("ListGroups"), &json!("t")));
    assert_eq!(of("opened")[0]["client_address"], "127.0.0.1");
    eventually("the end of the connection is reported", || {
        collector.requests().iter().any(|request| request.rows.iter().any(|row| row["kind"] == "closed"))
    });
    let head = &requests[0].head;
    assert_eq!((&head["source"], &head["reported_by"]), (&json!("team-a/edge-0"), &json!("gateway")));
    assert!(requests[0].headers.contains(&"authorization: bearer secret-token".to_owned()));
    assert!(requests[0].headers.contains(&"kwitness-protocol: 2".to_owned()));
    let seqs: Vec<_> = requests.iter().flat_map(crate::collector::Request::seqs).collect();
    assert_eq!(seqs.iter().collect::<BTreeSet<_>>().len(), seqs.len(), "each number once: {seqs:?}");
}

#[test]
fn why_a_request_is_unread_is_spelled_alike_in_rows_heartbeats_and_metrics() {
    let collector = Collector::that(everything);
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::with(settings, &[]);
    let mut client = observer.client();
    for (number, [key, version]) in (0_u8..).zip([[16, 99], [99, 0]]) {
        let mut asked = request(number.into());
        (asked[5], asked[7]) = (key, version);
        client.write_all(&asked).unwrap();
        client.read_exact(&mut [0; 9]).unwrap();
    }
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut rows = BTreeSet::new();
    eventually("rows tell both reasons", || {
        let requests = collector.requests();
        let apis = requests.iter().flat_map(|request| &request.rows).filter(|row| row["kind"] == "api");
        rows = apis.flat_map(|row| names(&row["unread"])).collect();
        rows.len() == 2
    });

    let head = collector.requests().last().unwrap().head.clone();
    let metric = |reason: &String| observer.metric(&format!(r#"kwitness_observer_unread_total{{reason="{reason}"}}"#));
    assert_eq!(names(&head["state"]["unread"]), ["unknown_key", "unknown_version"]);
    assert_eq!(rows, names(&head["state"]["unread"]).into_iter().collect());
    assert_eq!(rows.iter().map(metric).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn nothing_is_lost_while_the_collector_refuses_and_answers_of_strangers_are_none() {
    let count = AtomicUsize::new(0);
    let collector = Collector::that(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        1 => (503, String::new()),
        2 => (200, answer(&json!({"later": "1-1000"})).to_string()),
        3 => (500, "<html>".to_owned()),
        _ => everything(request),
    });
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::with(settings, &[]);
    ask(&observer, 3);
    eventually("all is delivered", || {
        ledger(&observer, "delivered") >= 4 && observer.metric("kwitness_observer_queued_events") == 0
    });

    assert_eq!(ledger(&observer, "accepted"), ledger(&observer, "delivered"));
    let requests = collector.requests();
    let settled: Vec<_> = requests.iter().map(|request| request.head["settled"].as_u64().unwrap()).collect();
    assert!(settled.is_sorted(), "{settled:?}");
}

#[test]
fn an_answer_of_another_replica_acknowledges_nothing() {
    let collector = Collector::that(|request| {
        let (_, text) = everything(request);
        (200, text.replace(r#""replica":0"#, r#""replica":1"#))
    });
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::with(settings, &[]);
    ask(&observer, 1);
    eventually("rows wait", || observer.metric("kwitness_observer_queued_events") > 0);

    eventually("it is said", || !observer.logged("The collector takes nothing; it is tried again").is_empty());
    assert_eq!(ledger(&observer, "delivered"), 0);
}

#[test]
fn a_queue_that_is_full_drops_the_oldest_and_counts_them() {
    let collector = Collector::that(|_| (503, String::new()));
    let (mut settings, _token) = reporting_to(&collector);
    settings["limits"]["queue_bytes"] = json!(2_000);
    let observer = Observer::with(settings, &[]);
    for _ in 0..5 {
        ask(&observer, 1);
    }
    let dropped = || observer.metric(r#"kwitness_observer_events_total{outcome="dropped",reason="queue_full"}"#);
    eventually("some are dropped", || dropped() > 0);

    eventually("the ledger closes", || {
        ledger(&observer, "accepted") == dropped() + observer.metric("kwitness_observer_queued_events")
    });
}

#[test]
fn a_row_that_is_refused_for_good_is_given_up_by_its_reason() {
    let collector = Collector::that(|request| {
        let rejected: Vec<_> =
            request.seqs().iter().map(|seq| json!({"seq": seq, "reason": "BadRow", "message": "m"})).collect();
        (200, answer(&json!({"rejected": rejected})).to_string())
    });
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::with(settings, &[]);
    ask(&observer, 1);

    eventually("it is counted", || {
        observer.metric(r#"kwitness_observer_events_total{outcome="dropped",reason="BadRow"}"#) >= 2
    });
}

#[test]
fn the_last_window_is_reported_when_the_observer_ends() {
    let collector = Collector::that(everything);
    let (mut settings, _token) = reporting_to(&collector);
    settings["window_ms"] = json!(3_600_000);
    let mut observer = Observer::with(settings, &[]);
    ask(&observer, 2);
    eventually("the connection has ended", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="client"}"#) == 1
    });
    observer.terminate();
    assert!(observer.ends_well());

    let requests = collector.requests();
    let kinds: Vec<_> =
        requests.iter().flat_map(|request| request.rows.iter().map(|row| row["kind"].clone())).collect();
    assert!(kinds.contains(&json!("closed")) && kinds.contains(&json!("api")), "{kinds:?}");
    assert_eq!(requests.last().unwrap().head["state"]["ledger"]["queued"], 0);
}

#[test]
fn a_suspended_observer_goes_on_saying_that_it_is_there() {
    let collector = Collector::that(everything);
    let (mut settings, _token) = reporting_to(&collector);
    settings["suspend"] = json!(true);
    let observer = Observer::with(settings, &[]);
    ask(&observer, 2);
    eventually("two heartbeats came", || collector.requests().len() >= 2);

    for request in collector.requests() {
        assert_eq!(request.head["state"]["suspended"], true);
        assert_eq!(request.rows, Vec::<Value>::new());
    }
}
