//! What a process has one of; a child that a fork made begins with none.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::process_mark::ProcessMark;

/// One value for each process. No lock is in it: a fork copies locks as they are, held by threads that are not there.
pub(crate) struct PerProcess<T: 'static> {
    made: AtomicPtr<Made<T>>,
}

struct Made<T> {
    mark: ProcessMark,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { made: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The value of this process, if it has one.
    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or what `get_or_make` has leaked.
        let made = unsafe { self.made.load(Ordering::Acquire).as_ref() }?;
        made.mark.is_here().then_some(&made.value)
    }

    /// The value of this process. What is made may be thrown away again: another thread was quicker. What a parent had is
    /// left as it is: its threads may have been in the midst of it.
    pub(crate) fn get_or_make(&self, make: impl FnOnce(ProcessMark) -> T) -> &'static T {
        let before = self.made.load(Ordering::Acquire);
        // SAFETY: null, or what was leaked below.
        if let Some(made) = unsafe { before.as_ref() }
            && made.mark.is_here()
        {
            return &made.value;
        }
        let mark = ProcessMark::new();
        let own: *mut Made<T> = Box::into_raw(Box::new(Made { mark, value: make(mark) }));
        match self.made.compare_exchange(before, own, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: it is leaked: nobody frees it.
            Ok(_) => unsafe { &(*own).value },
            Err(quicker) => {
                // SAFETY: it was made above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(own) });
                // SAFETY: another thread of this process has just leaked it there.
                unsafe { &(*quicker).value }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PerProcess;

    #[test]
    fn it_is_made_once() {
        static VALUE: PerProcess<u32> = PerProcess::new();

        assert_eq!(VALUE.get(), None);
        assert_eq!(VALUE.get_or_make(|_| 1), &1);
        assert_eq!(VALUE.get_or_make(|_| 2), &1);
        assert_eq!(VALUE.get(), Some(&1));
    }

    #[test]
    fn a_child_begins_with_none() {
        static VALUE: PerProcess<u32> = PerProcess::new();
        VALUE.get_or_make(|_| 1);

        // SAFETY: the child does nothing but look and end.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(i32::from(VALUE.get().is_some()));
            }
            let mut status = -1;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            status
        };

        assert_eq!(libc::WEXITSTATUS(status), 0);
        assert_eq!(VALUE.get(), Some(&1));
    }
}
