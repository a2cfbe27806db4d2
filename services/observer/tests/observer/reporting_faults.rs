//! What a collector cannot read is found and given up alone; tokens change; a collector comes late.

use std::io::{Read, Write};

use serde_json::json;

use crate::collector::{Collector, everything};
use crate::process::{Broker, Observer, eventually, free_port, request, settings};

/// A file with a token, removed at the end.
struct Token(std::path::PathBuf);

impl Token {
    fn new(name: &str, content: &str) -> Self {
        let token = Self(std::env::temp_dir().join(format!("token-{}-{name}", std::process::id())));
        token.becomes(content);
        token
    }

    fn becomes(&self, content: &str) {
        std::fs::write(&self.0, content).unwrap();
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

fn reporting_to(port: u16, token: &Token) -> Observer {
    let mut all = settings(Broker::answering().port);
    let url = format!("http://127.0.0.1:{port}");
    all["collector"] = json!({"url": url, "replicas": 1, "ca_file": null, "token_file": token.0});
    Observer::with(all, &[])
}

fn ask(observer: &Observer) {
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();
}

fn events(observer: &Observer, outcome: &str, reason: &str) -> u64 {
    observer.metric(&format!(r#"kwitness_observer_events_total{{outcome="{outcome}",reason="{reason}"}}"#))
}

#[test]
fn a_row_that_makes_a_request_unreadable_is_found_by_halves_and_given_up_alone() {
    for (status, reason) in [(400, "refused"), (413, "too_large")] {
        let token = Token::new(reason, "token");
        let collector = Collector::that(move |request| {
            let is_hated = |row: &serde_json::Value| row["kind"] == "api";
            if request.rows.iter().any(is_hated) { (status, String::new()) } else { everything(request) }
        });
        let observer = reporting_to(collector.port, &token);
        ask(&observer);

        eventually("it is given up", || events(&observer, "dropped", reason) == 1);
        eventually("all else is delivered", || {
            let accepted = events(&observer, "accepted", "");
            accepted >= 4 && events(&observer, "delivered", "") == accepted - 1
        });
        let seals: Vec<_> = collector.requests().into_iter().flat_map(|request| request.rows).collect();
        let of_traffic = |row: &&serde_json::Value| row["topic"] == "traffic" && !row["count"].is_null();
        let seal = seals.iter().find(of_traffic).unwrap();
        assert_eq!((&seal["count"], &seal["dropped"]), (&json!(0), &json!({reason: 1})));
    }
}

#[test]
fn the_token_is_read_again_for_each_request() {
    let token = Token::new("rotated", "first");
    let collector = Collector::that(everything);
    let observer = reporting_to(collector.port, &token);
    let is_known_by = |token: &str| {
        let header = format!("authorization: bearer {token}");
        collector.requests().last().is_some_and(|request| request.headers.contains(&header))
    };
    eventually("it comes with its token", || is_known_by("first"));

    token.becomes("second\n");

    ask(&observer);
    eventually("it comes with the new one", || is_known_by("second"));
}

#[test]
fn a_collector_that_comes_late_gets_everything() {
    let (token, port) = (Token::new("late", "token"), free_port());
    let observer = reporting_to(port, &token);
    for _ in 0..3 {
        ask(&observer);
    }
    eventually("rows wait", || observer.metric("kwitness_observer_queued_events") >= 6);

    let collector = Collector::at(port, everything);

    eventually("all is delivered", || observer.metric("kwitness_observer_queued_events") == 0);
    let rows: Vec<_> = collector.requests().into_iter().flat_map(|request| request.rows).collect();
    let asked: u64 = rows.iter().filter(|row| row["kind"] == "api").map(|row| row["requests"].as_u64().unwrap()).sum();
    assert_eq!(asked, 3);
    assert_eq!(events(&observer, "accepted", ""), events(&observer, "delivered", ""));
}
