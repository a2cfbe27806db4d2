//! What `ApiVersions` requests say of the client's software (KIP-511).

use kwitness_protocol::schema::Api;
use kwitness_protocol::{Event, Unread};

/// From this version on a request has a name and a version of the software.
const FIRST_WITH_SOFTWARE: i16 = 3;

/// What one of them says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Information {
    /// Which software it is.
    Named,
    /// Nothing: its version has no room for that.
    Unnamed,
    /// What a broker refuses with `INVALID_REQUEST`.
    Invalid,
    /// It was not understood.
    Unread,
}

impl Information {
    pub(crate) const ALL: [Self; 4] = [Self::Named, Self::Unnamed, Self::Invalid, Self::Unread];

    /// As heartbeats and metrics spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Unnamed => "unnamed",
            Self::Invalid => "invalid",
            Self::Unread => "unread",
        }
    }
}

/// Tells of each request what it says. A request is told before what is in it.
#[derive(Debug, Default)]
pub(crate) struct Informed {
    is_awaited: bool,
}

impl Informed {
    /// What the request says, once that is known.
    pub(crate) fn by(&mut self, event: &Event<'_>) -> Option<Information> {
        match event {
            Event::Request(request) => {
                let is_asked = request.key == Api::API_VERSIONS;
                let is_unnamed = is_asked && (0..FIRST_WITH_SOFTWARE).contains(&request.version);
                self.is_awaited = is_asked && !is_unnamed;
                is_unnamed.then_some(Information::Unnamed)
            }
            Event::Software(_) => self.told(Information::Named),
            Event::Unread { why: Unread::InvalidSoftware, .. } => self.told(Information::Invalid),
            Event::Unread { key: Api::API_VERSIONS, .. } => self.told(Information::Unread),
            _ => None,
        }
    }

    /// An answer may be unread, too.
    fn told(&mut self, information: Information) -> Option<Information> {
        std::mem::take(&mut self.is_awaited).then_some(information)
    }
}

#[cfg(test)]
mod tests {
    use kwitness_protocol::{Connection, Limits, Nanos, Side};

    use super::*;

    fn api_versions(version: u8, body: &[u8]) -> Vec<u8> {
        let tags: &[u8] = if version < 3 { &[] } else { &[0] };
        let frame = [&[0, 18, 0, version, 0, 0, 0, 7, 0, 1, b't'], tags, body].concat();
        [&u32::try_from(frame.len()).unwrap().to_be_bytes()[..], &frame].concat()
    }

    fn said(bytes: &[u8]) -> Vec<Information> {
        let (mut informed, mut said) = (Informed::default(), Vec::new());
        let mut connection = Connection::new(Limits::default());
        connection.feed(Side::Client, bytes, Nanos(0), &mut |event| said.extend(informed.by(&event)));
        said
    }

    #[test]
    fn each_request_says_one_thing() {
        let cases = [
            (api_versions(0, b""), Information::Unnamed),
            (api_versions(2, b""), Information::Unnamed),
            (api_versions(3, b"\x05java\x044.3\0"), Information::Named),
            (api_versions(3, b"\x05ja a\x044.3\0"), Information::Invalid),
            (api_versions(3, b"\x05java\x01\0"), Information::Invalid),
            (api_versions(3, b"\x05java\x044."), Information::Unread),
            (api_versions(99, b""), Information::Unread),
        ];
        for (bytes, information) in cases {
            assert_eq!(said(&bytes), [information], "{bytes:?}");
        }
    }

    #[test]
    fn other_requests_and_answers_that_cannot_be_read_say_nothing() {
        let list_groups = [0, 0, 0, 11, 0, 16, 0, 99, 0, 0, 0, 1, 0, 1, b't'];
        let unread = Event::Unread { key: Api::API_VERSIONS, version: 3, why: Unread::Malformed };

        assert_eq!(said(&list_groups), []);
        assert_eq!(Informed::default().by(&unread), None);
    }
}
