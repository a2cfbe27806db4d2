//! Which header keys records have (KIP-82): some batches are copied where bytes pass, and looked into on a thread of
//! their own, within a budget of processor time.

mod budget;
mod copies;
mod thread;

use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::{io, thread as threads};

use tokio::sync::watch;

use crate::settings::Settings;
pub(crate) use copies::{Copies, Seen};
use thread::Looking;

/// Copies that wait.
const MOST_WAITING: usize = 256;

/// Start the thread that looks; it ends when nobody has `Copies` any more.
///
/// # Errors
/// The system gives no thread.
pub(crate) fn start(settings: watch::Receiver<Arc<Settings>>, relay_threads: usize) -> io::Result<(Copies, Seen)> {
    let (waiting, copied) = sync_channel(MOST_WAITING);
    let seen = Seen::new(relay_threads, settings.borrow().limits.max_series);
    let looking = Looking { settings, copied, seen: seen.clone() };
    threads::Builder::new().name("headers".to_owned()).spawn(|| looking.go_on())?;
    Ok((Copies::new(Arc::clone(seen.gate()), waiting), seen))
}
