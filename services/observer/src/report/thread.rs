//! The thread that reports, so that neither clients nor probes wait until a report is made.

use std::io;
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::client::Tcp;
use super::pushes::push;
use super::{Reporter, report};
use crate::recording::Finished;

/// Report windows and pushes as they come, until there are no more.
///
/// # Errors
/// The system gives no thread or no runtime.
pub(crate) fn start(reporter: Reporter, windows: mpsc::UnboundedReceiver<Finished>) -> io::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report_all = move || {
        runtime.block_on(async {
            tokio::join!(push(&reporter), report(reporter, Tcp::default(), windows));
        });
    };
    std::thread::Builder::new().name("report".to_owned()).spawn(report_all)
}
