//! What is done when the process ends in good order.

/// Call a function when the process ends by itself; where the system has no room for it, nobody calls it.
pub(crate) fn at_exit(call: extern "C" fn()) {
    // SAFETY: the library is never unloaded, so the function stays.
    unsafe { libc::atexit(call) };
}
