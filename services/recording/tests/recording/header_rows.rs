//! Rows say what was seen of record headers.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use kwitness_observation::record_headers::Rules;
use kwitness_observation::{Identity, IdentityKey};
use kwitness_protocol::samples::{Sample, Sampling};
use kwitness_protocol::{Connection, Limits, Nanos, Side};
use kwitness_recording::{HEADERS_OF_A_CLIENT, Headers, Recorder, SeenInBatch, Settings, Source, TopicNames, Writer};
use serde_json::{Value, json};

use crate::partition_frames::{Produced, produced, producing};
use crate::samples::{batch, gate, of_produced, record};

fn client(id: &str) -> Arc<Identity> {
    Arc::new(Identity::default().with(IdentityKey::ClientId, id.as_bytes()))
}

fn sample_of(records: &[Vec<u8>]) -> Sample {
    let batch = batch(0, i32::try_from(records.len()).unwrap(), &records.concat());
    of_produced(&gate(), &batch).pop().unwrap()
}

fn see(headers: &mut Headers, client: &Arc<Identity>, records: &[Vec<u8>], rules: &Rules) {
    headers.add(client, &SeenInBatch::look(&sample_of(records), rules, &mut Vec::new()).unwrap());
}

fn rules(written: &Value) -> Rules {
    serde_json::from_value(written.clone()).unwrap()
}

/// The rows and the totals of a window in which a client wrote so many records, and these headers were seen.
fn written(seen: Headers, client: &Arc<Identity>, passed: &[u8]) -> (Vec<Value>, Vec<Value>) {
    let gate = gate();
    let names = Arc::new(TopicNames::new(10));
    let headers = Some(Sampling { every: NonZeroU32::MIN, gate });
    let mut recorder =
        Recorder::new(Settings { headers, traffic: false, ..Settings::of_at_most(1_000) }, Arc::clone(&names), 0);
    let mut known = recorder.open(1, Identity::clone(client), false, 0);
    let mut connection = Connection::new(Limits::default());
    for (side, bytes) in
        [(Side::Client, producing(1, 1, &[(0, passed)])), (Side::Broker, produced(1, &[Produced::default()]))]
    {
        connection.feed(side, &bytes, Nanos(0), &mut |event| recorder.record(&mut known, &event, 0));
    }
    let mut window = recorder.swap(0);
    window.headers = Some(seen);
    let source = Source {
        name: "shop/edge-0".into(),
        epoch_ms: 5,
        cluster_id: "c".into(),
        reported_by: "gateway".into(),
        observer_mode: "gateway".into(),
    };
    let mut writer = Writer::new(source, 1);
    let mut rows = Vec::new();
    writer.write(&window, &names, &mut |row| {
        if row.topic == "headers" {
            rows.push(serde_json::from_slice(&row.line).unwrap());
        }
        Ok(())
    });
    let totals = writer.totals(&window, &names);
    let totals = totals.iter().map(|part| serde_json::from_str::<Value>(&part.json).unwrap());
    (rows, totals.filter_map(|part| part["headers"].as_array().cloned()).flatten().collect())
}

#[test]
fn rows_say_what_was_seen_of_what_passed_and_what_is_wrong_with_it() {
    let rules = rules(&json!({
        "keys": [{"name": "tenant", "type": "Int32", "required": true}, {"name": "token", "type": "Bytes", "sensitivity": "Secret"}],
    }));
    // As the recorder knows who did not authenticate.
    let client = Arc::new(Identity::clone(&client("me")).with(IdentityKey::Principal, b"User:ANONYMOUS"));
    let records = [record(b"tenant", b"acme"), record(b"token", b"hush"), record(b"x", b"")];
    let mut headers = Headers::new(100);

    see(&mut headers, &client, &records, &rules);
    let (rows, totals) = written(headers, &client, &batch(0, 40, &[]));

    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
    assert_eq!(rows.len(), 3);
    let tenant = row("tenant");
    assert_eq!((&tenant["registered"], &tenant["headers"], &tenant["bytes"]), (&json!(true), &json!(1), &json!(4)));
    assert_eq!((&tenant["missing"], &tenant["wrong_type"]), (&json!(2), &Value::Null));
    assert_eq!((&tenant["records_passed"], &tenant["records_looked_at"]), (&json!(40), &json!(3)));
    assert_eq!(
        (&tenant["seen_by"], &tenant["side"], &tenant["topic"]),
        (&json!("observer"), &json!("producer"), &json!("t"))
    );
    assert_eq!((&tenant["client_id"], &tenant["schema"]), (&json!("me"), &json!("kwitness.headers/1")));
    assert_eq!(row("x").get("registered"), None);
    assert!(!format!("{rows:?}{totals:?}").contains("hush"));
    let of_x = json!({
        "side": "producer", "topic": "t", "key": "x", "client_id": "me", "registered": false, "headers": 1, "bytes": 0,
        "problems": {"unregistered": 1}, "removed": 0,
    });
    assert_eq!(totals.iter().find(|one| one["key"] == "x"), Some(&of_x));
    assert_eq!(totals.iter().find(|one| one["key"] == "tenant").unwrap()["problems"], json!({"missing": 2}));
}

#[test]
fn keys_of_a_compact_set_have_rows_and_none_of_them_is_missing() {
    let rules = rules(&json!({
        "keys": [{"name": "tenant", "type": "Int32", "id": 7, "required": true}, {"name": "other", "type": "String", "required": true}],
    }));
    let client = client("me");
    let mut headers = Headers::new(100);
    let set = [&[0, 0, 0, 7, 0, 0, 0, 4][..], b"acme", &[0, 0, 0, 9, 0, 0, 0, 0]].concat();

    see(&mut headers, &client, &[record(b"kwitness.set", &set), record(b"kwitness.set", b"\0")], &rules);
    let (rows, totals) = written(headers, &client, &batch(0, 2, &[]));

    let shown = |key: &str| {
        let row = rows.iter().find(|row| row["key"] == key).unwrap();
        ["headers", "bytes", "missing", "wrong_type"].map(|field| row[field].as_u64().unwrap_or_default())
    };
    assert_eq!(rows.len(), 4);
    assert_eq!([shown("tenant"), shown("other")], [[1, 4, 1, 0], [0, 0, 2, 0]]);
    assert_eq!([shown("#9"), shown("kwitness.set")], [[1, 0, 0, 0], [2, 21, 0, 1]]);
    assert_eq!(totals.iter().find(|total| total["key"] == "#9").unwrap()["problems"], json!({"unregistered": 1}));
}

#[test]
fn records_without_any_header_have_a_row_that_says_so() {
    let client = client("me");
    let mut headers = Headers::new(100);

    see(&mut headers, &client, &[vec![12, 0, 0, 0, 1, 1, 0]], &Rules::default());
    let (rows, totals) = written(headers, &client, &batch(0, 1, &[]));

    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.get("key"), &row["topic"], &row["overflowed"]), (None, &json!("t"), &json!(false)));
    assert_eq!((&row["records_looked_at"], &row["records_passed"], row.get("headers")), (&json!(1), &json!(1), None));
    assert_eq!(totals, Vec::<Value>::new());
}

#[test]
fn keys_that_are_too_many_are_summed_up_and_nothing_is_lost() {
    let mut headers = Headers::new(HEADERS_OF_A_CLIENT + 10);
    let records: Vec<_> = (0..300).map(|number| record(format!("key {number}").as_bytes(), b"v")).collect();

    for name in ["a", "b", "c"] {
        see(&mut headers, &client(name), &records, &Rules::default());
    }

    let mut by_client: BTreeMap<_, (usize, u64)> = BTreeMap::new();
    for row in headers.rows() {
        let sums =
            by_client.entry(row.client.and_then(|client| client.get(IdentityKey::ClientId)).unwrap()).or_default();
        sums.0 += usize::from(!row.is_overflowed());
        sums.1 += row.tally.unwrap().headers;
    }
    let expected = [(&b"a"[..], (HEADERS_OF_A_CLIENT, 300)), (b"b", (10, 300)), (b"c", (0, 300))];
    assert_eq!(by_client, expected.into());
}

#[test]
fn clients_that_are_too_many_are_summed_up_without_their_names() {
    let mut headers = Headers::new(2);

    for name in ["a", "b", "c", "d"] {
        see(&mut headers, &client(name), &[record(b"k", b"v")], &Rules::default());
    }

    let others: Vec<_> = headers.rows().filter(|row| row.client.is_none()).collect();
    assert_eq!(others.len(), 1);
    assert_eq!((others[0].looked_at, others[0].tally.unwrap().headers), (2, 2));
    assert_eq!(headers.rows().map(|row| row.tally.map_or(0, |tally| tally.headers)).sum::<u64>(), 4);
}
