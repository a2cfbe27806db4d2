//! Administrative requests one by one: fields that are listed, and secrets that never are.

use std::sync::Arc;

use kwitness_protocol::schema::api;
use kwitness_protocol::{Contents, Hidden, IdentityField, IdentityFields, Limits, SharedWishes, Side, Wishes};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::division::cut;
use crate::kafka::{VECTORS, Vector};
use crate::partition_frames::varint;
use crate::telling::{as_kafka_writes, fields, without};
use crate::transcript::{Conversation, frame, request, response};

const DELETE_RECORDS: i16 = 21;
const CREATE_ACLS: i16 = 30;
const DELETE_ACLS: i16 = 31;
const CREATE_PARTITIONS: i16 = 37;
const DELETE_GROUPS: i16 = 42;
const INCREMENTAL_ALTER_CONFIGS: i16 = 44;
const ALTER_CLIENT_QUOTAS: i16 = 49;
const ALTER_USER_SCRAM_CREDENTIALS: i16 = 51;
const ADMINISTRATIVE: [i16; 8] = [
    DELETE_RECORDS,
    CREATE_ACLS,
    DELETE_ACLS,
    CREATE_PARTITIONS,
    DELETE_GROUPS,
    INCREMENTAL_ALTER_CONFIGS,
    ALTER_CLIENT_QUOTAS,
    ALTER_USER_SCRAM_CREDENTIALS,
];
/// How much of a secret would be one.
const PIECE: usize = 8;

fn vectors() -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().flatten().filter(|vector| ADMINISTRATIVE.contains(&vector.key))
}

/// Reads these pieces of one message.
fn read(key: i16, version: i16, side: Side, pieces: &[&[u8]], filter: SharedWishes) -> Contents {
    let mut conversation = Conversation::telling(Limits::default(), filter);
    if side == Side::Broker {
        let correlation = pieces.concat().get(4..8).map_or(0, |bytes| i32::from_be_bytes(bytes.try_into().unwrap()));
        let is_flexible = api(key).unwrap().request_header(version) == Some(2);
        conversation.client(&request(key, version, correlation, is_flexible, &[]));
    }
    for bytes in pieces {
        conversation.feed(side, bytes, 0);
    }
    let message = conversation.messages().into_iter().find(|message| message.side == side).unwrap();
    message.contents.clone().unwrap()
}

fn contents_of(vector: &Vector, piece: usize) -> Contents {
    let side = if vector.is_request { Side::Client } else { Side::Broker };
    let bytes = frame(&[&vector.frame]);
    read(vector.key, vector.version, side, &bytes.chunks(piece).collect::<Vec<_>>(), SharedWishes::default())
}

#[test]
fn listed_fields_of_every_version_are_those_of_kafka_and_there_are_no_others() {
    let mut compared = 0;
    for vector in vectors() {
        let whole = contents_of(vector, usize::MAX);
        for piece in [1, 7, 100] {
            assert_eq!(contents_of(vector, piece), whole, "{vector} in pieces of {piece}");
        }
        let is_left_out = |fields: &Map<String, Json>, name: &str| {
            let is_never = ["errorMessage", "salt", "saltedPassword", "throttleTimeMs", "timeoutMs", "unknownTags"];
            let is_config = vector.key == INCREMENTAL_ALTER_CONFIGS && name == "value";
            is_never.contains(&name) || is_config || fields[name].is_null() && name == "assignments"
        };

        let fields = as_kafka_writes(&fields(&whole, None));

        let of_configs = |_: &Map<String, Json>, name: &str| vector.key == INCREMENTAL_ALTER_CONFIGS && name == "value";
        assert_eq!(without(&fields, &of_configs), without(vector.json(), &is_left_out), "{vector}");
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

fn compact(text: &[u8]) -> Vec<u8> {
    [varint(text.len() + 1), text.to_vec()].concat()
}

/// One user whose password is set.
fn set_password(user: &str, salt: &[u8], salted: &[u8]) -> Vec<u8> {
    let upsertion =
        [&compact(user.as_bytes())[..], &[2], &8_192_i32.to_be_bytes(), &compact(salt), &compact(salted), &[0]];
    request(ALTER_USER_SCRAM_CREDENTIALS, 0, 1, true, &[&[1, 2][..], &upsertion.concat(), &[0]].concat())
}

/// One entry of a resource of this type.
fn set_config(kind: u8, name: &[u8], value: &[u8]) -> Vec<u8> {
    let entry = [&compact(name)[..], &[0], &compact(value), &[0]].concat();
    let resource = [&[2, kind][..], &compact(b"1"), &[2], &entry, &[0]].concat();
    request(INCREMENTAL_ALTER_CONFIGS, 1, 1, true, &[&resource[..], &[0, 0]].concat())
}

fn assert_has_nothing_of(contents: &Contents, secret: &str) {
    let all =
        format!("{contents:?} {}", contents.fields.as_ref().map_or_else(String::new, |fields| fields.json(|_| None)));
    for start in 0..=secret.len() - PIECE {
        assert!(!all.contains(&secret[start..start + PIECE]), "{all}");
    }
}

proptest! {
    #[test]
    fn neither_salt_nor_salted_password_is_in_fields_however_the_request_is_divided(
        user in "[a-z]{1,9}",
        salt in "[A-Z]{8,40}",
        salted in "[A-Z]{8,300}",
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        end in any::<prop::sample::Index>(),
    ) {
        let bytes = set_password(&user, salt.as_bytes(), salted.as_bytes());

        let contents = read(51, 0, Side::Client, &cut(&bytes, &places), SharedWishes::default());

        let expected = json!({"Name": user, "Mechanism": 2, "Iterations": 8192});
        prop_assert_eq!(fields(&contents, None), json!({"Deletions": [], "Upsertions": [expected]}));
        assert_has_nothing_of(&contents, &salt);
        assert_has_nothing_of(&contents, &salted);

        // One that ends too early has no fields.
        let short = frame(&[&bytes[4..5.max(end.index(bytes.len()))]]);
        let mut conversation = Conversation::telling(Limits::default(), SharedWishes::default());
        for piece in cut(&short, &places) {
            conversation.client(piece);
        }
        for message in conversation.messages() {
            let Some(contents) = &message.contents else { continue };
            prop_assert!(contents.fields.is_none() && contents.is_truncated);
            assert_has_nothing_of(contents, &salt);
            assert_has_nothing_of(contents, &salted);
        }
    }

    #[test]
    fn the_value_of_a_configuration_with_the_name_of_a_secret_is_hidden(
        kind in prop::sample::select(vec![2_u8, 4, 8, 16, 32, 64]),
        before in "[a-z.]{0,9}",
        word in prop::sample::select(vec!["password", "Secret", "sasl.jaas.config", "ssl.keystore.key", "token"]),
        value in "[A-Z]{8,300}",
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
    ) {
        let name = format!("{before}{word}");
        let bytes = set_config(kind, name.as_bytes(), value.as_bytes());

        let contents = read(44, 1, Side::Client, &cut(&bytes, &places), SharedWishes::default());

        assert_has_nothing_of(&contents, &value);
        let entry = json!({"Name": name, "ConfigOperation": 0, "Value": {"bytes": value.len()}});
        prop_assert_eq!(&fields(&contents, None)["Resources"][0]["Configs"], &json!([entry]));
    }

    #[test]
    fn a_message_that_is_cut_off_has_no_fields_and_nothing_is_reserved_for_its_counts(
        which in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
        huge in any::<bool>(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let requests: Vec<&Vector> = vectors().filter(|vector| vector.is_request).collect();
        let vector = requests[which.index(requests.len())];
        let cut_off = &vector.frame[..14.max(end.index(vector.frame.len())).min(vector.frame.len())];
        let count: &[u8] = if huge { &[0xff, 0xff, 0xff, 0xff, 0x07] } else { &[] };
        let bytes = frame(&[cut_off, count]);
        let mut conversation = Conversation::telling(Limits::default(), SharedWishes::default());

        for piece in cut(&bytes, &places) {
            conversation.client(piece);
        }

        for message in conversation.messages() {
            let Some(contents) = &message.contents else { continue };
            prop_assert!(contents.fields.is_some() || contents.is_truncated);
            prop_assert!(contents.size <= 16 * bytes.len() + 1_024, "{} of {}", contents.size, bytes.len());
        }
    }
}

#[test]
fn values_that_cannot_be_secrets_are_in_fields_and_names_need_not_be_text() {
    let configured = |kind, name: &[u8], value: &str| {
        let bytes = set_config(kind, name, value.as_bytes());
        let contents = read(44, 1, Side::Client, &[&bytes], SharedWishes::default());
        fields(&contents, None)["Resources"][0]["Configs"][0].clone()
    };
    let entry = |name: &str, value: Json| json!({"Name": name, "ConfigOperation": 0, "Value": value});

    assert_eq!(configured(2, b"retention.ms", "60000"), entry("retention.ms", json!("60000")));
    assert_eq!(configured(4, b"num.io.threads", "8"), entry("num.io.threads", json!("8")));
    assert_eq!(configured(4, b"some.plugin", "12345678"), entry("some.plugin", json!({"bytes": 8})));
    assert_eq!(configured(2, b"a\xffb", "1"), entry("a\u{fffd}b", json!("1")));
}

#[test]
fn an_answer_has_its_error_codes_and_no_message() {
    let body = [&[0, 0, 0, 0, 2][..], &compact(b"alice"), &[0, 58], &compact(b"the password was hunter2"), &[0, 0]];
    let bytes = response(7, &[&[0][..], &body.concat()].concat());

    let contents = read(51, 0, Side::Broker, &[&bytes], SharedWishes::default());

    assert_eq!(fields(&contents, None), json!({"Results": [{"User": "alice", "ErrorCode": 58}]}));
    assert_eq!(contents.errors.into_iter().collect::<Vec<_>>(), [(58, 1)]);
}

#[test]
fn what_is_dropped_of_clients_is_null_where_an_administrator_names_it() {
    let dropped: IdentityFields = [IdentityField::GroupId].into_iter().collect();
    let hidden = Hidden { principals: true, client_ids: false, addresses: true };
    let read = |key, version, body: &[u8]| {
        let bytes = request(key, version, 1, true, body);
        let filter = Arc::new(Wishes::new(dropped, hidden));
        let contents = read(key, version, Side::Client, &[&bytes], filter);
        fields(&contents, None)
    };
    let acl = |kind: u8, name: &str| {
        let creation =
            [&[kind][..], &compact(name.as_bytes()), &[3], &compact(b"User:alice"), &compact(b"10.0.0.7"), &[3, 3, 0]];
        read(CREATE_ACLS, 3, &[&[2][..], &creation.concat(), &[0]].concat())["Creations"][0].clone()
    };
    let quota = |kind: &str| {
        let entity = [&[2][..], &compact(kind.as_bytes()), &compact(b"one"), &[0]].concat();
        let entry = [&[2][..], &entity, &[1, 0, 0, 0]].concat();
        read(ALTER_CLIENT_QUOTAS, 1, &entry)["Entries"][0]["Entity"][0]["EntityName"].clone()
    };

    assert_eq!((acl(2, "orders")["ResourceName"].clone(), acl(3, "readers")["ResourceName"].clone()), {
        (json!("orders"), Json::Null)
    });
    assert_eq!((acl(2, "orders")["Principal"].clone(), acl(2, "orders")["Host"].clone()), (Json::Null, Json::Null));
    assert_eq!(["user", "client-id", "ip"].map(quota), [Json::Null, json!("one"), Json::Null]);
    let groups = [&[2][..], &compact(b"readers"), &[0]].concat();
    assert_eq!(read(DELETE_GROUPS, 2, &groups), json!({"GroupsNames": [null]}));
    let user = [&[2][..], &compact(b"alice"), &[1, 0, 1, 0]].concat();
    assert_eq!(read(ALTER_USER_SCRAM_CREDENTIALS, 0, &user)["Deletions"], json!([{"Name": null, "Mechanism": 1}]));
}

#[test]
fn a_permission_names_no_topic_and_a_configuration_does() {
    let creation = [&[2][..], &compact(b"orders-"), &[4], &compact(b"User:a"), &compact(b"*"), &[3, 3, 0]].concat();
    let acl = request(CREATE_ACLS, 3, 1, true, &[&[2][..], &creation, &[0]].concat());
    let topics =
        |key, version, bytes: &[u8]| read(key, version, Side::Client, &[bytes], SharedWishes::default()).topics;

    assert_eq!(topics(CREATE_ACLS, 3, &acl).len(), 0);
    assert_eq!(topics(INCREMENTAL_ALTER_CONFIGS, 1, &set_config(2, b"retention.ms", b"1")).len(), 1);
}

#[test]
fn what_follows_a_message_as_librdkafka_writes_it_hides_nothing_of_it() {
    let bytes = set_password("bob", b"salt of sixteen.", b"secret");
    let bytes = frame(&[&bytes[4..], &[0]]);

    let contents = read(ALTER_USER_SCRAM_CREDENTIALS, 0, Side::Client, &[&bytes], SharedWishes::default());

    assert_eq!(fields(&contents, None)["Upsertions"][0]["Name"], json!("bob"));
    assert!(!contents.is_truncated);
}
