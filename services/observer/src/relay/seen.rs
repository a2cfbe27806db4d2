//! Counts what a connection says, and keeps what has to be done about it.

use std::cell::RefMut;

use kwitness_protocol::schema::Api;
use kwitness_protocol::{Event, Opaque};
use kwitness_recording::{Client, Recorder, Unfollowed};

use crate::client_information::{Information, Informed};
use crate::counters::{Counters, Software};
use crate::unserved::Unserved;

/// Takes the events of the bytes that pass at once.
pub(super) struct Seen<'a> {
    pub(super) counters: &'a Counters,
    pub(super) now_ms: u64,
    pub(super) recorded: Option<(RefMut<'a, Recorder>, &'a mut Client)>,
    pub(super) has_request: bool,
    pub(super) is_introduced: bool,
    pub(super) opaque: Option<Opaque>,
    pub(super) software: Option<Software>,
    pub(super) unserved: Option<Unserved>,
    pub(super) informed: &'a mut Informed,
    /// A broker refuses what the client calls its software.
    pub(super) is_refused: bool,
}

/// Whether clients ask for this before they have said who they are.
const fn is_introduction(key: i16) -> bool {
    matches!(key, Api::API_VERSIONS | Api::SASL_HANDSHAKE | Api::SASL_AUTHENTICATE)
}

impl Seen<'_> {
    /// Reading it ended by an error of ours.
    pub(super) fn give_up(&mut self) {
        if let Some((recorder, client)) = &mut self.recorded {
            recorder.give_up(client, Unfollowed::Panic);
        }
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        if let Some((recorder, client)) = &mut self.recorded {
            recorder.record(client, event, self.now_ms);
        }
        if let Some(information) = self.informed.by(event) {
            self.counters.informed(information);
            self.is_refused |= information == Information::Invalid;
        }
        match event {
            Event::Software(software) => self.software = Some((software.name.into(), software.version.into())),
            Event::Request(request) => {
                self.has_request = true;
                self.is_introduced |= !is_introduction(request.key);
            }
            Event::Mechanism(mechanism) => self.unserved = Unserved::of(*mechanism),
            Event::Unread { why, .. } => self.counters.unread(*why),
            Event::Opaque(reason) => self.opaque = Some(*reason),
            _ => {}
        }
    }
}
