//! Whether this is still the process that something was made in: a fork copies memory, but none of the threads.

use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

const PAGE: usize = 4_096;

/// A byte that the kernel clears in a child, so that to look costs no system call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessMark {
    /// Null where the kernel does not offer that (before Linux 4.14).
    page: *const AtomicU8,
    id: u32,
}

// SAFETY: the page is only read, atomically, and is never unmapped.
unsafe impl Send for ProcessMark {}
// SAFETY: likewise.
unsafe impl Sync for ProcessMark {}

impl ProcessMark {
    /// The mark of this process. It takes a page that is never given back: one for each process that a fork made.
    pub(crate) fn new() -> Self {
        Self { page: wiped_on_fork().unwrap_or(ptr::null()), id: std::process::id() }
    }

    /// Whether no fork is between.
    pub(crate) fn is_here(&self) -> bool {
        // SAFETY: null, or a page that stays mapped.
        match unsafe { self.page.as_ref() } {
            Some(byte) => byte.load(Ordering::Relaxed) != 0,
            None => std::process::id() == self.id,
        }
    }
}

fn wiped_on_fork() -> Option<*const AtomicU8> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory of nobody else's.
    let page = unsafe { libc::mmap(ptr::null_mut(), PAGE, access, kind, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the memory is ours, and a byte of it is a valid AtomicU8.
    unsafe {
        if libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(page, PAGE);
            return None;
        }
        let byte = page.cast::<AtomicU8>();
        (*byte).store(1, Ordering::Relaxed);
        Some(byte.cast_const())
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessMark;

    #[test]
    fn a_child_is_another_process_than_its_parent() {
        let mark = ProcessMark::new();
        assert!(mark.is_here());

        // SAFETY: the child does nothing but look and end.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(i32::from(mark.is_here()));
            }
            let mut status = -1;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            status
        };

        assert_eq!(libc::WEXITSTATUS(status), 0);
        assert!(mark.is_here());
    }
}
