//! The settings file, read again while it changes; the last good one stays in use.

use std::path::PathBuf;
use std::sync::Arc;

use crate::settings::{Refused, Settings};

/// A file that is looked at again and again.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    seen: Vec<u8>,
    /// The settings in use, with the key of hashes that they were given.
    last: Option<Arc<Settings>>,
}

/// What looking at the file found.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing new.
    Unchanged,
    /// New settings.
    Changed(Arc<Settings>),
    /// New bytes that are no settings.
    Refused(Refused),
}

impl SettingsFile {
    /// Nothing is read yet.
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path, seen: Vec::new(), last: None }
    }

    /// Look at the file, and at the one with the key of hashes; what was refused is not judged again until it changes.
    pub(crate) fn look(&mut self) -> Found {
        let settings = match self.read_when_changed() {
            Found::Changed(settings) => settings,
            Found::Refused(refused) => return Found::Refused(refused),
            Found::Unchanged => match &self.last {
                Some(last) if last.identity.read_key() != last.identity.hash_key => Arc::clone(last),
                _ => return Found::Unchanged,
            },
        };
        let mut settings = Settings::clone(&settings);
        settings.identity.hash_key = settings.identity.read_key();
        let settings = Arc::new(settings);
        self.last = Some(Arc::clone(&settings));
        Found::Changed(settings)
    }

    fn read_when_changed(&mut self) -> Found {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            // While a volume is exchanged the file is away for a moment.
            Err(_) if !self.seen.is_empty() => return Found::Unchanged,
            Err(error) => {
                return Found::Refused(Refused { field: self.path.display().to_string(), reason: error.to_string() });
            }
        };
        if bytes == self.seen {
            return Found::Unchanged;
        }
        let parsed = Settings::parse(&bytes);
        self.seen = bytes;
        match parsed {
            Ok(settings) => Found::Changed(Arc::new(settings)),
            Err(refused) => Found::Refused(refused),
        }
    }
}
