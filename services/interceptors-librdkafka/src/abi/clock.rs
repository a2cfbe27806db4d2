//! The time of day, as cheaply as the kernel has it.

use std::mem::MaybeUninit;

const MILLISECONDS_IN_SECOND: u64 = 1_000;
const NANOSECONDS_IN_MILLISECOND: u64 = 1_000_000;

/// Milliseconds since 1970, up to a tick of the kernel (4 ms as a rule) ago: no instruction leaves the process.
pub(crate) fn coarse_now_ms() -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the clock is there since Linux 2.6.32, and fills what it is given; zeroes are a time, too.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, now.as_mut_ptr());
        now.assume_init()
    };
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
    let seconds_ms = seconds.unwrap_or_default().saturating_mul(MILLISECONDS_IN_SECOND);
    seconds_ms.saturating_add(nanoseconds.unwrap_or_default() / NANOSECONDS_IN_MILLISECOND)
}
