//! Identities of one connection leave room for those of others.

use std::sync::Arc;

use kwitness_observation::{Identity, IdentityKey};
use kwitness_protocol::{Event, Request};
use kwitness_recording::{Recorder, Settings, TopicNames, Who};

#[test]
fn a_connection_of_many_names_leaves_places_to_other_connections() {
    let mut recorder = Recorder::new(Settings::of_at_most(20), Arc::new(TopicNames::new(1)), 0);
    let mut request = |connection: u64, names: &[String]| {
        let mut client = recorder.open(connection, Identity::default(), false, 0);
        for name in names {
            let client_id = Some(name.as_bytes());
            recorder.record(
                &mut client,
                &Event::Request(Request { key: 3, version: 0, client_id, bytes: 1, acks: None, is_idempotent: false }),
                0,
            );
        }
    };
    request(1, &(0..100).map(|number| format!("exporter-{number}")).collect::<Vec<_>>());
    request(2, &["shop".to_owned()]);
    let window = recorder.swap(10_000);

    let names: Vec<_> =
        window.apis().map(|(who, ..)| who.client().and_then(|client| client.get(IdentityKey::ClientId))).collect();
    assert_eq!(names.len(), 8 + 1 + 1);
    assert!(names.contains(&Some(b"exporter-7".as_slice())) && names.contains(&Some(b"shop".as_slice())));
    assert!(window.apis().any(|(who, ..)| matches!(who, Who::Others)));
}
