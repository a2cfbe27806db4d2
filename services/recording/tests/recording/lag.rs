//! How far clients read behind the ends of partitions.

use kwitness_observation::Identity;
use kwitness_protocol::{Content, Event, Fetched, PartitionExchange, Topic};
use kwitness_recording::Client;
use serde_json::{Value, json};

use crate::scene::{FETCH, ORDERS, Scene, records};

const SHARE_FETCH: i16 = 78;
const MINUTE_MS: u64 = 60_000;
const BEGIN_MS: u64 = 22_000;

fn read(next_offset: i64, high_watermark: i64, last_stable_offset: Option<i64>) -> Fetched {
    Fetched { next_offset, high_watermark, last_stable_offset, leader_epoch: None }
}

fn answer(topic: Topic<'_>, partition: i32, fetched: Fetched) -> Event<'_> {
    let content = Content::default();
    Event::Partition(PartitionExchange {
        key: FETCH,
        version: 12,
        topic,
        partition,
        error: 0,
        confirmed: true,
        content,
        fetched: Some(fetched),
    })
}

/// A scene with a second connection, of another client.
struct Readers {
    scene: Scene,
    other: Client,
}

impl Readers {
    fn new() -> Self {
        let mut scene = Scene::new();
        scene.request(FETCH, b"slow");
        let other = scene.recorder.open(2, Identity::default(), true, BEGIN_MS);
        Self { scene, other }
    }

    fn slow(&mut self, partition: i32, fetched: Fetched, now_ms: u64) {
        self.scene.recorder.record(&mut self.scene.client, &answer(ORDERS, partition, fetched), now_ms);
    }

    fn other(&mut self, partition: i32, fetched: Fetched, now_ms: u64) {
        self.scene.recorder.record(&mut self.other, &answer(ORDERS, partition, fetched), now_ms);
        let presence = Event::Presence { topic: ORDERS, partitions: 1 };
        self.scene.recorder.record(&mut self.other, &presence, now_ms);
    }

    /// The row of the slow client's topic.
    fn topic(&mut self, now_ms: u64) -> Value {
        let presence = Event::Presence { topic: ORDERS, partitions: 2 };
        self.scene.recorder.record(&mut self.scene.client, &presence, now_ms);
        let window = self.scene.recorder.swap(now_ms);
        let rows = self.scene.rows(&window);
        let of_slow = |row: &&Value| row["kind"] == "presence" && row["client_id"] == "slow";
        let [row] = &rows.iter().filter(of_slow).collect::<Vec<_>>()[..] else { panic!("{rows:?}") };
        (*row).clone()
    }
}

fn lag(row: &Value) -> [&Value; 3] {
    ["fetch_lag", "fetch_lag_partitions", "held_by_transaction"].map(|name| row.get(name).unwrap_or(&Value::Null))
}

#[test]
fn the_row_of_a_topic_has_the_largest_lag_of_its_partitions() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, Some(85)), BEGIN_MS);
    readers.slow(1, read(10, 11, Some(2)), BEGIN_MS);

    assert_eq!(lag(&readers.topic(BEGIN_MS)), [&json!(20), &json!(2), &json!(9)]);
}

#[test]
fn the_row_of_a_partition_has_the_lag_of_its_last_answer() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, Some(85)), BEGIN_MS);
    readers.slow(0, read(80, 91, None), BEGIN_MS);

    let [row] = &readers.scene.of_kind("partition")[..] else { panic!("one row") };
    let values = ["high_watermark", "fetch_lag", "held_by_transaction"].map(|name| row.get(name));
    assert_eq!(values, [Some(&json!(91)), Some(&json!(11)), None]);
}

#[test]
fn the_watermark_is_the_largest_of_any_client() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, Some(90)), BEGIN_MS);
    readers.other(0, read(500, 500, Some(450)), BEGIN_MS + 1);
    readers.other(0, read(400, 400, Some(400)), BEGIN_MS + 2);

    assert_eq!(lag(&readers.topic(BEGIN_MS + 3)), [&json!(430), &json!(1), &json!(0)]);
}

#[test]
fn a_watermark_of_a_newer_leader_epoch_replaces_a_larger_one() {
    let of_epoch =
        |next_offset, high_watermark, leader_epoch| Fetched { leader_epoch, ..read(next_offset, high_watermark, None) };
    // By the epoch that the slow client's answer has: the newer one of another client counts, and an older one does not.
    let cases = [(Some(6), Some(7), json!(30)), (Some(7), Some(6), json!(10)), (None, Some(7), json!(30))];
    for (own, others, expected) in cases {
        let mut readers = Readers::new();
        readers.other(0, of_epoch(900, 900, Some(5)), BEGIN_MS);
        readers.other(0, of_epoch(100, 100, others), BEGIN_MS + 1);
        readers.slow(0, of_epoch(70, 80, own), BEGIN_MS + 2);

        assert_eq!(lag(&readers.topic(BEGIN_MS + 3))[0], &expected, "{own:?} and {others:?}");
    }
}

#[test]
fn a_lag_that_no_answer_confirms_for_a_minute_is_absent() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, Some(90)), BEGIN_MS);

    assert_eq!(lag(&readers.topic(BEGIN_MS + MINUTE_MS - 1))[0], &json!(20));
    assert_eq!(lag(&readers.topic(BEGIN_MS + MINUTE_MS)), [&Value::Null; 3]);
}

#[test]
fn a_watermark_of_another_client_counts_for_a_minute() {
    let mut readers = Readers::new();
    readers.other(0, read(500, 500, None), BEGIN_MS);
    let almost = BEGIN_MS + MINUTE_MS - 1;
    readers.slow(0, read(70, 90, None), almost);
    assert_eq!(lag(&readers.topic(almost))[0], &json!(430));

    assert_eq!(lag(&readers.topic(almost + 1))[0], &json!(20));
}

#[test]
fn a_watermark_below_what_was_read_is_counted_and_has_no_lag() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 60, Some(60)), BEGIN_MS);

    assert_eq!(lag(&readers.topic(BEGIN_MS)), [&Value::Null; 3]);
    readers.slow(0, read(70, 60, Some(60)), BEGIN_MS);
    let rows = readers.scene.of_kind("partition");
    assert_eq!(rows[0]["watermarks_below"], 1);
    assert!(rows[0].get("fetch_lag").is_none() && rows[0].get("high_watermark").is_none());
}

const SECOND_MS: u64 = 1_000;

fn age(row: &Value) -> [&Value; 2] {
    ["fetch_lag_ms", "fetch_lag_basis"].map(|name| row.get(name).unwrap_or(&Value::Null))
}

/// A client that reads 100 records of partition 0 every ten seconds until it is at 200, and half a minute later at 300.
fn samples() -> Readers {
    let mut readers = Readers::new();
    for (seconds, end) in [(0, 100), (10, 200), (40, 300)] {
        readers.other(0, read(end, end, None), BEGIN_MS + seconds * SECOND_MS);
    }
    readers
}

#[test]
fn the_age_of_a_record_that_is_not_read_lies_between_two_samples_of_the_watermark() {
    let now_ms = BEGIN_MS + 50 * SECOND_MS;
    let cases = [
        (50, json!(50_000), "at_least"),      // it had come before the first sample
        (150, json!(44_900), "interpolated"), // the 51st of 100 in ten seconds
        (200, json!(39_700), "observed"),     // the first of 100 in thirty seconds
        (299, json!(10_000), "observed"),     // the last
        (300, json!(0), "observed"),          // there is none
    ];
    for (position, ms, basis) in cases {
        let mut readers = samples();
        readers.slow(0, read(position, 300, None), now_ms);

        assert_eq!(age(&readers.topic(now_ms)), [&ms, &json!(basis)], "at {position}");
    }
}

#[test]
fn a_record_is_no_older_than_the_last_answer_that_did_not_have_it() {
    let mut readers = Readers::new();
    let idle_s = 300;
    for seconds in 0..=idle_s {
        readers.other(0, read(100, 100, None), BEGIN_MS + seconds * SECOND_MS);
    }
    readers.other(0, read(101, 101, None), BEGIN_MS + (idle_s + 1) * SECOND_MS);
    let now_ms = BEGIN_MS + (idle_s + 10) * SECOND_MS;
    readers.slow(0, read(100, 101, None), now_ms);

    assert_eq!(age(&readers.topic(now_ms)), [&json!(9_000), &json!("observed")]);
}

#[test]
fn the_topic_has_the_oldest_record_of_its_partitions_and_a_partition_its_own() {
    let mut readers = samples();
    readers.other(1, read(0, 0, None), BEGIN_MS);
    readers.other(1, read(5, 5, None), BEGIN_MS + 2 * SECOND_MS);
    let now_ms = BEGIN_MS + 50 * SECOND_MS;
    readers.slow(0, read(299, 300, None), now_ms);
    readers.slow(1, read(4, 5, None), now_ms);

    assert_eq!(age(&readers.topic(now_ms)), [&json!(48_000), &json!("observed")]);
    readers.slow(0, read(299, 300, None), now_ms);
    let window = readers.scene.recorder.swap(now_ms);
    let rows = readers.scene.rows(&window);
    let row = rows.iter().find(|row| row["kind"] == "partition" && row["client_id"] == "slow").unwrap();
    let end_ms = row["window_end_ms"].as_u64().unwrap();
    assert_eq!(age(row), [&json!(end_ms - BEGIN_MS - 40 * SECOND_MS), &json!("observed")]);
}

#[test]
fn records_that_a_log_has_lost_have_no_samples() {
    let mut readers = samples();
    let now_ms = BEGIN_MS + 41 * SECOND_MS + MINUTE_MS;
    readers.other(0, read(150, 150, None), now_ms - SECOND_MS);
    readers.other(0, read(160, 160, None), now_ms);
    readers.slow(0, read(159, 160, None), now_ms);

    assert_eq!(age(&readers.topic(now_ms)), [&json!(0), &json!("observed")]);
    readers.slow(0, read(90, 160, None), now_ms);
    assert_eq!(age(&readers.topic(now_ms)), [&json!(now_ms - BEGIN_MS), &json!("at_least")]);
}

#[test]
fn a_clock_that_stops_or_goes_back_makes_no_record_older() {
    let mut readers = Readers::new();
    for (at_ms, end) in [(BEGIN_MS, 100), (BEGIN_MS, 200), (BEGIN_MS - 9 * SECOND_MS, 300)] {
        readers.other(0, read(end, end, None), at_ms);
    }
    readers.slow(0, read(250, 300, None), BEGIN_MS - 9 * SECOND_MS);

    assert_eq!(age(&readers.topic(BEGIN_MS - 9 * SECOND_MS)), [&json!(0), &json!("at_least")]);
}

#[test]
fn a_share_group_is_behind_by_what_lies_beyond_the_last_offset_that_it_acquired() {
    for (end, lag) in [(None, None), (Some(150), Some(50)), (Some(100), Some(0)), (Some(99), None)] {
        let mut scene = Scene::new();
        scene.request(SHARE_FETCH, b"sharing");
        let acquired = Content { first_offset: Some(90), last_offset: Some(99), ..records(10) };
        scene.partition(SHARE_FETCH, ORDERS, 0, acquired);
        if let Some(offset) = end {
            scene.record(Event::End { topic: ORDERS, partition: 0, offset });
        }
        let window = scene.swap();
        let rows = scene.rows(&window);
        let row = rows.iter().find(|row| row["kind"] == "partition").unwrap();
        let lag = lag.map(Value::from);
        assert_eq!(row.get("fetch_lag"), lag.as_ref(), "{end:?}");
        assert_eq!(row.get("fetch_lag_ms").is_some(), lag.is_some());
        let totals = window.traffic(&scene.names);
        let of_topic = totals.iter().find(|(labels, _)| labels.api == "ShareFetch" && labels.topic.is_some()).unwrap();
        assert_eq!(of_topic.1.fetch_lag.map(Value::from), lag);
    }
}

#[test]
fn totals_have_the_largest_lag_of_each_client_and_topic() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, Some(85)), BEGIN_MS);
    let presence = Event::Presence { topic: ORDERS, partitions: 2 };
    readers.scene.record(presence);

    let totals = readers.scene.totals();

    assert_eq!((&totals["start_ms"], &totals["end_ms"]), (&json!(20_000), &json!(30_000)));
    let of_fetch = totals["traffic"].as_array().unwrap().iter().find(|entry| entry["api"] == "Fetch").unwrap();
    assert_eq!((&of_fetch["fetch_lag"], &of_fetch["held_by_transaction"]), (&json!(20), &json!(5)));
    assert_eq!(of_fetch["fetch_lag_ms"], 0, "the first sample is of now");
}

#[test]
fn positions_are_forgotten_when_a_connection_has_too_many_topics_or_partitions() {
    let mut readers = Readers::new();
    readers.slow(0, read(70, 90, None), BEGIN_MS);
    for number in 0..3_000 {
        let name = format!("topic-{number}");
        let event = answer(Topic::Name(name.as_bytes()), 0, read(0, 0, None));
        readers.scene.recorder.record(&mut readers.scene.client, &event, BEGIN_MS);
    }
    assert_eq!(lag(&readers.topic(BEGIN_MS))[0], &Value::Null);

    for partition in 0..100_000 {
        readers.slow(partition, read(1, 2, None), BEGIN_MS);
    }
    assert!(readers.scene.client.lasting_bytes() < 4 << 20, "{}", readers.scene.client.lasting_bytes());
    assert_eq!(lag(&readers.topic(BEGIN_MS))[0], &json!(1));
}
