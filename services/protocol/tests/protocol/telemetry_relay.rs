//! Relays between a client and a broker whose telemetry is answered on the way.

use std::sync::Arc;

use kwitness_protocol::{Address, AddressMap, Broken, Fault, Limits, Rewriter, Room, Telemetry};

use crate::transcript::{frame, response};

/// A rewriter that takes telemetry, which its client was told.
pub(crate) struct Relay {
    pub(crate) rewriter: Rewriter,
    pub(crate) broker: Vec<u8>,
    pub(crate) client: Vec<u8>,
    pub(crate) asked: usize,
}

const NOWHERE: &str = "nowhere.example";

impl Relay {
    pub(crate) fn new(room: usize) -> Self {
        Self::from_telemetry(Telemetry { max_bytes: 10_000, room: Arc::new(Room::new(room)), needs_sign_in: false })
    }

    pub(crate) fn from_telemetry(telemetry: Telemetry) -> Self {
        let rewriter = Rewriter::new(Limits::default()).keeping_addresses().taking(telemetry);
        Self { rewriter, broker: Vec::new(), client: Vec::new(), asked: 0 }
    }

    /// One whose client has asked for versions.
    pub(crate) fn announced(room: usize) -> Self {
        let mut relay = Self::new(room);
        relay.ask(&frame(&[&[0, 18, 0, 0], &1_i32.to_be_bytes(), &[0xff, 0xff]])).unwrap();
        relay.answer(&response(1, &[0, 0, 0, 0, 0, 1, 0, 18, 0, 0, 0, 3])).unwrap();
        (relay.broker, relay.client) = (Vec::new(), Vec::new());
        relay
    }

    /// What the client sends; it is answered by what it asked, as a response with its correlation id.
    pub(crate) fn ask(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let (mut bytes, mut spare) = (bytes.to_vec(), Vec::new());
        let asked = &mut self.asked;
        let passed = self.rewriter.asked_of(&mut bytes, &mut spare, |kept| {
            *asked += 1;
            let correlation = kept.bytes.get(4..8).ok_or(Fault::BeyondFrame)?;
            let all = [correlation, &u32::try_from(kept.bytes.len()).unwrap().to_be_bytes(), &[u8::from(kept.is_cut)]];
            Ok(frame(&all))
        })?;
        self.broker.extend_from_slice(passed);
        self.answer(&[])
    }

    pub(crate) fn answer(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let nowhere = Address::new(NOWHERE, 1).unwrap();
        let (mut bytes, mut spare) = (bytes.to_vec(), Vec::new());
        let mut addresses = AddressMap::new(nowhere);
        let got = self.rewriter.answered(&mut bytes, &mut addresses, &mut spare)?;
        self.client.extend_from_slice(got);
        Ok(())
    }
}
