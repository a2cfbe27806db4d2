//! Decides from where a connection that is passed on unread is read again, and when.

use std::time::Duration;

use kwitness_protocol::{Opaque, Side};
use kwitness_recording::Unfollowed;
use tokio::time::Instant;

use super::frames::Frames;
use crate::control::later;

/// The pause before the first attempt; it doubles with each attempt of a connection.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Attempts after which the pause does not grow: it is 256 seconds then.
const MOST_DOUBLINGS: u32 = 8;
/// The first bytes of a TLS record with a handshake.
const TLS_HANDSHAKE: [u8; 2] = [0x16, 3];

/// The pauses of a connection between being given up and being read again.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    attempts: u32,
    until: Option<Instant>,
}

impl Pauses {
    /// The connection is given up for this reason.
    pub(super) fn begin(&mut self, reason: Unfollowed, now: Instant) {
        self.until = is_passing(reason).then(|| {
            let times = 1_u32.checked_shl(self.attempts.min(MOST_DOUBLINGS)).unwrap_or(1);
            later(now, FIRST_PAUSE.saturating_mul(times))
        });
        self.attempts = self.attempts.saturating_add(1);
    }

    /// Returns true if a connection that was given up can be read again.
    pub(super) fn are_over(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }
}

/// Returns true if the reason says nothing of what the connection sends later.
const fn is_passing(reason: Unfollowed) -> bool {
    match reason {
        Unfollowed::Opaque(Opaque::InFlight | Opaque::Correlation) => true,
        Unfollowed::Opaque(_) | Unfollowed::Panic => false,
    }
}

/// The bytes of each direction that pass unread before the next frame begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    client: usize,
    broker: usize,
}

impl Skipped {
    /// Leave out of `bytes` what belongs to the frame that had begun.
    pub(super) fn cut<'a>(&mut self, side: Side, bytes: &'a [u8]) -> &'a [u8] {
        let left = match side {
            Side::Client => &mut self.client,
            Side::Broker => &mut self.broker,
        };
        let (skipped, rest) = bytes.split_at(bytes.len().min(*left));
        *left = left.saturating_sub(skipped.len());
        rest
    }

    pub(super) fn is_over(&self) -> bool {
        *self == Self::default()
    }
}

/// The place from which a connection is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its beginning: nothing has passed.
    Beginning,
    /// The next frame of each direction.
    NextFrames(Skipped),
    /// No place is known now, but one will be.
    Later,
    /// None: its bytes are no frames.
    Nowhere(Opaque),
}

impl Place {
    /// The place by what is known of both directions.
    ///
    /// Parameter `longest`: the longest request that is read.
    pub(super) fn after(requests: &Frames, responses: &Frames, longest: usize) -> Self {
        if requests.is_lost() || responses.is_lost() || requests.longest() > longest {
            return Self::Nowhere(not_frames(requests));
        }
        if requests.is_untouched() && responses.is_untouched() {
            return Self::Beginning;
        }
        match (requests.to_next_frame(), responses.to_next_frame()) {
            (Some(client), Some(broker)) => Self::NextFrames(Skipped { client, broker }),
            _ => Self::Later,
        }
    }
}

/// The reason for which bytes that began so cannot be read.
fn not_frames(requests: &Frames) -> Opaque {
    let length = u32::try_from(requests.longest()).unwrap_or_default().to_be_bytes();
    match requests.complete() {
        0 if length.starts_with(&TLS_HANDSHAKE) => Opaque::Tls,
        0 => Opaque::NotKafka,
        _ => Opaque::FrameLength,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Frames {
        let mut passed = Frames::default();
        passed.advance(bytes);
        passed
    }

    #[test]
    fn a_place_is_known_between_and_within_frames_and_not_within_a_length() {
        let (whole, within, length) = ([0, 0, 0, 1, 9], [0, 0, 0, 3, 9], [0, 0]);
        for (requests, responses, place) in [
            (&[][..], &[][..], Place::Beginning),
            (&whole, &[], Place::NextFrames(Skipped::default())),
            (&within, &whole, Place::NextFrames(Skipped { client: 2, broker: 0 })),
            (&whole, &within, Place::NextFrames(Skipped { client: 0, broker: 2 })),
            (&length, &[], Place::Later),
            (&whole, &length, Place::Later),
        ] {
            assert_eq!(Place::after(&frames(requests), &frames(responses), 100), place, "{requests:?} {responses:?}");
        }
    }

    #[test]
    fn what_is_no_frames_is_read_nowhere_for_a_reason() {
        for (requests, responses, reason) in [
            (&[0x16, 3, 1, 2, 0, 1][..], &[][..], Opaque::Tls),
            (b"GET / HTTP/1.1", &[], Opaque::NotKafka),
            (&[0xff, 0, 0, 0], &[], Opaque::NotKafka),
            (&[0, 0, 0, 1, 9, 0, 0, 0, 101], &[], Opaque::FrameLength),
            (&[0, 0, 0, 1, 9], &[0xff, 0, 0, 0], Opaque::FrameLength),
        ] {
            assert_eq!(
                Place::after(&frames(requests), &frames(responses), 100),
                Place::Nowhere(reason),
                "{requests:?}"
            );
        }
    }

    #[test]
    fn pauses_double_and_reasons_that_stay_end_them() {
        let (now, mut pauses) = (Instant::now(), Pauses::default());
        let in_flight = Unfollowed::Opaque(Opaque::InFlight);
        let lengths: Vec<_> = (0..10)
            .map(|_| {
                pauses.begin(in_flight, now);
                pauses.until.map(|until| (until - now).as_secs())
            })
            .collect();
        assert_eq!(lengths, [1, 2, 4, 8, 16, 32, 64, 128, 256, 256].map(Some));

        pauses.begin(Unfollowed::Panic, now);
        assert_eq!(pauses.until, None);
        assert!(!pauses.are_over());
    }
}
