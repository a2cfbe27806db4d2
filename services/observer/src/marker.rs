//! A file by which a process knows that the one before it was killed.
//!
//! It has to lie where it outlives a container and not its pod. A process that ends in good order takes it away; one that
//! ends by a signal or for want of memory cannot.

use std::fs::{File, remove_file};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The mark of a process that runs.
#[derive(Debug)]
pub(crate) struct Marker {
    file: PathBuf,
    /// Whether it was there before, since a process was killed.
    pub(crate) was_left: bool,
}

impl Marker {
    /// Leave the mark.
    ///
    /// # Errors
    /// The file cannot be made; the message names it.
    pub(crate) fn leave(file: &Path) -> io::Result<Self> {
        let was_left = match File::create_new(file) {
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => true,
            Err(error) => return Err(named(file, &error)),
        };
        Ok(Self { file: file.to_owned(), was_left })
    }

    /// Take it away: the process ends, and was not killed. A panic does not come here.
    ///
    /// # Errors
    /// The file cannot be removed; the message names it.
    pub(crate) fn remove(self) -> io::Result<()> {
        remove_file(&self.file).map_err(|error| named(&self.file, &error))
    }
}

fn named(file: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}
