//! Reads a connection again that was passed on unread.

use kwitness_protocol::Connection;
use kwitness_recording::Unfollowed;

use super::{Recorded, Tap, Unrecorded, unknown};
use crate::relay::frames::Frames;
use crate::relay::resumption::Place;
use crate::state::State;

impl Tap {
    /// Returns true if it is passed on unread and can be read again once it is known where frames begin.
    pub(crate) fn may_resume(&self) -> bool {
        self.connection.is_none()
            && !self.reads_nothing
            && match self.state {
                State::RelayOnly => true,
                State::Opaque(_) => self.pauses.are_over(),
                State::Sniff | State::Observed => false,
            }
    }

    /// Read it again from the next frame of each direction on, if it is known where those begin.
    pub(crate) fn resume(&mut self, requests: &Frames, responses: &Frames) {
        let is_missed = match Place::after(requests, responses, self.limits.request) {
            Place::Beginning => {
                self.connection = Some(Connection::new(self.limits));
                false
            }
            Place::NextFrames(skipped) => {
                self.connection = Some(Connection::resumed(self.limits));
                self.skipped = Some(skipped);
                !self.is_introduced
            }
            Place::Later => return,
            Place::Nowhere(reason) => {
                let reason = Unfollowed::Opaque(reason);
                self.record_resumed(true);
                if let Some(Recorded { recorder, client }) = &mut self.recorded {
                    recorder.borrow_mut().give_up(client, reason);
                }
                self.end_as(reason);
                return;
            }
        };
        self.record_resumed(is_missed);
        self.counters.resumed(self.state);
        self.wishes = None;
        if let Some(copying) = &mut self.copying {
            copying.every = None;
        }
        self.turn_to(State::Sniff);
        self.list_again();
    }

    /// Have it recorded from now on.
    fn record_resumed(&mut self, is_missed: bool) {
        if let (Some(Unrecorded { recorder, opened_at_ms }), Some(listed)) = (self.unrecorded.take(), &self.listed) {
            let (number, identity, is_encrypted) =
                (listed.number, (*listed.identity).clone(), listed.security.is_encrypted);
            let client = recorder.borrow_mut().open(number, identity, is_encrypted, opened_at_ms);
            self.recorded = Some(Recorded { recorder, client });
            self.name_software(unknown());
        }
        if let Some(Recorded { recorder, client }) = &mut self.recorded {
            recorder.borrow_mut().resume(client, is_missed);
        }
    }
}
