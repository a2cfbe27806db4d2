//! Passes on within the kernel what is neither read nor changed, such as most of a batch of records.

use std::task::{Context, Poll};

use tokio::time::Instant;

use super::Flow;
use crate::relay::broken::{Broken, Cause};
use crate::relay::peer::Peer;
use crate::relay::sending::Sending;
use crate::relay::splicing::{self, Moved};
use crate::relay::watch::Watch;

impl Flow {
    /// Pass on what comes next within the kernel; `None` where some of it is read, or it is too little.
    pub(super) fn poll_move(
        &mut self,
        cx: &mut Context<'_>,
        from: &impl Peer,
        to: &impl Peer,
        watch: &mut Watch,
    ) -> Option<Poll<Result<(), Broken>>> {
        let (from, to) = (from.socket()?, to.socket()?);
        let (most, least) = (self.frames.inner().min(self.turn.left()), self.portion.least_to_move());
        if most < least {
            return None; // as of most frames, whose parsers need not be asked
        }
        let unread = most.min(watch.unread_bytes(self.side));
        if unread < least {
            return None;
        }
        Some(splicing::poll_move(cx, from, to, self.portion.to_move(unread))?.map(|moved| match moved {
            Ok(Moved { read: 0, .. }) => {
                self.sending.end(Sending::Whole);
                Ok(())
            }
            Ok(Moved { read, rest }) => {
                self.last_read = Instant::now();
                self.turn.use_up(read);
                self.frames.pass(read);
                watch.pass_unread(self.side, read);
                self.portion.moved();
                let rest = rest.map_err(|error| Broken { side: self.receiver(), cause: Cause::Io(error) })?;
                self.portion.written(rest.is_empty());
                self.unwritten = rest;
                Ok(())
            }
            Err(error) => {
                self.sending.end(Sending::Failed);
                Err(Broken { side: self.side, cause: Cause::Io(error) })
            }
        }))
    }
}
