//! A file for one test.

use std::path::PathBuf;

/// A file that is removed at the end, if it is there.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let port = crate::process::free_port();
        Self(std::env::temp_dir().join(format!("observer-{name}-{}-{port}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may be gone.
        let _ = std::fs::remove_file(&self.0);
    }
}
