//! Whatever clients and brokers send, it costs one connection at most, and little memory.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, mpsc};

use crate::process::{Broker, Observer, eventually, frame, request, response, settings};

const LIST_GROUPS: i16 = 16;
const CLOSED: &str = "A connection was closed because addresses could not be kept back";

/// A request with header version 1.
fn asking(key: i16, version: i16, correlation: i32, body: &[u8]) -> Vec<u8> {
    let opening = [&key.to_be_bytes()[..], &version.to_be_bytes(), &correlation.to_be_bytes()].concat();
    frame(&[&opening, &[0, 1, b't'][..], body].concat())
}

fn exchange(client: &mut TcpStream, correlation: i32) {
    client.write_all(&request(correlation)).unwrap();
    let mut came = [0; 9];
    client.read_exact(&mut came).unwrap();
    assert_eq!(came[..], response(correlation, 1));
}

/// What comes until the connection ends.
fn rest(client: &mut TcpStream) -> Vec<u8> {
    let mut came = Vec::new();
    match client.read_to_end(&mut came) {
        Ok(_) => came,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => came,
        Err(error) => panic!("{error}"),
    }
}

/// A server that hands over what comes on a connection, when it has ended.
fn listening() -> (Broker, mpsc::Receiver<Vec<u8>>) {
    let (said, heard) = mpsc::channel();
    let said = Mutex::new(said);
    let broker = Broker::that(move |mut stream| {
        let came = rest(&mut stream);
        // A test that has seen enough is gone.
        let _ = said.lock().unwrap().send(came);
    });
    (broker, heard)
}

/// A server that answers the first request with these bytes and reads on.
fn answering(answer: Vec<u8>) -> Broker {
    Broker::that(move |mut stream| {
        // The observer may have ended the connection by then.
        let _ = stream.read(&mut [0; 64]).and_then(|_| stream.write_all(&answer));
        rest(&mut stream);
    })
}

#[test]
fn a_length_that_no_request_has_ends_its_connection_and_no_other() {
    let observer = Observer::before(Broker::answering().port);
    let mut other = observer.client();
    exchange(&mut other, 1);
    let impossible = [-1, i32::MIN, 104_857_601, i32::MAX];
    for length in impossible {
        let mut client = observer.client();
        exchange(&mut client, 2);
        client.write_all(&[&length.to_be_bytes()[..], &[0; 100]].concat()).unwrap();

        assert!(rest(&mut client).is_empty(), "{length}");
    }
    exchange(&mut other, 3);

    eventually("they are counted", || {
        let count = impossible.len() as u64;
        observer.metric(r#"kwitness_observer_opaque_total{reason="frame_length"}"#) == count
            && observer.metric(r#"kwitness_observer_connections_closed_total{end="error"}"#) == count
    });
    eventually("it is logged", || !observer.logged(CLOSED).is_empty());
    let lines = observer.logged(CLOSED);
    assert_eq!(lines.len(), 1, "one line a minute: {lines:?}");
    assert_eq!(lines[0]["source"], "127.0.0.1");
}

#[test]
fn a_client_that_begins_with_such_a_length_does_not_speak_kafka_and_passes_unread() {
    let observer = Observer::before(Broker::echoing().port);
    for length in [-1, i32::MIN, i32::MAX] {
        let sent = [&length.to_be_bytes()[..], b"whatever it is"].concat();
        let mut client = observer.client();
        client.write_all(&sent).unwrap();
        client.shutdown(Shutdown::Write).unwrap();

        assert_eq!(rest(&mut client), sent);
    }
    eventually("they are counted", || observer.metric(r#"kwitness_observer_opaque_total{reason="not_kafka"}"#) == 3);
}

#[test]
fn a_request_of_a_million_tagged_fields_passes_and_is_not_kept() {
    let (broker, heard) = listening();
    let observer = Observer::before(broker.port);
    let header = [&[0xc0, 0x84, 0x3d][..], &[9, 0].repeat(1_000_000)].concat(); // 1,000,000, each with a number and no content
    let sent = asking(LIST_GROUPS, 4, 1, &header);
    let before = observer.metric("process_resident_memory_bytes");
    let mut client = observer.client();
    client.write_all(&sent).unwrap();
    eventually("it has passed", || {
        observer.metric(r#"kwitness_observer_bytes_total{direction="request"}"#) == sent.len() as u64
    });
    let after = observer.metric("process_resident_memory_bytes");
    client.shutdown(Shutdown::Write).unwrap();

    assert!(heard.recv().unwrap() == sent);
    assert!(after < before + (2 << 20), "{before} bytes, then {after}");
}

#[test]
fn requests_that_are_not_known_pass_and_their_connection_is_read_on() {
    let broker = Broker::that(|mut stream| {
        let mut asked = [0; 15];
        while stream.read_exact(&mut asked).is_ok() {
            stream.write_all(&response(i32::from(asked[11]), 1)).unwrap();
        }
    });
    let observer = Observer::before(broker.port);
    let mut client = observer.client();
    exchange(&mut client, 1);
    for (correlation, key, version) in [(2, LIST_GROUPS, 99), (3, 999, 0), (4, LIST_GROUPS, -1)] {
        client.write_all(&asking(key, version, correlation, &[])).unwrap();
        let mut came = [0; 9];
        client.read_exact(&mut came).unwrap();
        assert_eq!(came[..], response(correlation, 1));
    }
    exchange(&mut client, 5);

    assert_eq!(observer.metric(r#"kwitness_observer_unread_total{reason="unknown_version"}"#), 2);
    assert_eq!(observer.metric(r#"kwitness_observer_unread_total{reason="unknown_key"}"#), 1);
    assert_eq!(observer.metric(r#"kwitness_observer_connections{state="observed"}"#), 1);
}

#[test]
fn a_client_that_closes_within_a_request_leaves_the_broker_what_it_has_sent() {
    let (broker, heard) = listening();
    let observer = Observer::before(broker.port);
    for length in [1, 4, 7, 8, 14] {
        let sent = &request(1)[..length];
        observer.client().write_all(sent).unwrap();

        assert_eq!(heard.recv().unwrap(), sent);
    }
    eventually("the clients are named", || {
        observer.metric(r#"kwitness_observer_connections_closed_total{end="client"}"#) == 5
    });
}

#[test]
fn a_broker_that_closes_within_an_answer_leaves_the_client_what_it_has_sent() {
    let answer = response(1, 100);
    for length in [9, 50, 103] {
        let part = answer[..length].to_vec();
        let broker = Broker::that(move |mut stream| {
            stream.read_exact(&mut [0; 15]).unwrap();
            stream.write_all(&part).unwrap();
        });
        let observer = Observer::before(broker.port);
        let mut client = observer.client();
        client.write_all(&request(1)).unwrap();
        client.shutdown(Shutdown::Write).unwrap();

        assert_eq!(rest(&mut client), answer[..length]);
    }
}

#[test]
fn nonsense_of_a_broker_reaches_no_client() {
    const METADATA: i16 = 3;
    let negative = (-5_i32).to_be_bytes().to_vec();
    let brokers = i32::MAX.to_be_bytes();
    for (what, asked, answer) in [
        ("another protocol", request(1), b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
        ("a negative length", request(1), [negative, vec![0; 20]].concat()),
        ("no room for an id", request(1), frame(&[0, 0])),
        ("the answer to something else", request(1), response(2, 10)),
        ("more brokers than bytes", asking(METADATA, 0, 1, &[0; 4]), frame(&[&[0, 0, 0, 1], &brokers[..]].concat())),
        ("an answer that goes on", asking(METADATA, 0, 1, &[0; 4]), frame(&[&[0, 0, 0, 1][..], &[0; 9]].concat())),
        ("more than is held", asking(METADATA, 0, 1, &[0; 4]), [&brokers[..], &[0, 0, 0, 1], &[0; 9]].concat()),
    ] {
        let observer = Observer::before(answering(answer).port);
        let mut client = observer.client();
        client.write_all(&asked).unwrap();

        assert!(rest(&mut client).is_empty(), "{what}");
        eventually("it is counted", || {
            observer.metric(r#"kwitness_observer_connections_closed_total{end="error"}"#) == 1
        });
        eventually("it is logged", || observer.logged(CLOSED).len() == 1);
    }
}

#[test]
fn a_producer_that_waits_for_no_answer_does_not_hold_up_the_end() {
    const PRODUCE: i16 = 0;
    let (broker, heard) = listening();
    let mut observer = Observer::with(settings(broker.port), &["--drain-seconds", "3600"]);
    let unconfirmed = asking(PRODUCE, 7, 1, &[&[0xff, 0xff, 0, 0][..], &[0; 8]].concat());
    let mut client = observer.client();
    client.write_all(&unconfirmed).unwrap();
    eventually("it has passed", || {
        observer.metric(r#"kwitness_observer_bytes_total{direction="request"}"#) == unconfirmed.len() as u64
    });
    observer.terminate();

    assert!(observer.ends_well());
    assert_eq!(heard.recv().unwrap(), unconfirmed);
    assert!(rest(&mut client).is_empty());
}
