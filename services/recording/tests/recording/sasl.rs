//! Rows name who a client is by SASL.

use std::sync::Arc;

use kwitness_observation::Identity;
use kwitness_protocol::{Authenticated, Event, Mechanism, PrincipalSource};
use kwitness_recording::{End, Recorder, Settings, TopicNames, Writer};

use crate::written_rows::source;

#[test]
fn rows_have_the_principal_that_a_broker_believed() {
    let names = Arc::new(TopicNames::new(10));
    let mut recorder = Recorder::new(Settings::of_at_most(10), Arc::clone(&names), 0);
    for (principal, succeeded) in [("User:alice", true), ("User:mallory", false)] {
        let mut client = recorder.open(1, Identity::default(), true, 0);
        let mechanism = Mechanism::Plain;
        let told = Authenticated { mechanism, principal: Some(principal), source: PrincipalSource::Sasl, succeeded };
        recorder.record(&mut client, &Event::Authenticated(told), 0);
        recorder.close(client, End::Client, 5);
    }

    let mut rows = String::new();
    Writer::new(source(), 1).write(&recorder.swap(10_000), &names, &mut |row| {
        rows += std::str::from_utf8(&row.line).unwrap();
        Ok(())
    });

    assert!(rows.contains(r#""principal":"User:alice""#), "{rows}");
    assert!(!rows.contains("mallory"), "{rows}");
}
