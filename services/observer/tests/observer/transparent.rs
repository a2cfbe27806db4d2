//! Where connections are redirected to the observer: what comes without having been redirected, and what is told.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::collector::{Collector, everything};
use crate::process::{Broker, Observer, eventually, settings};
use crate::scratch::Scratch;

/// Settings of an observer that the connections to this port are redirected to.
fn redirected(port: u16) -> Value {
    let mut all = settings(port);
    all["mode"] = json!("sidecar");
    all["reported_by"] = json!("pod");
    all["listener"]["redirected"] = json!([port]);
    all
}

#[test]
fn a_connection_that_was_meant_for_the_observer_itself_is_closed_and_counted() {
    let broker = Broker::answering();
    let observer = Observer::with(redirected(broker.port), &[]);
    for (count, host) in [(1, "127.0.0.1"), (2, "::1")] {
        let mut client = TcpStream::connect((host, observer.port)).unwrap();

        let end = client.read(&mut [0; 1]);

        assert!(matches!(&end, Ok(0)) || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
        let closed = r#"kwitness_observer_connections_closed_total{end="loop"}"#;
        eventually("it is counted", || observer.metric(closed) == count);
    }
    assert_eq!(broker.connections.load(std::sync::atomic::Ordering::SeqCst), 0, "nobody is dialled instead");
}

#[test]
fn what_became_of_the_redirection_is_reported_as_it_is_said() {
    let (collector, said, token) = (Collector::that(everything), Scratch::new("redirection"), Scratch::new("token"));
    std::fs::write(&token.0, "secret-token").unwrap();
    let mut settings = redirected(Broker::answering().port);
    let url = format!("http://127.0.0.1:{}", collector.port);
    settings["collector"] = json!({"url": url, "replicas": 1, "ca_file": null, "token_file": token.0});
    let told = || collector.requests().last().map(|request| request.head["state"]["not_intercepted"].clone());

    let _observer = Observer::with(settings, &["--redirection", said.0.to_str().unwrap()]);
    eventually("nothing is said while the step may still run", || told() == Some(Value::Null));
    std::fs::write(&said.0, "nft: Operation not permitted").unwrap();
    eventually("its reason is told", || told() == Some(json!("nft: Operation not permitted")));
    std::fs::write(&said.0, "in place").unwrap();
    eventually("nothing is wrong any more", || told() == Some(Value::Null));
}

#[test]
fn a_redirection_that_fails_says_why_and_ends_without_an_error() {
    let (said, file) = (Scratch::new("redirection"), Scratch::new("settings"));
    let settings = redirected(9092);
    std::fs::write(&file.0, settings.to_string()).unwrap();
    let _observer = Observer::with(settings, &[]);
    std::fs::write(&said.0, "in place").unwrap();
    for (nft, reason) in [("/nowhere/nft", "/nowhere/nft: No such file"), ("/bin/false", "nft: it failed")] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kwitness-observer"));
        command.args(["redirect", "--user", "61532", "--nft", nft, "--settings"]).arg(&file.0);
        let done = command.arg("--redirection").arg(&said.0).output().unwrap();

        assert!(done.status.success());
        let found = std::fs::read_to_string(&said.0).unwrap();
        assert!(found.starts_with(reason), "{found}");
    }
}
