//! Names a place in the network.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `host:port`; an IPv6 address stands in brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(to, "[{}]:{}", self.host, self.port)
        } else {
            write!(to, "{}:{}", self.host, self.port)
        }
    }
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not host:port; write, for example, kafka.example.org:9092");
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let in_brackets = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let host = in_brackets.unwrap_or(host);
        let port = port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?;
        if host.is_empty() || (in_brackets.is_none() && host.contains(':')) {
            return Err(wrong());
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for wrong in ["", "host", ":9092", "host:", "host:0", "host:99999", "::1:9092", "[]:9092"] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong:?}");
        }
    }
}
