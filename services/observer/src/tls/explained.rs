//! An error with words of ours in place of its own, which stays behind them.

use std::error::Error;
use std::{fmt, io};

#[derive(Debug)]
struct Explained {
    words: String,
    error: io::Error,
}

impl fmt::Display for Explained {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.words)
    }
}

impl Error for Explained {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}

/// Say an error in these words.
pub(crate) fn explained(error: io::Error, words: String) -> io::Error {
    io::Error::new(error.kind(), Explained { words, error })
}

/// What TLS said, behind whatever words.
pub(super) fn cause(error: &io::Error) -> Option<&rustls::Error> {
    let mut at: &(dyn Error + 'static) = error.get_ref()?;
    loop {
        if let Some(found) = at.downcast_ref() {
            return Some(found);
        }
        at = match at.downcast_ref::<io::Error>() {
            Some(error) => error.get_ref()?,
            None => at.source()?,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustls::{AlertDescription, Error};

    use super::{cause, explained};

    #[test]
    fn what_tls_said_is_found_behind_all_words() {
        let alert = Error::AlertReceived(AlertDescription::BadCertificate);
        let error = explained(io::Error::other(alert.clone()), "once".to_owned());
        let error = explained(error, "twice".to_owned());

        assert_eq!(cause(&error), Some(&alert));
        assert_eq!(error.to_string(), "twice");
        assert_eq!(cause(&io::Error::other("nothing of TLS")), None);
        assert_eq!(cause(&io::ErrorKind::TimedOut.into()), None);
    }
}
