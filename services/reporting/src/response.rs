//! Says what a collector's response means for a request.

/// A request that came to nothing, by the status of its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Try again soon.
    Again,
    /// Try again, and nothing is likely to have changed soon.
    Slowly,
    /// The collector cannot read the request, for this reason.
    Unreadable(&'static str),
}

impl Failure {
    /// Returns what a status of HTTP means; `None` where the request was read.
    #[must_use]
    pub const fn from_status(status: u16) -> Option<Self> {
        match status {
            200 => None,
            400 | 415 | 422 => Some(Self::Unreadable("refused")),
            413 => Some(Self::Unreadable("too_large")),
            421 | 500..=599 => Some(Self::Again),
            _ => Some(Self::Slowly),
        }
    }
}

/// The collector that answered first at a URL: only it can acknowledge what is sent there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acknowledging(Option<(String, String)>);

impl Acknowledging {
    /// Take an answer of the collector with this name at this URL.
    ///
    /// # Errors
    /// The name of the collector that does.
    pub fn accept(&mut self, url: &str, name: &str) -> Result<(), &str> {
        let is_other = self.0.as_ref().is_some_and(|(known_url, known)| known_url == url && known != name);
        if !is_other {
            self.0 = Some((url.to_owned(), name.to_owned()));
            return Ok(());
        }
        self.0.as_ref().map_or(Ok(()), |(_, known)| Err(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_a_way_to_continue() {
        let read = [200, 400, 401, 413, 421, 503].map(Failure::from_status);

        let (refused, too_large) = (Failure::Unreadable("refused"), Failure::Unreadable("too_large"));
        let expected = [refused, Failure::Slowly, too_large, Failure::Again, Failure::Again].map(Some);
        assert_eq!((read[0], &read[1..]), (None, &expected[..]));
    }

    #[test]
    fn another_collector_acknowledges_nothing_until_the_url_is_another() {
        let mut acknowledging = Acknowledging::default();

        assert_eq!(acknowledging.accept("https://a", "n/one"), Ok(()));
        assert_eq!(acknowledging.accept("https://a", "n/other"), Err("n/one"));
        assert_eq!(acknowledging.accept("https://a", "n/one"), Ok(()));
        assert_eq!(acknowledging.accept("https://b", "n/other"), Ok(()));
    }
}
