//! Keeps what passes out of what others could make of this process's memory.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Let no core file be written, and nobody but root look into the memory.
///
/// # Errors
/// The system refuses.
pub(crate) fn keep_private() -> io::Result<()> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    use super::keep_private;

    #[test]
    fn there_are_no_core_files_and_nobody_may_look_into_the_memory() {
        keep_private().unwrap();

        assert_eq!(getrlimit(Resource::Core).maximum, Some(0));
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
