//! Produce, Fetch and `ShareFetch` in every version, as Kafka's own classes encode them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kwitness_protocol::schema::{Api, api};
use kwitness_protocol::{Opening, Reader, RequestHeader};
use serde_json::Value as Json;

use crate::kafka::{VECTORS, Vector};
use crate::partition_frames::varint;
use crate::record_vectors::RECORDS;
use crate::transcript::{AnyTopic, Conversation, frame, request};

fn vectors(key: i16, is_request: bool) -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().flatten().filter(move |one| one.key == key && one.is_request == is_request)
}

fn is_flexible(vector: &Vector) -> bool {
    api(vector.key).unwrap().request_header(vector.version) == Some(2)
}

fn array<'a>(json: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    json[name].as_array().into_iter().flatten()
}

fn int(json: &Json, name: &str) -> i64 {
    json[name].as_i64().unwrap_or_else(|| panic!("no {name} in {json}"))
}

/// A topic with a name in older versions, with an id in newer ones.
fn topic(json: &Json) -> AnyTopic {
    match json["topicId"].as_str() {
        Some(id) => AnyTopic::Id(URL_SAFE_NO_PAD.decode(id).unwrap().try_into().unwrap()),
        None => AnyTopic::Name(json["name"].as_str().or(json["topic"].as_str()).unwrap().into()),
    }
}

/// Topic, partition, error, batches, records, bytes.
type Row = (AnyTopic, i64, i64, u64, u64, u64);

fn row(topic_json: &Json, partition: i64, error: i64, partition_json: &Json) -> Row {
    let one = RECORDS.iter().find(|one| one.name == "format 2 none of 1").unwrap().bytes.len() as u64;
    let bytes = partition_json["recordsSizeInBytes"].as_u64().unwrap_or(0);
    (topic(topic_json), partition, error, bytes / one, bytes / one, bytes)
}

fn rows(conversation: &Conversation) -> Vec<Row> {
    let row = |one: &&crate::transcript::Exchanged| {
        let content = one.content;
        let (partition, error) = (one.partition.into(), one.error.into());
        (one.topic.clone(), partition, error, content.batches, content.records, content.bytes)
    };
    conversation.partitions().iter().map(row).collect()
}

/// A conversation in which this response answers a request of which only the header can be read.
fn answered(response: &Vector) -> Conversation {
    let correlation = i32::from_be_bytes(response.frame[..4].try_into().unwrap());
    let mut conversation = Conversation::new();
    conversation.client(&request(response.key, response.version, correlation, is_flexible(response), &[]));
    conversation.told.clear();
    conversation.broker(&frame(&[&response.frame]));
    conversation
}

#[test]
fn every_version_of_a_produce_request_is_read() {
    let mut with_records = 0;
    for vector in vectors(Api::PRODUCE, true) {
        let mut bytes = vector.frame.clone();
        let mut reader = Reader::new(&vector.frame);
        let opening = Opening::read(&mut reader).unwrap();
        let flexible = is_flexible(vector);
        RequestHeader::read(opening, if flexible { 2 } else { 1 }, &mut reader).unwrap();
        if vector.version >= 3 {
            reader.string(flexible).unwrap();
        }
        let acks = bytes.len() - reader.left();
        bytes[acks..acks + 2].fill(0); // so that it is told at once

        let mut conversation = Conversation::new();
        conversation.client(&frame(&[&bytes]));

        let expected: Vec<Row> = array(vector.json(), "topicData")
            .flat_map(|topic| array(topic, "partitionData").map(move |one| row(topic, int(one, "index"), 0, one)))
            .collect();
        with_records += expected.iter().filter(|row| row.3 > 0).count();
        assert_eq!(conversation.unread(), [], "{vector}");
        assert_eq!(rows(&conversation), expected, "{vector}");
    }
    assert!(with_records > 20);
}

#[test]
fn every_version_of_a_fetch_response_is_read() {
    let mut with_records = 0;
    for vector in vectors(Api::FETCH, false) {
        let conversation = answered(vector);

        let expected: Vec<Row> = array(vector.json(), "responses")
            .flat_map(|topic| {
                let row = |one| row(topic, int(one, "partitionIndex"), int(one, "errorCode"), one);
                array(topic, "partitions").map(row).collect::<Vec<_>>()
            })
            .collect();
        with_records += expected.iter().filter(|row| row.3 > 0).count();
        assert_eq!(conversation.unread(), [], "{vector}");
        assert_eq!(rows(&conversation), expected, "{vector}");
    }
    assert!(with_records > 20);
}

#[test]
fn every_version_of_a_share_fetch_response_is_read() {
    let acquired = |one: &Json| {
        let offsets = |range: &Json| {
            let offsets = int(range, "lastOffset").saturating_sub(int(range, "firstOffset")).saturating_add(1);
            u64::try_from(offsets).unwrap_or(0)
        };
        array(one, "acquiredRecords").map(offsets).fold(0_u64, u64::saturating_add)
    };
    for vector in vectors(Api::SHARE_FETCH, false) {
        let conversation = answered(vector);

        let expected: Vec<Row> = array(vector.json(), "responses")
            .flat_map(|topic| {
                let row = |one| {
                    let mut row = row(topic, int(one, "partitionIndex"), int(one, "errorCode"), one);
                    row.4 = row.4.min(acquired(one));
                    row
                };
                array(topic, "partitions").map(row).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(conversation.unread(), [], "{vector}");
        assert_eq!(rows(&conversation), expected, "{vector}");
    }
}

/// A Produce request that names the partitions of a response, without records.
fn produce_for(response: &Vector) -> Vec<u8> {
    let (version, flexible) = (response.version, response.version >= 9);
    let count = |count: usize| {
        if flexible { varint(count + 1) } else { i32::try_from(count).unwrap().to_be_bytes().to_vec() }
    };
    let name = |name: &[u8]| {
        let length = i16::try_from(name.len()).unwrap().to_be_bytes().to_vec();
        [if flexible { varint(name.len() + 1) } else { length }, name.to_vec()].concat()
    };
    let tags: &[u8] = if flexible { &[0] } else { &[] };
    let transactional_id: &[u8] = match (version >= 3, flexible) {
        (true, true) => &[0],
        (true, false) => &[0xff, 0xff],
        _ => &[],
    };
    let topics: Vec<&Json> = array(response.json(), "responses").collect();
    let mut body = [transactional_id, &[0, 1], &[0; 4], &count(topics.len())].concat();
    for one in topics {
        match topic(one) {
            AnyTopic::Name(text) => body.extend(name(&text)),
            AnyTopic::Id(id) => body.extend(id),
        }
        let partitions: Vec<&Json> = array(one, "partitionResponses").collect();
        body.extend(count(partitions.len()));
        for partition in partitions {
            body.extend(i32::try_from(int(partition, "index")).unwrap().to_be_bytes());
            body.extend(if flexible { vec![0] } else { vec![0xff; 4] });
            body.extend(tags);
        }
        body.extend(tags);
    }
    body.extend(tags);
    let correlation = i32::from_be_bytes(response.frame[..4].try_into().unwrap());
    request(Api::PRODUCE, version, correlation, flexible, &body)
}

#[test]
fn every_version_of_a_produce_response_is_read() {
    for vector in vectors(Api::PRODUCE, false) {
        let mut conversation = Conversation::new();

        conversation.client(&produce_for(vector));
        conversation.broker(&frame(&[&vector.frame]));

        let expected: Vec<Row> = array(vector.json(), "responses")
            .flat_map(|topic| {
                array(topic, "partitionResponses")
                    .map(move |one| row(topic, int(one, "index"), int(one, "errorCode"), one))
            })
            .collect();
        assert_eq!(conversation.unread(), [], "{vector}");
        assert_eq!(rows(&conversation), expected, "{vector}");
    }
}

#[test]
fn every_version_of_a_fetch_request_is_read() {
    let mut of_clients = 0;
    for vector in vectors(Api::FETCH, true) {
        let is_empty = |one: &&Vector| one.version == vector.version && array(one.json(), "responses").count() == 0;
        let mut response = vectors(Api::FETCH, false).find(is_empty).unwrap().frame.clone();
        response[..4].copy_from_slice(&vector.frame[4..8]);

        let mut conversation = Conversation::new();
        conversation.client(&frame(&[&vector.frame]));
        conversation.broker(&frame(&[&response]));

        let body = vector.json();
        let replica = body["replicaId"].as_i64().or(body["replicaState"]["replicaId"].as_i64()).unwrap_or(-1);
        let mut expected: Vec<(AnyTopic, Vec<i64>)> = Vec::new();
        for one in array(body, "topics") {
            let partitions: Vec<i64> = array(one, "partitions").map(|one| int(one, "partition")).collect();
            match expected.iter_mut().find(|(known, _)| *known == topic(one)) {
                Some((_, known)) => known.extend(partitions),
                None if !partitions.is_empty() => expected.push((topic(one), partitions)),
                None => {}
            }
        }
        let mut told = conversation.presences();
        told.sort_by_key(|(topic, _)| expected.iter().position(|(known, _)| known == topic));
        let counted = |(topic, partitions): (AnyTopic, Vec<i64>)| (topic, u32::try_from(partitions.len()).unwrap());
        assert_eq!(conversation.unread(), [], "{vector}");
        if replica < 0 {
            of_clients += expected.len();
            assert_eq!(told, expected.into_iter().map(counted).collect::<Vec<_>>(), "{vector}");
        } else {
            assert_eq!((told, conversation.exchanges()), (vec![], vec![]), "{vector}");
        }
    }
    assert!(of_clients > 5);
}

#[test]
fn every_message_is_read_the_same_however_it_is_divided() {
    let told = |vector: &Vector, size: usize| {
        let mut conversation = Conversation::new();
        if vector.is_request {
            frame(&[&vector.frame]).chunks(size).for_each(|chunk| conversation.client(chunk));
        } else {
            let correlation = i32::from_be_bytes(vector.frame[..4].try_into().unwrap());
            let bare = request(vector.key, vector.version, correlation, is_flexible(vector), &[]);
            conversation.client(&if vector.key == Api::PRODUCE { produce_for(vector) } else { bare });
            frame(&[&vector.frame]).chunks(size).for_each(|chunk| conversation.broker(chunk));
        }
        conversation.told
    };
    for key in [Api::PRODUCE, Api::FETCH, Api::SHARE_FETCH] {
        for vector in vectors(key, true).chain(vectors(key, false)) {
            let whole = told(vector, usize::MAX);
            for size in [1, 64, 256, 257] {
                assert_eq!(told(vector, size), whole, "{vector} in pieces of {size}");
            }
        }
    }
}
