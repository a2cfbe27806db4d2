//! A connection that was unread is read again from a request on, and every byte of it passes meanwhile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::collector::{Collector, everything};
use crate::process::{Broker, Observer, eventually, request, response, settings};
use crate::reporting::reporting_to;
use crate::scratch::Scratch;

/// More than this many requests that wait are not remembered.
const MOST_IN_FLIGHT: i32 = 16_384;

fn exchange(client: &mut TcpStream, correlation: i32) {
    client.write_all(&request(correlation)).unwrap();
    expect(client, correlation);
}

fn expect(client: &mut TcpStream, correlation: i32) {
    let mut came = [0; 9];
    client.read_exact(&mut came).unwrap();
    assert_eq!(came[..], response(correlation, 1));
}

fn open(observer: &Observer, state: &str) -> u64 {
    observer.metric(&format!(r#"kwitness_observer_connections{{state="{state}"}}"#))
}

fn resumed(observer: &Observer, reason: &str) -> u64 {
    observer.metric(&format!(r#"kwitness_observer_resumed_total{{reason="{reason}"}}"#))
}

fn opaque(observer: &Observer, reason: &str) -> u64 {
    observer.metric(&format!(r#"kwitness_observer_opaque_total{{reason="{reason}"}}"#))
}

/// The rows of this kind that have come.
fn rows(collector: &Collector, kind: &str) -> Vec<Value> {
    let all = collector.requests().into_iter().flat_map(|request| request.rows);
    all.filter(|row| row["kind"] == kind).collect()
}

fn sum(rows: &[Value], field: &str) -> u64 {
    rows.iter().filter_map(|row| row[field].as_u64()).sum()
}

/// Settings of an observer in the pod of a broker at this port, where nothing is changed.
fn beside(broker: u16) -> Value {
    let mut all = settings(broker);
    all["mode"] = json!("broker");
    all["reported_by"] = json!("pod");
    all
}

#[test]
fn a_connection_that_was_opened_while_nothing_was_read_is_counted_from_its_next_request_on() {
    let collector = Collector::that(everything);
    let (mut settings, _token) = reporting_to(&collector);
    settings["suspend"] = json!(true);
    let mut observer = Observer::with(settings, &[]);
    let mut client = observer.client();
    exchange(&mut client, 1);
    eventually("it is not read", || open(&observer, "relay_only") == 1);
    observer.set("/suspend", json!(false));
    eventually("it waits for its next request", || open(&observer, "sniff") == 1);
    for correlation in 2..=4 {
        exchange(&mut client, correlation);
    }
    eventually("it is read", || open(&observer, "observed") == 1 && resumed(&observer, "relay_only") == 1);
    drop(client);

    eventually("its end is reported", || !rows(&collector, "closed").is_empty());
    eventually("its requests are reported", || sum(&rows(&collector, "api"), "requests") == 3);
    let opened = rows(&collector, "opened");
    assert_eq!(opened.len(), 1, "{opened:?}");
    assert_eq!(opened[0]["client_id"], "t");
    let of_who = ["principal", "principal_source", "security_protocol"].map(|key| opened[0].get(key));
    assert_eq!(of_who, [None; 3], "an authentication may have been missed");
    let closed = rows(&collector, "closed");
    assert_eq!((closed[0].get("opaque"), &closed[0]["connection_id"]), (None, &opened[0]["connection_id"]));
}

#[test]
fn a_connection_that_never_rests_is_read_from_its_next_request_on_and_answers_before_are_left_out() {
    // The answers to a request come when the fifth after it has.
    const LATE: i32 = 5;
    let broker = Broker::that(|mut stream| {
        let mut received = [0; 15];
        let mut number = 0;
        while stream.read_exact(&mut received).is_ok() {
            number += 1;
            if number > LATE {
                // A client that is gone is no error of this server.
                let _ = stream.write_all(&response(number - LATE, 1));
            }
        }
    });
    let mut observer = Observer::before(broker.port);
    let mut client = observer.client();
    (1..=LATE).for_each(|correlation| client.write_all(&request(correlation)).unwrap());
    eventually("it is read", || open(&observer, "observed") == 1);
    observer.set("/suspend", json!(true));
    eventually("it is not read", || open(&observer, "relay_only") == 1);
    let within = request(LATE + 1);
    client.write_all(&within[..9]).unwrap();
    eventually("a request began", || {
        let passed = u64::try_from(within.len()).unwrap() * 5 + 9;
        observer.metric(r#"kwitness_observer_bytes_total{direction="request"}"#) == passed
    });
    observer.set("/suspend", json!(false));
    eventually("it waits for the next request", || open(&observer, "sniff") == 1);
    client.write_all(&within[9..]).unwrap();
    expect(&mut client, 1);
    assert_eq!(open(&observer, "sniff"), 1, "nothing is read in the middle of a request");
    for correlation in LATE + 2..=4 * LATE {
        client.write_all(&request(correlation)).unwrap();
        expect(&mut client, correlation - LATE);
    }

    eventually("it is read", || open(&observer, "observed") == 1 && resumed(&observer, "relay_only") == 1);
    assert_eq!(open(&observer, "opaque"), 0);
}

#[test]
fn after_a_crash_connections_that_were_opened_while_nothing_was_read_are_read() {
    let (marker, broker) = (Scratch::new("marker"), Broker::answering());
    std::fs::write(&marker.0, "").unwrap();
    let mut settings = settings(broker.port);
    settings["mode"] = json!("sidecar");
    settings["reported_by"] = json!("pod");
    settings["workload"] = json!({"kind": "Deployment", "name": "orders"});
    let observer = Observer::with(settings, &["--marker", marker.0.to_str().unwrap(), "--relay-only-seconds", "3"]);
    let mut client = observer.client();
    exchange(&mut client, 1);
    eventually("it is not read", || open(&observer, "relay_only") == 1);
    eventually("its time is over", || open(&observer, "sniff") == 1);
    exchange(&mut client, 2);

    eventually("it is read", || open(&observer, "observed") == 1 && resumed(&observer, "relay_only") == 1);
}

#[test]
fn tls_that_began_while_nothing_was_read_stays_unread_and_is_counted() {
    let mut settings = beside(Broker::echoing().port);
    settings["suspend"] = json!(true);
    let mut observer = Observer::with(settings, &[]);
    let hello = [&[0x16, 3, 1, 2, 0][..], &[7; 100]].concat();
    let mut client = observer.client();
    let mut came = vec![0; hello.len()];
    client.write_all(&hello).unwrap();
    client.read_exact(&mut came).unwrap();
    observer.set("/suspend", json!(false));

    eventually("it is counted", || opaque(&observer, "tls") == 1 && open(&observer, "opaque") == 1);
    client.write_all(&hello).unwrap();
    client.read_exact(&mut came).unwrap();
    assert_eq!(came, hello);
    assert_eq!(resumed(&observer, "relay_only"), 0);
}

#[test]
fn a_connection_with_too_many_requests_in_flight_is_read_again_and_their_answers_are_left_out() {
    let last = MOST_IN_FLIGHT + 2;
    let broker = Broker::that(move |mut stream| {
        let mut received = [0; 15];
        for number in 1.. {
            if stream.read_exact(&mut received).is_err() {
                return;
            }
            if number >= last {
                let from = if number == last { 1 } else { number };
                let answers: Vec<u8> = (from..=number).flat_map(|number| response(number, 1)).collect();
                stream.write_all(&answers).unwrap();
            }
        }
    });
    let collector = Collector::that(everything);
    let (mut settings, _token) = reporting_to(&collector);
    (settings["mode"], settings["reported_by"]) = (json!("broker"), json!("pod"));
    settings["upstream"]["bootstrap_servers"] = json!([format!("127.0.0.1:{}", broker.port)]);
    let observer = Observer::with(settings, &[]);
    let mut client = observer.client();
    client.write_all(&(1..last).flat_map(request).collect::<Vec<u8>>()).unwrap();
    eventually("it is given up", || opaque(&observer, "in_flight") == 1);
    thread::sleep(Duration::from_millis(1_200));
    client.write_all(&request(last)).unwrap();
    (1..=last).for_each(|correlation| expect(&mut client, correlation));
    exchange(&mut client, last + 1);

    eventually("it is read", || open(&observer, "observed") == 1 && resumed(&observer, "in_flight") == 1);
    assert_eq!(opaque(&observer, "in_flight"), 1);
    drop(client);
    eventually("its end is reported", || !rows(&collector, "closed").is_empty());
    assert_eq!(rows(&collector, "closed")[0].get("opaque"), None);
    let requests = u64::try_from(MOST_IN_FLIGHT + 3).unwrap();
    eventually("all are counted", || sum(&rows(&collector, "api"), "requests") == requests);
}
