//! Has batches of a connection copied, and hands the copies on.

use std::num::NonZeroU32;

use kwitness_protocol::Connection;
use kwitness_protocol::samples::{LeftOut, Sample, Sampling};
use kwitness_recording::Client;

use crate::headers::Copies;

/// Batches of a connection that are looked into.
#[derive(Debug)]
pub(super) struct Copying {
    pub(super) copies: Copies,
    pub(super) thread: usize,
    /// One in so many is; `None` where none is.
    pub(super) every: Option<NonZeroU32>,
    /// Those that came before it was known who the client is.
    pub(super) waiting: Vec<Sample>,
}

/// So many batches wait until it is known who the client is.
const MOST_WAITING: usize = 4;

impl Copying {
    /// Copy the batches that are wanted now.
    pub(super) fn follow(&mut self, connection: &mut Connection, wanted: Option<&Sampling>, number: u64) {
        let every = wanted.map(|wanted| wanted.every);
        if self.every != every {
            self.every = every;
            connection.sample(wanted.cloned(), number);
        }
    }

    /// Have those looked into that were copied.
    pub(super) fn hand_on(&mut self, connection: &mut Connection, client: &Client) {
        if self.every.is_none() {
            return;
        }
        for sample in connection.samples() {
            if self.waiting.len() < MOST_WAITING || client.is_known() {
                self.waiting.push(sample);
            } else {
                self.copies.gate().leave_out(LeftOut::QueueFull);
            }
        }
        if client.is_known() {
            self.waiting.drain(..).for_each(|sample| self.copies.put(self.thread, client.identity(), sample));
        }
    }
}
