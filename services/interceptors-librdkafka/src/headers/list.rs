//! The headers of one record.

/// One header; a null value is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: Option<&'a [u8]>,
}

/// Headers in their order, as a client has them. They are looked at when they are asked for and not before.
pub(crate) trait HeaderList {
    /// The header at this place, from 0.
    fn get(&self, at: usize) -> Option<Header<'_>>;

    /// Remove all of this name; whether there were any.
    fn remove(&mut self, name: &[u8]) -> bool;

    /// Put one at the end; whether it is there.
    fn add(&mut self, name: &[u8], value: &[u8]) -> bool;

    /// All of them.
    fn all(&self) -> impl Iterator<Item = Header<'_>> {
        (0..).map_while(|at| self.get(at))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Header, HeaderList};

    /// A list that removes and adds as librdkafka does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Listed(pub(crate) Vec<(Vec<u8>, Option<Vec<u8>>)>);

    pub(crate) fn listed(headers: &[(&str, Option<&str>)]) -> Listed {
        let own = |text: &str| text.as_bytes().to_vec();
        Listed(headers.iter().map(|(name, value)| (own(name), value.map(own))).collect())
    }

    impl Listed {
        pub(crate) fn len(&self) -> usize {
            self.0.len()
        }
    }

    impl HeaderList for Listed {
        fn get(&self, at: usize) -> Option<Header<'_>> {
            self.0.get(at).map(|(name, value)| Header { name, value: value.as_deref() })
        }

        fn remove(&mut self, name: &[u8]) -> bool {
            let before = self.0.len();
            self.0.retain(|(own, _)| own != name);
            self.0.len() < before
        }

        fn add(&mut self, name: &[u8], value: &[u8]) -> bool {
            self.0.push((name.to_vec(), Some(value.to_vec())));
            true
        }
    }
}
