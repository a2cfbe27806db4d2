//! Beside a client: ports for brokers as they are seen, whose rows these are, and what a crash leaves.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::collector::{Collector, everything};
use crate::process::{Broker, Observer, eventually, frame, request, settings};
use crate::scratch::Scratch;

const METADATA_BYTES: usize = 54;

/// Settings of a sidecar before a broker at this port.
fn beside(broker: u16) -> Value {
    let mut all = settings(broker);
    all["mode"] = json!("sidecar");
    all["reported_by"] = json!("pod");
    all["workload"] = json!({"kind": "Deployment", "name": "orders"});
    all
}

/// Brokers that say in answer to Metadata of version 0 that there are nodes 7 and 3, in this order.
fn two_brokers() -> Broker {
    Broker::that(|mut stream| {
        let port = i32::from(stream.local_addr().unwrap().port()).to_be_bytes();
        let broker = |node: i32| [&node.to_be_bytes()[..], &[0, 9], b"127.0.0.1", &port].concat();
        let mut asked = [0; 19];
        while stream.read_exact(&mut asked).is_ok() {
            let parts = [&asked[8..12], &[0, 0, 0, 2], &broker(7), &broker(3), &[0, 0, 0, 0]];
            stream.write_all(&frame(&parts.concat())).unwrap();
        }
    })
}

/// The port of each node that a client is told, in the order in which it is told.
fn told(client: &mut TcpStream) -> Vec<(i32, u16)> {
    client.write_all(&frame(&[0, 3, 0, 0, 0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 0])).unwrap();
    let mut answer = Vec::new();
    client.take(METADATA_BYTES.try_into().unwrap()).read_to_end(&mut answer).unwrap();
    let number = |at: usize| i32::from_be_bytes(answer[at..at + 4].try_into().unwrap());
    [12, 31].map(|at| (number(at), u16::try_from(number(at + 15)).unwrap())).to_vec()
}

fn at(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

#[test]
fn brokers_get_the_ports_after_the_first_as_they_are_seen_and_keep_them() {
    let mut settings = beside(two_brokers().port);
    let (bootstrap, taken) = neighbours();
    settings["listener"]["bootstrap_port"] = json!(bootstrap);
    let mut observer = Observer::with(settings, &[]);
    let ports = told(&mut observer.client());

    let [(7, first), (3, second)] = ports[..] else { panic!("{ports:?}") };
    assert!(taken.local_addr().unwrap().port() < first && first < second, "{ports:?} after {taken:?}");
    assert_eq!(told(&mut at(second)), ports, "open, and the same for everybody");
    observer.set("/window_ms", json!(2000));
    eventually("settings are new", || observer.logged("New settings").len() == 1);
    eventually("each port is told to be open", || observer.logged("Listening").len() == 3);
    assert_eq!(told(&mut at(first)), ports);
}

/// A port that is free, and a listener at the one after it.
fn neighbours() -> (u16, TcpListener) {
    loop {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let before = taken.local_addr().unwrap().port() - 1;
        if TcpListener::bind(("127.0.0.1", before)).is_ok() {
            return (before, taken);
        }
    }
}

/// Settings of one that reports there, and its token.
fn reporting_to(collector: &Collector) -> (Value, Scratch) {
    let token = Scratch::new("token");
    std::fs::write(&token.0, "secret-token").unwrap();
    let mut settings = beside(Broker::answering().port);
    let url = format!("http://127.0.0.1:{}", collector.port);
    settings["collector"] = json!({"url": url, "replicas": 1, "ca_file": null, "token_file": token.0});
    (settings, token)
}

/// The row about the first connection.
fn opened(collector: &Collector) -> Value {
    let mut row = Value::Null;
    eventually("a connection is reported", || {
        let mut rows = collector.requests().into_iter().flat_map(|request| request.rows);
        row = rows.find(|row| row["kind"] == "opened").unwrap_or_default();
        !row.is_null()
    });
    row
}

#[test]
fn rows_name_the_pods_address_and_the_report_its_namespace_and_workload() {
    let collector = Collector::that(everything);
    let (settings, _token) = reporting_to(&collector);
    let pod = [("POD_NAME", "orders-1"), ("POD_NAMESPACE", "shop"), ("POD_IP", "10.1.2.3")];
    let observer = Observer::within(&pod, settings, &[]);
    ask(&observer);

    assert_eq!(opened(&collector)["client_address"], "10.1.2.3");
    let head = collector.requests()[0].head.clone();
    assert_eq!(head["source"], "shop/orders-1");
    assert_eq!(head["observer"], json!({"namespace": "team-a", "name": "edge", "mode": "sidecar"}));
    assert_eq!(head["workload"], json!({"kind": "Deployment", "name": "orders"}));
    assert_eq!(head["state"]["relay_only_until_ms"], Value::Null);
}

#[test]
fn without_the_pods_address_rows_name_none() {
    let collector = Collector::that(everything);
    let (settings, _token) = reporting_to(&collector);
    let observer = Observer::within(&[("POD_IP", "")], settings, &[]);
    ask(&observer);

    assert_eq!(opened(&collector).get("client_address"), None);
    logs(&observer, "POD_IP is no address: what is reported names no client_address");
}

#[test]
fn after_a_process_was_killed_the_next_one_relays_only_until_the_time_is_over() {
    let (marker, broker) = (Scratch::new("marker"), Broker::answering());
    let arguments = ["--marker", marker.0.to_str().unwrap()];
    let killed = Observer::with(beside(broker.port), &arguments);
    let _client = ask(&killed);
    eventually("the first one reads", || of_state(&killed, "observed", 1));
    killed.kill();

    let mut next = Observer::with(beside(broker.port), &arguments);
    let mut client = ask(&next);
    eventually("nothing is read", || of_state(&next, "relay_only", 1));
    assert!(next.metric("kwitness_observer_relay_only_until_seconds") > 0);
    assert_eq!(next.metric("kwitness_observer_suspended"), 0);
    logs(&next, "The process before was killed: clients are relayed and not read for a while");
    next.set("/window_ms", json!(2000));
    eventually("settings are new", || next.logged("New settings").len() == 1);
    client.write_all(&request(2)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();
    assert!(of_state(&next, "relay_only", 1), "settings do not end it");
    next.kill();

    let mut last = Observer::with(beside(broker.port), &[&arguments[..], &["--relay-only-seconds", "1"]].concat());
    logs(&last, "Connections are read again");
    let _client = ask(&last);
    eventually("it reads again", || of_state(&last, "observed", 1));
    assert_eq!(last.metric("kwitness_observer_relay_only_until_seconds"), 0);
    last.terminate();
    assert!(last.ends_well());
    assert!(!marker.0.exists(), "one that ends in good order takes the mark away");
}

#[test]
fn until_when_it_relays_only_is_reported() {
    let (collector, marker) = (Collector::that(everything), Scratch::new("marker"));
    std::fs::write(&marker.0, "").unwrap();
    let (settings, _token) = reporting_to(&collector);
    let _observer = Observer::with(settings, &["--marker", marker.0.to_str().unwrap()]);
    eventually("it reports", || !collector.requests().is_empty());

    let head = collector.requests()[0].head.clone();
    let left_ms = head["state"]["relay_only_until_ms"].as_u64().unwrap() - head["sent_at_ms"].as_u64().unwrap();
    assert!((1..=600_000).contains(&left_ms), "{left_ms}");
    assert_eq!(head["state"]["suspended"], false);
}

#[test]
fn a_mark_that_cannot_be_left_keeps_no_client_from_being_served() {
    let observer = Observer::with(beside(Broker::answering().port), &["--marker", "/nowhere/marker"]);
    ask(&observer);

    let warnings = logs(&observer, "After a crash the next process will not know of it");
    assert!(warnings[0]["reason"].as_str().unwrap().starts_with("/nowhere/marker: "), "{warnings:?}");
}

fn ask(observer: &Observer) -> TcpStream {
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();
    client
}

fn logs(observer: &Observer, message: &str) -> Vec<Value> {
    eventually(message, || !observer.logged(message).is_empty());
    observer.logged(message)
}

fn of_state(observer: &Observer, state: &str, count: u64) -> bool {
    observer.metric(&format!(r#"kwitness_observer_connections{{state="{state}"}}"#)) == count
}
