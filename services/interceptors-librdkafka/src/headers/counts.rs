//! What is counted of headers within one window: by topic and key, in bounded memory.

use kwitness_observation::Series;
use kwitness_observation::record_headers::{HeaderTally, Verdict, key_text};

use super::list::Header;

/// Most pairs of a topic and a key that are told apart.
const MOST_KEYS: usize = 256;

/// Of all topics.
#[derive(Clone, Debug)]
pub(crate) struct HeaderCounts {
    topics: Series<Box<[u8]>, TopicCounts>,
    /// How many keys of topics are told apart.
    keys: usize,
    rest: KeyCounts,
}

/// Of one topic.
#[derive(Clone, Debug)]
struct TopicCounts {
    records: u64,
    /// By what the key is called in rows.
    keys: Series<Box<str>, HeaderTally>,
}

impl Default for TopicCounts {
    fn default() -> Self {
        Self { records: 0, keys: Series::new(MOST_KEYS) }
    }
}

/// Headers with one key, or of topics and keys that are too many.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyCounts {
    /// Records of the topic; of those that are too many, records of topics that have no row.
    pub(crate) records: u64,
    pub(crate) tally: HeaderTally,
}

/// The place where headers of one topic are counted; none of topics that are too many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(Option<u32>);

impl HeaderCounts {
    /// With room for so many topics.
    pub(crate) fn new(most_topics: usize) -> Self {
        Self { topics: Series::new(most_topics), keys: 0, rest: KeyCounts::default() }
    }

    /// A record of this topic is looked at.
    pub(crate) fn begin(&mut self, topic: &[u8]) -> Place {
        self.add_records(topic, 1)
    }

    /// It has this header.
    pub(crate) fn add(&mut self, place: Place, header: Header<'_>, verdict: &Verdict, counts_values: bool) {
        let (tally, is_own) = self.of(place, &key_text(header.name));
        tally.add(verdict, header.value, counts_values && is_own);
    }

    /// It has not this key though it is required.
    pub(crate) fn add_missing(&mut self, place: Place, name: &[u8]) {
        self.of(place, &key_text(name)).0.add_missing();
    }

    /// So many headers of this key were removed from it.
    pub(crate) fn add_removed(&mut self, place: Place, name: &[u8], removed: u64) {
        let (tally, _) = self.of(place, &key_text(name));
        tally.removed = tally.removed.saturating_add(removed);
    }

    /// Count what another has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (topic, theirs) in other.topics.iter() {
            let place = self.add_records(topic, theirs.records);
            for (key, tally) in theirs.keys.iter() {
                match self.of(place, key) {
                    (own, true) => own.merge(tally),
                    (rest, false) => rest.merge_overflowed(tally),
                }
            }
        }
        self.rest.records = self.rest.records.saturating_add(other.rest.records);
        self.rest.tally.merge_overflowed(&other.rest.tally);
    }

    /// Topics with their keys. A topic none of whose records had a header is without a key; what is too many has neither.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<&[u8]>, Option<&str>, KeyCounts)> {
        let own = self.topics.iter().flat_map(|(topic, counts)| {
            let of = move |tally: &HeaderTally| KeyCounts { records: counts.records, tally: tally.clone() };
            let keys = counts.keys.iter().map(move |(key, tally)| (Some(&**key), of(tally)));
            let without = (keys.len() == 0).then(|| (None, of(&HeaderTally::default())));
            keys.chain(without).map(|(key, counts)| (Some(&**topic), key, counts))
        });
        let has_rest = self.rest.records > 0 || self.rest.tally != HeaderTally::default();
        let rest = has_rest.then(|| {
            let mut tally = self.rest.tally.clone();
            // Some of its keys may be.
            tally.registered = false;
            (None, None, KeyCounts { records: self.rest.records, tally })
        });
        own.chain(rest)
    }

    fn add_records(&mut self, topic: &[u8], records: u64) -> Place {
        let number = self.topics.place(topic, || topic.into());
        let count = match number.and_then(|number| self.topics.value(number)) {
            Some(own) => &mut own.records,
            None => &mut self.rest.records,
        };
        *count = count.saturating_add(records);
        Place(number)
    }

    /// Where headers of this key are counted, and whether no others are.
    fn of(&mut self, place: Place, key: &str) -> (&mut HeaderTally, bool) {
        let Self { topics, keys, rest } = self;
        let own = place.0.and_then(|number| topics.value(number)).and_then(|topic| {
            let known = topic.keys.find(key);
            let number = known.or_else(|| {
                let number = if *keys < MOST_KEYS { topic.keys.place(key, || key.into()) } else { None };
                *keys = keys.saturating_add(usize::from(number.is_some()));
                number
            });
            number.and_then(|number| topic.keys.value(number))
        });
        own.map_or((&mut rest.tally, false), |own| (own, true))
    }
}

#[cfg(test)]
mod tests {
    use kwitness_observation::record_headers::Rules;

    use super::{Header, HeaderCounts, MOST_KEYS};

    fn counted(topic: &str, keys: &[String]) -> HeaderCounts {
        let mut counts = HeaderCounts::new(2);
        let place = counts.begin(topic.as_bytes());
        for key in keys {
            let header = Header { name: key.as_bytes(), value: Some(b"xy") };
            counts.add(place, header, &Rules::default().judge(header.name, header.value), true);
        }
        counts
    }

    fn rows(counts: &HeaderCounts) -> Vec<(Option<String>, Option<String>, u64, u64)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let row = |(topic, key, counts): (Option<&[u8]>, Option<&str>, super::KeyCounts)| {
            (topic.map(text), key.map(str::to_owned), counts.records, counts.tally.headers)
        };
        counts.iter().map(row).collect()
    }

    #[test]
    fn topics_and_keys_beyond_the_limits_share_a_row() {
        let keys: Vec<String> = (0..MOST_KEYS).map(|number| format!("key {number}")).collect();
        let mut counts = counted("a", &keys);
        for topic in ["a", "b", "c"] {
            counts.merge(&counted(topic, &["key 0".to_owned(), "one more".to_owned()]));
        }

        let rows = rows(&counts);

        assert_eq!(rows.len(), MOST_KEYS + 2);
        assert_eq!(rows[0], (Some("a".to_owned()), Some("key 0".to_owned()), 2, 2));
        assert_eq!(rows[MOST_KEYS], (Some("b".to_owned()), None, 1, 0));
        // "one more" of a, and both keys of b and c; one record of c, whose topic has no row.
        assert_eq!(rows[MOST_KEYS + 1], (None, None, 1, 5));
    }

    #[test]
    fn a_topic_without_headers_has_a_row_without_a_key() {
        let mut counts = counted("a", &[]);
        counts.merge(&counted("a", &[]));

        assert_eq!(rows(&counts), [(Some("a".to_owned()), None, 2, 0)]);
    }

    #[test]
    fn what_was_removed_and_what_is_missing_is_counted_with_its_key() {
        let mut counts = counted("a", &["tenant".to_owned()]);
        let place = counts.begin(b"a");

        counts.add_removed(place, b"tenant", 2);
        counts.add_missing(place, b"trace");

        let tallies: Vec<_> = counts.iter().map(|(_, key, counts)| (key, counts.tally)).collect();
        assert_eq!((tallies[0].0, tallies[0].1.removed), (Some("tenant"), 2));
        assert_eq!((tallies[1].0, tallies[1].1.problems().count(), tallies[1].1.registered), (Some("trace"), 1, true));
    }
}
