//! The port of probes and metrics beside what else the process does.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::process::{Broker, Observer, request, settings};
use crate::scratch::Scratch;

/// As many are served at once.
const SERVED: usize = 64;

#[test]
fn a_report_that_waits_for_its_token_keeps_no_client_and_no_scrape_waiting() {
    let token = Scratch::new("token");
    assert!(std::process::Command::new("mkfifo").arg(&token.0).status().unwrap().success());
    let mut settings = settings(Broker::answering().port);
    settings["collector"] = json!({"url": "http://127.0.0.1:1", "replicas": 1, "ca_file": null, "token_file": token.0});
    let observer = Observer::with(settings, &[]);
    std::thread::sleep(Duration::from_secs(2)); // for its first report

    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();

    assert_eq!(observer.metric("kwitness_observer_connections_opened_total"), 1);
}

#[test]
fn connections_to_the_port_of_metrics_beyond_64_wait_until_idle_ones_give_way() {
    let observer = Observer::before(Broker::answering().port);
    let connect = |_| TcpStream::connect(("127.0.0.1", observer.metrics_port)).unwrap();
    let (mut idle, mut waiting): (Vec<_>, Vec<_>) = ((0..SERVED).map(connect).collect(), (0..4).map(connect).collect());

    for connection in &mut idle {
        connection.read_to_end(&mut Vec::new()).unwrap();
    }

    std::thread::sleep(Duration::from_millis(500));
    for connection in &mut waiting {
        connection.set_nonblocking(true).unwrap();
        assert_eq!(connection.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    assert!(observer.get("/healthz").unwrap().starts_with("HTTP/1.1 200"));
}
