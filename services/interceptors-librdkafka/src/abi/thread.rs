//! A thread that takes none of the application's signals.

use std::mem::MaybeUninit;
use std::{io, ptr, thread};

/// Start a thread of this name with every signal blocked.
///
/// # Errors
/// The system has no thread for it.
pub(crate) fn spawn_unsignalled(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let (mut every, mut before) = (MaybeUninit::<libc::sigset_t>::zeroed(), MaybeUninit::<libc::sigset_t>::zeroed());
    // SAFETY: both sets are ours; a thread begins with the mask of the one that starts it.
    unsafe {
        libc::sigfillset(every.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, every.as_ptr(), before.as_mut_ptr());
    }
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    // SAFETY: what it was is put back.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    started.map(drop)
}
