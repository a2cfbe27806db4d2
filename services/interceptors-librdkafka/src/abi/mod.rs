//! librdkafka's plugin interface: what it calls, and what is asked of it and of the loader.

mod at_exit;
mod clock;
mod configuration;
mod headers;
mod hooks;
mod layout;
mod library;
mod per_process;
mod process_mark;
mod thread;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use at_exit::at_exit;
pub(crate) use clock::coarse_now_ms;
pub(crate) use per_process::PerProcess;
pub(crate) use process_mark::ProcessMark;
pub(crate) use thread::spawn_unsignalled;

/// A panic ends here.
fn contained(act: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(act));
}
