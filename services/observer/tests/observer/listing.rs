//! Open connections are listed while the collector wants them, and what clients call their software is counted.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::collector::{Collector, answer};
use crate::process::{Broker, Observer, eventually, request};
use crate::reporting::reporting_to;

/// A collector that takes everything and wants connections when it is told so.
fn asking() -> (Collector, Arc<AtomicBool>) {
    let wants = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&wants);
    let collector = Collector::that(move |request| {
        let seqs: Vec<_> = request.seqs().iter().map(u64::to_string).collect();
        let members = json!({"accepted": seqs.join(","), "wants_connections": told.load(Ordering::SeqCst)});
        (200, answer(&members).to_string())
    });
    (collector, wants)
}

fn newest(collector: &Collector) -> Value {
    collector.requests().last().map_or(Value::Null, |request| request.head["open_connections"].clone())
}

#[test]
fn open_connections_are_listed_while_the_collector_wants_them_without_what_is_dropped() {
    let (collector, wants) = asking();
    let (mut settings, _token) = reporting_to(&collector);
    settings["identity"] = json!({"drop": ["client_address"]});
    let observer = Observer::with(settings, &[]);
    let mut kafka = observer.client();
    kafka.write_all(&request(1)).unwrap();
    kafka.read_exact(&mut [0; 9]).unwrap();
    let mut tls = observer.client();
    tls.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").unwrap();
    eventually("both are open", || observer.metric(r#"kwitness_observer_connections{state="opaque"}"#) == 1);
    eventually("it has reported", || collector.requests().len() >= 2);
    assert!(collector.requests().iter().all(|request| request.head.get("open_connections").is_none()));

    wants.store(true, Ordering::SeqCst);
    eventually("they are listed", || newest(&collector)["connections"].as_array().is_some_and(|all| all.len() == 2));

    let head = collector.requests().last().unwrap().head.clone();
    let listed = head["open_connections"].clone();
    assert_eq!(listed["left_out"], json!({}));
    let mut first = listed["connections"][0].clone();
    let name = first["connection_id"].as_str().unwrap();
    assert_eq!(name, format!("{}-0", head["epoch"]));
    assert!(first["opened_at_ms"].as_u64().unwrap() >= head["epoch"].as_u64().unwrap());
    assert!(first["client_source_port"].as_u64().unwrap() > 0);
    for key in ["connection_id", "opened_at_ms", "client_source_port"] {
        first.as_object_mut().unwrap().remove(key);
    }
    let client = json!({"client_id": "t", "principal": "User:ANONYMOUS"});
    let mut expected = json!({"listener": "GATEWAY", "state": "observed", "security_protocol": "PLAINTEXT"});
    expected.as_object_mut().unwrap().extend(client.as_object().unwrap().clone());
    assert_eq!(first, expected);
    let second = &listed["connections"][1];
    assert_eq!((&second["state"], &second["opaque"]), (&json!("opaque"), &json!("tls")));

    drop(tls);
    eventually("one is left", || newest(&collector)["connections"].as_array().is_some_and(|all| all.len() == 1));
    wants.store(false, Ordering::SeqCst);
    eventually("nothing is listed", || newest(&collector).is_null());
}

#[test]
fn where_connections_are_not_reported_their_number_alone_is_said() {
    let (collector, wants) = asking();
    wants.store(true, Ordering::SeqCst);
    let (mut settings, _token) = reporting_to(&collector);
    settings["report"]["connections"] = json!(false);
    let observer = Observer::with(settings, &[]);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();

    let expected = json!({"connections": [], "left_out": {"not_reported": 1}});
    eventually("it is said", || newest(&collector) == expected);
}

#[test]
fn a_connection_of_a_suspended_observer_is_listed_without_what_its_client_says() {
    let (collector, wants) = asking();
    wants.store(true, Ordering::SeqCst);
    let (mut settings, _token) = reporting_to(&collector);
    settings["suspend"] = json!(true);
    let observer = Observer::with(settings, &[]);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();

    eventually("it is listed", || newest(&collector)["connections"][0]["state"] == "relay_only");
    assert_eq!(newest(&collector)["connections"][0].get("client_id"), None);
}

#[test]
fn a_client_that_brokers_refuse_for_the_name_of_its_software_is_counted_and_logged() {
    let observer = Observer::before(Broker::silent().port);
    let mut client = observer.client();
    let frame = b"\0\x12\0\x03\0\0\0\x01\0\x01t\0\x08my shop\x041.0\0";
    client.write_all(&u32::try_from(frame.len()).unwrap().to_be_bytes()).unwrap();
    client.write_all(frame).unwrap();

    let count = |information| {
        observer.metric(&format!(r#"kwitness_observer_api_versions_total{{information="{information}"}}"#))
    };
    eventually("it is counted", || count("invalid") == 1);
    assert_eq!([count("named"), count("unnamed"), count("unread")], [0; 3]);
    eventually("it is said", || {
        observer
            .logged("A client is refused by brokers with INVALID_REQUEST")
            .iter()
            .any(|line| line.to_string().contains("127.0.0.1") && !line.to_string().contains("my shop"))
    });
}
