//! The settings file is followed, and a bad one changes nothing.

use std::io::{Read, Write};

use serde_json::json;

use crate::process::{Broker, Observer, eventually, free_port, request, response};

#[test]
fn a_suspended_observer_passes_its_live_connections_on_unread() {
    let mut observer = Observer::before(Broker::answering().port);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    eventually("it is followed", || observer.metric(r#"kwitness_observer_connections{state="observed"}"#) == 1);
    observer.set("/suspend", json!(true));

    eventually("it is not followed any more", || {
        observer.metric(r#"kwitness_observer_connections{state="relay_only"}"#) == 1
            && observer.metric("kwitness_observer_suspended") == 1
    });
    client.write_all(&request(2)).unwrap();
    let mut came = [0; 18];
    client.read_exact(&mut came).unwrap();
    assert_eq!(came[..], [response(1, 1), response(2, 1)].concat());
}

#[test]
fn a_bad_file_is_refused_by_the_name_of_its_field_and_the_last_good_one_stays() {
    let mut observer = Observer::before(Broker::answering().port);
    observer.set("/window_ms", json!("10s"));

    eventually("it is counted", || observer.metric("kwitness_observer_settings_refused_total") == 1);
    eventually("it is logged", || !observer.logged("The settings file is refused, the last good one stays").is_empty());
    let refused = observer.logged("The settings file is refused, the last good one stays");
    assert_eq!(refused[0]["field"], "window_ms");
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.read_exact(&mut [0; 9]).unwrap();

    observer.set("/window_ms", json!(2000));
    eventually("the next good one is taken", || observer.logged("New settings").len() == 1);
    assert_eq!(observer.metric("kwitness_observer_settings_refused_total"), 1);
}

#[test]
fn a_listener_moves_to_the_port_that_the_file_says() {
    let mut observer = Observer::before(Broker::echoing().port);
    let (before, after) = (observer.port, free_port());
    observer.set("/listener/bootstrap_port", json!(after));

    eventually("the new port is open", || std::net::TcpStream::connect(("127.0.0.1", after)).is_ok());
    eventually("the old one is closed", || std::net::TcpStream::connect(("127.0.0.1", before)).is_err());
}

#[test]
fn a_program_without_good_settings_ends_with_an_error_that_names_the_field() {
    let file = std::env::temp_dir().join(format!("observer-{}-bad.json", std::process::id()));
    std::fs::write(&file, "{}").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kwitness-observer"));
    let done = command.args(["run", "--settings"]).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();

    assert!(!done.status.success());
    assert!(String::from_utf8(done.stdout).unwrap().contains("cluster_id"));
}
