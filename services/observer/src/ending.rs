//! Ends the process without cutting off clients.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use tokio::signal::unix::Signal;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::control::{Control, later};
use crate::log::log;

/// Let clients in while Services and load balancers do not know yet that the process ends; a second signal ends it sooner.
pub(crate) async fn linger(
    is_draining: &AtomicBool,
    time: Duration,
    terminated: &mut Signal,
    interrupted: &mut Signal,
) {
    is_draining.store(true, Relaxed);
    tokio::select! {
        () = tokio::time::sleep(time) => {}
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
    }
}

/// Close each connection when nothing is outstanding, and all after this time.
pub(crate) fn drain(control: &watch::Sender<Control>, connections: usize, within: Duration) {
    log!(Info, "Draining", connections = connections);
    control.send_modify(|control| control.drain_until = Some(later(Instant::now(), within)));
}
