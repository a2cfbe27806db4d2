//! On which addresses an observer listens, and what follows where another process has its port.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::collector::{Collector, everything};
use crate::process::{Broker, Observer, eventually, request, settings};
use crate::scratch::Scratch;

fn ask(host: &str, port: u16) -> TcpStream {
    const DESCRIBE_CONFIGS: u8 = 32;
    let (mut client, mut any_broker_answers) = (TcpStream::connect((host, port)).unwrap(), request(1));
    any_broker_answers[5] = DESCRIBE_CONFIGS;
    client.write_all(&any_broker_answers).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();
    client
}

/// Settings of a sidecar whose port another process has.
fn without_its_port() -> (Value, TcpListener) {
    let mut all = settings(Broker::answering().port);
    all["mode"] = json!("sidecar");
    all["reported_by"] = json!("pod");
    let port = u16::try_from(all["listener"]["bootstrap_port"].as_u64().unwrap()).unwrap();
    (all, TcpListener::bind(("127.0.0.1", port)).unwrap())
}

/// Where these settings report to, and the token's file.
fn reporting_to(settings: &mut Value, collector: &Collector) -> Scratch {
    let token = Scratch::new("token");
    std::fs::write(&token.0, "secret-token").unwrap();
    let url = format!("http://127.0.0.1:{}", collector.port);
    settings["collector"] = json!({"url": url, "replicas": 1, "ca_file": null, "token_file": token.0});
    token
}

#[test]
fn every_address_means_those_of_both_families_and_reports_name_clients_by_their_own() {
    let (collector, broker) = (Collector::that(everything), Broker::answering());
    let mut settings = settings(broker.port);
    settings["listener"]["bind"] = json!("::");
    settings["listener"]["brokers"] = json!({"7": crate::process::free_port()});
    let of_broker = u16::try_from(settings["listener"]["brokers"]["7"].as_u64().unwrap()).unwrap();
    let _token = reporting_to(&mut settings, &collector);
    let observer = Observer::with(settings, &[]);

    let _clients: Vec<_> = ["127.0.0.1", "::1"].map(|host| [ask(host, observer.port), ask(host, of_broker)]).into();
    eventually("connections are reported", || {
        let rows: Vec<_> = collector.requests().into_iter().flat_map(|request| request.rows).collect();
        let opened = |address: &str| {
            rows.iter().filter(|row| row["kind"] == "opened" && row["client_address"] == address).count()
        };
        [opened("127.0.0.1"), opened("::1")] == [2, 2]
    });
}

#[test]
fn a_sidecar_without_its_port_stays_alive_says_why_and_listens_once_the_port_is_free() {
    let collector = Collector::that(everything);
    let (mut settings, other) = without_its_port();
    let _token = reporting_to(&mut settings, &collector);
    let mut observer = Observer::started(&[], settings, &[]);
    let reason = || collector.requests().last().map(|request| request.head["state"]["not_intercepted"].clone());

    eventually("it says that it is alive", || {
        assert!(!observer.has_ended(), "the observer ended: {:?}", observer.logged("The observer cannot run"));
        observer.get("/healthz").is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
    });
    let readiness = observer.readiness().unwrap();
    assert!(readiness.starts_with("HTTP/1.1 503") && readiness.contains("Address already in use"), "{readiness}");
    eventually("the reason is reported", || {
        reason().is_some_and(|reason| reason.as_str().is_some_and(|reason| reason.contains("Address already in use")))
    });
    drop(other);
    eventually("it listens", || observer.readiness().is_some_and(|answer| answer.starts_with("HTTP/1.1 200")));
    eventually("it is logged once", || observer.logged("A port of the listener cannot be had").len() == 1);
    ask("127.0.0.1", observer.port);
    eventually("nothing is wrong any more", || reason() == Some(Value::Null));
}

#[test]
fn connections_are_not_redirected_to_an_observer_that_lacks_its_port() {
    let (mut settings, _other) = without_its_port();
    settings["listener"]["redirected"] = json!([9_092]);
    let (file, outcome) = (Scratch::new("settings"), Scratch::new("redirection"));
    std::fs::write(&file.0, settings.to_string()).unwrap();
    let observer = Observer::started(&[], settings, &[]);
    eventually("it says that it is alive", || observer.get("/healthz").is_some());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kwitness-observer"));
    command.args(["redirect", "--user", "61532", "--nft", "/bin/true", "--settings"]).arg(&file.0);

    let done = command.arg("--redirection").arg(&outcome.0).output().unwrap();

    assert!(done.status.success());
    let found = std::fs::read_to_string(&outcome.0).unwrap();
    assert!(found.starts_with("the observer is not ready") && found.contains("Address already in use"), "{found}");
}
