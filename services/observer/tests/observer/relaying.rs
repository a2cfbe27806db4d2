//! Bytes pass as they are, and whoever ends a connection is heard on its other side.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::json;
use socket2::SockRef;

use crate::process::{Broker, Observer, eventually, request, response, settings};

const MANY: usize = 8 << 20;

/// Bytes that do not repeat soon.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = |()| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    std::iter::repeat_n((), count).map(next).collect()
}

fn read_exactly(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

fn is_closed(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 64]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn what_comes_out_is_what_went_in_both_ways() {
    let observer = Observer::before(Broker::echoing().port);
    let mut client = observer.client();
    let sent = [&[0x16, 3, 1][..], &noise(MANY)].concat(); // a client that speaks something else
    let (mut writer, bytes) = (client.try_clone().unwrap(), sent.clone());
    let writing = thread::spawn(move || {
        // Pieces of many sizes, none of them a buffer's.
        let mut rest = &bytes[..];
        for size in (1..).map(|number| (number * 7919) % 150_001 + 1) {
            let (piece, others) = rest.split_at(rest.len().min(size));
            writer.write_all(piece).unwrap();
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut came = Vec::new();
    client.read_to_end(&mut came).unwrap();
    writing.join().unwrap();

    assert!(came == sent, "{} bytes came of {}", came.len(), sent.len());
    eventually("the bytes are counted", || {
        observer.metric(r#"kwitness_observer_bytes_total{direction="response"}"#) == sent.len() as u64
    });
}

#[test]
fn requests_and_answers_of_all_lengths_pass_as_they_are() {
    let length = |correlation: i32| usize::try_from(correlation * 7919 % 200_003).unwrap();
    let broker = Broker::that(move |mut stream| {
        let mut asked = [0; 15];
        while stream.read_exact(&mut asked).is_ok() {
            let correlation = i32::from_be_bytes(asked[8..12].try_into().unwrap());
            assert_eq!(asked[..], request(correlation));
            stream.write_all(&response(correlation, length(correlation))).unwrap();
        }
    });
    let observer = Observer::before(broker.port);
    let mut client = observer.client();
    let mut writer = client.try_clone().unwrap();
    let writing = thread::spawn(move || {
        let requests: Vec<_> = (0..200).flat_map(request).collect();
        requests.chunks(37).for_each(|piece| writer.write_all(piece).unwrap());
    });
    for correlation in 0..200 {
        let expected = response(correlation, length(correlation));
        assert!(read_exactly(&mut client, expected.len()) == expected, "answer {correlation}");
    }
    writing.join().unwrap();
}

/// A Produce of version 3 whose only batch has these bytes, or says that it has; brokers refuse it.
fn produce(correlation: i32, batch: &[u8]) -> Vec<u8> {
    let size = |bytes: usize| i32::try_from(bytes).unwrap().to_be_bytes();
    let header = [&[0, 0, 0, 3][..], &correlation.to_be_bytes(), &[0, 1, b't', 0xff, 0xff, 0xff, 0xff]].concat();
    let topic = [&size(30_000)[..], &size(1), &[0, 1, b'o'], &size(1), &size(0), &size(batch.len())].concat();
    [&size(header.len() + topic.len() + batch.len())[..], &header, &topic, batch].concat()
}

#[test]
fn batches_of_all_lengths_pass_as_they_are_while_their_receiver_is_fast_or_slow() {
    let noise = noise(400_003);
    let all: Vec<u8> =
        (0..60).flat_map(|at| produce(at, &noise[..usize::try_from(at * 7919 % 400_003).unwrap()])).collect();
    for pause_ms in [0, 2] {
        let (done, received) = mpsc::channel();
        let count = all.len();
        let broker = Broker::that(move |mut stream| {
            let mut came = Vec::new();
            let mut buffer = vec![0; 100_000];
            while came.len() < count {
                let read = stream.read(&mut buffer).unwrap();
                came.extend_from_slice(&buffer[..read]);
                thread::sleep(Duration::from_millis(pause_ms));
            }
            done.send(came).unwrap();
        });
        let observer = Observer::before(broker.port);
        let mut client = observer.client();
        all.chunks(150_001).for_each(|piece| client.write_all(piece).unwrap());

        assert!(received.recv().unwrap() == all, "with a pause of {pause_ms} ms");
        let requests = r#"kwitness_observer_bytes_total{direction="request"}"#;
        eventually("the bytes are counted", || observer.metric(requests) == count as u64);
        assert_eq!(observer.metric(r#"kwitness_observer_connections{state="observed"}"#), 1);
    }
}

#[test]
fn garbage_and_tls_pass_unread_with_one_line_for_each_source() {
    let observer = Observer::before(Broker::echoing().port);
    let hello = [&[0x16, 3, 1, 2, 0][..], &noise(512)].concat();
    for garbage in [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), hello.clone(), hello] {
        let mut client = observer.client();
        client.write_all(&garbage).unwrap();

        assert_eq!(read_exactly(&mut client, garbage.len()), garbage);
    }

    eventually("the reasons are counted", || {
        observer.metric(r#"kwitness_observer_opaque_total{reason="tls"}"#) == 2
            && observer.metric(r#"kwitness_observer_opaque_total{reason="not_kafka"}"#) == 1
    });
    eventually("it is logged", || !observer.logged("A connection is passed on unread").is_empty());
    let warnings = observer.logged("A connection is passed on unread");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0]["source"], "127.0.0.1");
}

#[test]
fn a_client_that_stops_reading_holds_up_nobody_else_and_costs_no_memory() {
    let broker = Broker::that(|mut stream| {
        let asked = read_exactly(&mut stream, 15);
        let count = if asked[11] == 1 { 8 * MANY } else { 1 };
        // The client may be gone by then.
        let _ = stream.write_all(&response(i32::from(asked[11]), count));
    });
    let observer = Observer::before(broker.port);
    let mut stopped = observer.client();
    stopped.write_all(&request(1)).unwrap();
    let passed = || observer.metric(r#"kwitness_observer_bytes_total{direction="response"}"#);
    eventually("what the client does not read has filled the way", || {
        let before = passed();
        thread::sleep(Duration::from_millis(200));
        before > 0 && before == passed()
    });
    let mut other = observer.client();
    other.write_all(&request(2)).unwrap();

    assert_eq!(read_exactly(&mut other, 9), response(2, 1));
    assert!(observer.metric("process_resident_memory_bytes") < (4 * MANY) as u64);
    assert!(read_exactly(&mut stopped, 8 * MANY + 8) == response(1, 8 * MANY));
}

#[test]
fn whoever_sends_no_request_is_closed_and_costs_the_broker_no_connection() {
    let broker = Broker::silent();
    let observer = Observer::with(settings(broker.port), &["--first-request-seconds", "1"]);
    let mut silent = observer.client();

    assert!(is_closed(&mut silent));
    assert_eq!(broker.connections.load(std::sync::atomic::Ordering::SeqCst), 0);

    let mut half = observer.client();
    half.write_all(&request(1)[..9]).unwrap();
    assert!(is_closed(&mut half));
    eventually("both are counted", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="deadline"}"#) == 2
    });
}

#[test]
fn a_client_that_drips_its_first_request_is_closed() {
    let observer = Observer::with(settings(Broker::silent().port), &["--first-request-seconds", "1"]);
    let mut client = observer.client();
    let mut reader = client.try_clone().unwrap();
    let dripping = thread::spawn(move || {
        // A request of 16 MiB, one byte at a time, until somebody has had enough.
        client.write_all(&[1, 0, 0, 0]).unwrap();
        while client.write_all(&[0]).is_ok() {
            thread::sleep(std::time::Duration::from_millis(50));
        }
    });
    assert!(is_closed(&mut reader));
    dripping.join().unwrap();

    eventually("it is counted", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="deadline"}"#) == 1
    });
}

#[test]
fn the_end_of_one_side_reaches_the_other_which_may_go_on() {
    let broker = Broker::that(|mut stream| {
        let mut asked = Vec::new();
        stream.read_to_end(&mut asked).unwrap();
        stream.write_all(&response(1, asked.len())).unwrap();
    });
    let observer = Observer::before(broker.port);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut came = Vec::new();
    client.read_to_end(&mut came).unwrap();

    assert_eq!(came, response(1, request(1).len()));
    eventually("the client is named", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="client"}"#) == 1
    });
}

#[test]
fn a_reset_of_the_broker_is_a_reset_for_the_client() {
    let broker = Broker::that(|mut stream| {
        read_exactly(&mut stream, 4);
        SockRef::from(&stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    });
    let observer = Observer::before(broker.port);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();

    assert_eq!(client.read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    eventually("the broker is named", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="broker"}"#) == 1
    });
}

#[test]
fn a_reset_of_the_client_is_a_reset_for_the_broker() {
    let (said, heard) = mpsc::channel();
    let said = Mutex::new(said);
    let broker = Broker::that(move |mut stream| {
        let end = loop {
            match stream.read(&mut [0; 64]) {
                Ok(0) => break None,
                Ok(_) => stream.write_all(&response(1, 1)).unwrap(),
                Err(error) => break Some(error.kind()),
            }
        };
        said.lock().unwrap().send(end).unwrap();
    });
    let observer = Observer::before(broker.port);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    read_exactly(&mut client, 9);
    SockRef::from(&client).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    drop(client);

    assert_eq!(heard.recv().unwrap(), Some(ErrorKind::ConnectionReset));
}

#[test]
fn a_client_whose_broker_cannot_be_reached_is_closed_with_the_reason_in_the_log() {
    let nobody = crate::process::free_port();
    let observer = Observer::before(nobody);
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();

    assert!(is_closed(&mut client));
    eventually("it is counted", || observer.metric(r#"kwitness_observer_connections_closed_total{end="error"}"#) == 1);
    eventually("it is logged", || {
        !observer.logged("A client was closed because no broker could be reached").is_empty()
    });
    let lines = observer.logged("A client was closed because no broker could be reached");
    assert!(lines[0]["reason"].as_str().unwrap().contains(&format!("127.0.0.1:{nobody}")), "{lines:?}");
}

#[test]
fn another_bootstrap_server_is_taken_where_one_does_not_answer() {
    let broker = Broker::answering();
    let mut both = settings(broker.port);
    let (nobody, somebody) = (crate::process::free_port(), broker.port);
    both["upstream"]["bootstrap_servers"] = json!([format!("127.0.0.1:{nobody}"), format!("127.0.0.1:{somebody}")]);
    let observer = Observer::with(both, &[]);
    for number in 0..4 {
        let mut client = observer.client();
        client.write_all(&request(number)).unwrap();

        assert_eq!(read_exactly(&mut client, 9), response(number, 1));
    }
}

#[test]
fn more_clients_than_are_allowed_are_closed() {
    let mut one = settings(Broker::answering().port);
    one["limits"]["max_connections"] = json!(1);
    let observer = Observer::with(one, &[]);
    let mut first = observer.client();
    first.write_all(&request(1)).unwrap();
    read_exactly(&mut first, 9);

    assert!(is_closed(&mut observer.client()));
    assert_eq!(observer.metric(r#"kwitness_observer_connections_closed_total{end="limit"}"#), 1);
    drop(first);
    eventually("the next one has its place", || {
        let mut next = observer.client();
        next.write_all(&request(1)).is_ok() && matches!(next.read(&mut [0; 64]), Ok(count) if count > 0)
    });
}

#[test]
fn at_the_end_what_was_asked_is_answered_before_a_connection_is_closed() {
    let (answer, may_answer) = mpsc::channel::<()>();
    let may_answer = Arc::new(Mutex::new(may_answer));
    let broker = Broker::that(move |mut stream| {
        let asked = read_exactly(&mut stream, 15)[11];
        if asked == 2 {
            may_answer.lock().unwrap().recv().unwrap();
        }
        stream.write_all(&response(i32::from(asked), 1)).unwrap();
        let _ = stream.read(&mut [0; 1]);
    });
    let mut observer = Observer::before(broker.port);
    let (mut idle, mut waits) = (observer.client(), observer.client());
    idle.write_all(&request(1)).unwrap();
    read_exactly(&mut idle, 9);
    waits.write_all(&request(2)).unwrap();
    eventually("both are followed", || observer.metric(r#"kwitness_observer_connections{state="observed"}"#) == 2);
    observer.terminate();

    assert!(is_closed(&mut idle));
    eventually("nobody is let in", || TcpStream::connect(("127.0.0.1", observer.port)).is_err());
    answer.send(()).unwrap();
    assert_eq!(read_exactly(&mut waits, 9), response(2, 1));
    assert!(is_closed(&mut waits));
    assert!(observer.ends_well());
}

#[test]
fn clients_are_served_for_as_long_as_others_do_not_know_of_the_end() {
    let mut observer = Observer::with(settings(Broker::answering().port), &["--linger-seconds", "3600"]);
    observer.terminate();
    eventually("it is not ready", || observer.readiness().is_some_and(|answer| answer.starts_with("HTTP/1.1 503")));
    let mut client = observer.client();
    client.write_all(&request(1)).unwrap();
    assert_eq!(read_exactly(&mut client, 9), response(1, 1));

    observer.terminate(); // a second signal ends the wait
    assert!(is_closed(&mut client));
    assert!(observer.ends_well());
}

#[test]
fn a_connection_that_never_rests_is_closed_when_the_time_is_over() {
    let broker = Broker::silent();
    let mut observer = Observer::with(settings(broker.port), &["--drain-seconds", "1"]);
    let mut waits = observer.client();
    waits.write_all(&request(1)).unwrap();
    eventually("it is followed", || observer.metric(r#"kwitness_observer_connections{state="observed"}"#) == 1);
    observer.terminate();

    assert!(is_closed(&mut waits));
    assert!(observer.ends_well());
}
