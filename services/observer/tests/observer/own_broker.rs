//! In the broker's own pod: when clients are let in, and that nothing is changed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::process::{Broker, Observer, eventually, frame, free_port, request, response, settings};

/// Settings of an observer in the pod of a broker at this port of loopback.
fn before_own(broker: u16) -> Value {
    let mut all = settings(broker);
    all["mode"] = json!("broker");
    all["reported_by"] = json!("pod");
    all
}

fn says(observer: &Observer, status: u16, reason: &str) -> bool {
    let answer = observer.readiness().unwrap_or_default();
    answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(reason)
}

#[test]
fn nobody_is_let_in_before_the_broker_listens_and_the_port_stays_the_brokers_until_then() {
    let broker = free_port();
    let observer = Observer::started(&[], before_own(broker), &[]);
    eventually("it waits", || says(&observer, 503, "the broker does not listen where the observer looks for it"));
    let own = TcpListener::bind(("127.0.0.1", observer.port));
    assert!(own.is_ok(), "a broker that was not changed can have the port");
    drop(own);

    let _broker = TcpListener::bind(("127.0.0.1", broker)).unwrap();

    eventually("it lets clients in", || says(&observer, 200, ""));
    assert!(TcpStream::connect(("127.0.0.1", observer.port)).is_ok());
}

#[test]
fn a_broker_whose_connections_are_redirected_may_listen_at_the_pods_address_alone() {
    let listener = TcpListener::bind(("127.0.0.2", free_port())).unwrap();
    let broker = listener.local_addr().unwrap().port();
    let mut all = before_own(broker);

    let without = Observer::started(&[("POD_IP", "127.0.0.2")], all.clone(), &[]);
    eventually("it waits", || says(&without, 503, "the broker does not listen where the observer looks for it"));

    all["listener"]["bootstrap_port"] = json!(free_port());
    all["metrics_port"] = json!(free_port());
    all["listener"]["redirected"] = json!([broker]);
    let redirected = Observer::started(&[("POD_IP", "127.0.0.2")], all, &[]);
    eventually("it lets clients in", || says(&redirected, 200, ""));
}

#[test]
fn nobody_is_let_in_without_a_certificate_where_there_must_be_one() {
    let mut all = before_own(Broker::answering().port);
    let tls = json!({"certificate_file": "/nowhere/tls.crt", "key_file": "/nowhere/tls.key"});
    all["listener"]["tls"] = tls;
    let observer = Observer::started(&[], all, &[]);

    eventually("it says so", || says(&observer, 503, "no certificate to show"));
    assert!(TcpStream::connect(("127.0.0.1", observer.port)).is_err());
}

/// A client that asks, and what it gets from a broker that answers with this.
fn relayed(asked: &[u8], answer: Vec<u8>) -> (Observer, TcpStream, Vec<u8>) {
    let length = asked.len();
    let expected = answer.len();
    let broker = Broker::that(move |mut stream| {
        // The first connection only looks whether somebody listens.
        if stream.read_exact(&mut vec![0; length]).is_ok() {
            stream.write_all(&answer).unwrap();
            let _ = stream.read(&mut [0; 1]);
        }
    });
    let observer = Observer::with(before_own(broker.port), &[]);
    let mut client = observer.client();
    client.write_all(asked).unwrap();
    let mut got = vec![0; expected];
    client.read_exact(&mut got).unwrap();
    (observer, client, got)
}

#[test]
fn the_addresses_in_a_response_are_the_brokers_own() {
    let broker = [&7_i32.to_be_bytes()[..], &[0, 5], b"kafka", &9092_i32.to_be_bytes()].concat();
    let metadata = frame(&[&[0, 0, 0, 1, 0, 0, 0, 1][..], &broker, &[0, 0, 0, 0]].concat());

    let (observer, _client, got) = relayed(&frame(&[0, 3, 0, 0, 0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 0]), metadata.clone());

    assert_eq!(got, metadata);
    let sample = r#"kwitness_observer_connections{state="observed"}"#;
    eventually("it is read", || observer.metric(sample) == 1);
}

#[test]
fn a_response_that_belongs_to_no_request_passes_as_well() {
    let (observer, _client, got) = relayed(&request(1), response(9, 1));

    assert_eq!(got, response(9, 1));
    let sample = r#"kwitness_observer_connections{state="opaque"}"#;
    eventually("it is no longer read", || observer.metric(sample) == 1);
}

#[test]
fn a_mechanism_that_signs_the_brokers_name_is_served() {
    let handshake = frame(&[&[0, 17, 0, 1, 0, 0, 0, 1, 0, 1, b't', 0, 6][..], b"GSSAPI"].concat());
    let answer = frame(&[&[0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 6][..], b"GSSAPI"].concat());

    let (observer, _client, got) = relayed(&handshake, answer.clone());

    assert_eq!(got, answer);
    assert_eq!(observer.metric(r#"kwitness_observer_unserved_total{mechanism="GSSAPI"}"#), 0);
}
