//! The settings file, read again while it changes; the last good one stays in use.

use std::path::PathBuf;
use std::sync::Arc;

use crate::settings::Settings;

/// A file that is looked at again and again.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    seen: Vec<u8>,
}

impl SettingsFile {
    /// Open it, and its settings; `None` if it cannot be read, or is refused.
    pub(crate) fn open(path: PathBuf) -> Option<(Self, Arc<Settings>)> {
        let seen = std::fs::read(&path).ok()?;
        let settings = Settings::parse(&seen).ok()?;
        Some((Self { path, seen }, Arc::new(settings)))
    }

    /// New settings, if there are any; what is refused is not judged again until it changes.
    pub(crate) fn look(&mut self) -> Option<Arc<Settings>> {
        // While a volume is exchanged the file is away for a moment.
        let bytes = std::fs::read(&self.path).ok().filter(|bytes| *bytes != self.seen)?;
        let parsed = Settings::parse(&bytes);
        self.seen = bytes;
        parsed.ok().map(Arc::new)
    }
}
