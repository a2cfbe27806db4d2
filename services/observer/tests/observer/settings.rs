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
fn connections_are_read_again_after_they_were_suspended() {
    let (answer, may_answer) = std::sync::mpsc::channel::<()>();
    let may_answer = std::sync::Mutex::new(may_answer);
    let broker = Broker::that(move |mut stream| {
        let mut asked = [0; 15];
        while stream.read_exact(&mut asked).is_ok() {
            if asked[11] == 3 {
                may_answer.lock().unwrap().recv().unwrap();
            }
            stream.write_all(&response(i32::from(asked[11]), 1)).unwrap();
        }
    });
    let mut observer = Observer::before(broker.port);
    let (mut idle, mut waits) = (observer.client(), observer.client());
    for client in [&mut idle, &mut waits] {
        client.write_all(&request(1)).unwrap();
        client.read_exact(&mut [0; 9]).unwrap();
    }
    observer.set("/suspend", json!(true));
    let relayed = |observer: &Observer| observer.metric(r#"kwitness_observer_connections{state="relay_only"}"#);
    eventually("none is read", || relayed(&observer) == 2);
    let mut stranger = observer.client();
    stranger.write_all(&request(2)).unwrap();
    stranger.read_exact(&mut [0; 9]).unwrap();
    waits.write_all(&request(3)).unwrap();
    eventually("it was asked", || {
        observer.metric(r#"kwitness_observer_bytes_total{direction="request"}"#) == 4 * request(3).len() as u64
    });
    observer.set("/suspend", json!(false));

    eventually("each is read from its next request on", || {
        relayed(&observer) == 0 && observer.metric("kwitness_observer_suspended") == 0
    });
    answer.send(()).unwrap();
    waits.read_exact(&mut [0; 9]).unwrap();
    for client in [&mut idle, &mut waits, &mut stranger] {
        client.write_all(&request(4)).unwrap();
        client.read_exact(&mut [0; 9]).unwrap();
    }
    eventually("each is read", || {
        observer.metric(r#"kwitness_observer_connections{state="observed"}"#) == 3
            && observer.metric(r#"kwitness_observer_resumed_total{reason="relay_only"}"#) == 3
    });
    assert_eq!(observer.metric(r#"kwitness_observer_connections{state="opaque"}"#), 0);
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
