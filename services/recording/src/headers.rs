//! Which header keys the records had that were looked into.

use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::Arc;

use hashbrown::Equivalent;
use kwitness_observation::record_headers::{HeaderTally, Rules};
use kwitness_observation::{Identity, Series};
use kwitness_protocol::samples::{LeftOut, Sample};
use kwitness_protocol::{LONGEST_NAME, OwnTopic, Topic};

use super::tally::grow;
use crate::samples::{Seen, look};

/// How many rows of one client are told apart in a window.
pub const HEADERS_OF_A_CLIENT: usize = 256;
/// How many bytes of a key are kept: its first 128 characters are told.
const LONGEST_KEY: usize = 512;

/// One row of what was seen.
#[derive(Clone, Copy, Debug)]
pub struct HeaderRow<'a> {
    /// Who sent or got the records; `None` where clients are not told apart.
    pub client: Option<&'a Identity>,
    /// Whether the client wrote them; else it read them.
    pub is_produced: bool,
    /// The topic; `None` where they are not told apart.
    pub topic: Option<Topic<'a>>,
    /// The key; `None` where keys are not told apart, and where no record had any.
    pub key: Option<&'a [u8]>,
    /// How many records were looked at.
    pub looked_at: u64,
    /// What was seen; `None` where no record had any header, and none is required.
    pub tally: Option<&'a HeaderTally>,
}

impl HeaderRow<'_> {
    /// Returns true if the row is of what is not told apart.
    #[must_use]
    pub const fn is_overflowed(&self) -> bool {
        self.topic.is_none()
    }
}

/// What was seen within a window.
#[derive(Debug)]
pub struct Headers {
    most: usize,
    rows: usize,
    clients: Series<Arc<Identity>, OfClient>,
    others: OfClient,
}

/// What was seen of one client.
#[derive(Debug)]
struct OfClient {
    /// By topic, and whether it was written.
    topics: Series<(OwnTopic, bool), Looked>,
    by_key: Series<Key, HeaderTally>,
    /// What was one too many, of records that were written and of those that were read.
    overflowed: [Looked; 2],
}

#[derive(Debug, Default)]
struct Looked {
    records: u64,
    /// Whether any key has a row, or would have one.
    has_keys: bool,
    /// Of keys that are one too many.
    beyond: HeaderTally,
}

/// What was seen in one batch.
#[derive(Debug)]
pub struct SeenInBatch {
    topic: OwnTopic,
    is_produced: bool,
    records: u64,
    by_key: Series<Box<[u8]>, HeaderTally>,
    /// Of keys that are one too many.
    beyond: HeaderTally,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    topic: u32,
    key: Box<[u8]>,
}

/// As [`Key`] is hashed.
struct KeyRef<'a> {
    topic: u32,
    key: &'a [u8],
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.topic.hash(state);
        self.key.hash(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, own: &Key) -> bool {
        self.topic == own.topic && self.key == &*own.key
    }
}

/// As the pair that owns its topic is hashed.
struct TopicRef<'a>(Topic<'a>, bool);

impl Hash for TopicRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
        self.1.hash(state);
    }
}

impl Equivalent<(OwnTopic, bool)> for TopicRef<'_> {
    fn equivalent(&self, own: &(OwnTopic, bool)) -> bool {
        self.0 == own.0.as_topic() && self.1 == own.1
    }
}

impl Default for OfClient {
    fn default() -> Self {
        let most = HEADERS_OF_A_CLIENT;
        Self { topics: Series::new(most), by_key: Series::new(most), overflowed: Default::default() }
    }
}

impl Headers {
    /// Nothing seen, with room for at most so many clients and so many rows that are told apart.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, rows: 0, clients: Series::new(most), others: OfClient::default() }
    }

    /// Returns true if nothing was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clients.iter().len() == 0 && self.others.overflowed.iter().all(|looked| looked.records == 0)
    }

    /// Add what was seen in a client's batch.
    pub fn add(&mut self, client: &Arc<Identity>, seen: &SeenInBatch) {
        let Self { most, rows, clients, others } = self;
        let own = clients.place(&**client, || Arc::clone(client)).and_then(|number| clients.value(number));
        match own {
            Some(of_client) => of_client.add(seen, rows, *most),
            None => others.overflow(seen),
        }
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = HeaderRow<'_>> {
        let clients = self.clients.iter().flat_map(|(identity, of_client)| of_client.rows(Some(identity)));
        clients.chain(self.others.rows(None))
    }
}

impl OfClient {
    fn add(&mut self, seen: &SeenInBatch, rows: &mut usize, most: usize) {
        let topic = TopicRef(seen.topic.as_topic(), seen.is_produced);
        let is_possible = !matches!(topic.0, Topic::Name(name) if name.is_empty() || name.len() > LONGEST_NAME);
        let own = || (seen.topic.clone(), seen.is_produced);
        let Some(topic) = (if is_possible { self.topics.place(&topic, own) } else { None }) else {
            return self.overflow(seen);
        };
        if let Some(looked) = self.topics.value(topic) {
            grow(&mut looked.records, seen.records);
            looked.has_keys |= seen.by_key.iter().len() > 0;
        }
        self.overflowed(seen.is_produced).beyond.merge_overflowed(&seen.beyond);
        for (key, tally) in seen.by_key.iter() {
            match self.row(topic, key, rows, most).and_then(|row| self.by_key.value(row)) {
                Some(own) => own.merge(tally),
                None => self.overflowed(seen.is_produced).beyond.merge_overflowed(tally),
            }
        }
    }

    fn row(&mut self, topic: u32, key: &[u8], rows: &mut usize, most: usize) -> Option<u32> {
        if let Some(number) = self.by_key.find(&KeyRef { topic, key }) {
            return Some(number);
        }
        let more = rows.checked_add(1).filter(|rows| *rows <= most)?;
        let number = self.by_key.place(&KeyRef { topic, key }, || Key { topic, key: key.into() })?;
        *rows = more;
        Some(number)
    }

    /// Nothing of the batch has a row of its own.
    fn overflow(&mut self, seen: &SeenInBatch) {
        let overflowed = self.overflowed(seen.is_produced);
        grow(&mut overflowed.records, seen.records);
        overflowed.beyond.merge_overflowed(&seen.beyond);
        for (_, tally) in seen.by_key.iter() {
            overflowed.beyond.merge_overflowed(tally);
        }
    }

    const fn overflowed(&mut self, is_produced: bool) -> &mut Looked {
        let [read, written] = &mut self.overflowed;
        if is_produced { written } else { read }
    }

    fn rows<'a>(&'a self, client: Option<&'a Identity>) -> impl Iterator<Item = HeaderRow<'a>> {
        let of_keys = self.by_key.iter().filter_map(move |(key, tally)| {
            let (topic, is_produced) = self.topics.key(key.topic)?;
            let looked_at = self.looked_at(key.topic);
            let (topic, key) = (Some(topic.as_topic()), Some(&*key.key));
            Some(HeaderRow { client, is_produced: *is_produced, topic, key, looked_at, tally: Some(tally) })
        });
        let without = self.topics.iter().filter(|(_, looked)| !looked.has_keys);
        let of_none = without.map(move |((topic, is_produced), looked)| {
            let topic = Some(topic.as_topic());
            HeaderRow { client, is_produced: *is_produced, topic, key: None, looked_at: looked.records, tally: None }
        });
        let beyond = self.overflowed.iter().zip([false, true]);
        let beyond = beyond.filter(|(looked, _)| looked.records > 0 || looked.beyond != HeaderTally::default());
        let of_others = beyond.map(move |(looked, is_produced)| {
            let (looked_at, tally) = (looked.records, Some(&looked.beyond));
            HeaderRow { client, is_produced, topic: None, key: None, looked_at, tally }
        });
        of_keys.chain(of_none).chain(of_others)
    }

    fn looked_at(&self, topic: u32) -> u64 {
        self.topics.get(topic).map_or(0, |looked| looked.records)
    }
}

impl SeenInBatch {
    /// Look into a batch, and judge its headers by these rules. `memory` is for what is decompressed, and may be used
    /// again.
    ///
    /// # Errors
    /// As [`samples::look`](crate::samples::look).
    pub fn look(sample: &Sample, rules: &Rules, memory: &mut Vec<u8>) -> Result<Self, LeftOut> {
        let mut all = Self {
            topic: OwnTopic::from(&sample.topic()),
            is_produced: sample.is_produced(),
            records: 0,
            by_key: Series::new(HEADERS_OF_A_CLIENT),
            beyond: HeaderTally::default(),
        };
        let mut required = rules.required();
        look(sample, memory, &mut |seen| match seen {
            // Values stay where they are.
            Seen::Header { key, value: Some(set) } if rules.reads_set(key) => {
                let evaluated = rules.evaluate_set(set, &mut required);
                all.tally(key).add(&evaluated.header, Some(set), false);
                for entry in rules.set_keys(&evaluated) {
                    required.saw(&entry.result);
                    all.tally(&entry.name).add(&entry.result, Some(entry.value), false);
                }
            }
            Seen::Header { key, value } => {
                let verdict = rules.judge(key, value);
                required.saw(&verdict);
                all.tally(key).add(&verdict, value, false);
            }
            Seen::End => {
                let had = mem::replace(&mut required, rules.required());
                had.missing().for_each(|key| all.tally(key).add_missing());
                grow(&mut all.records, 1);
            }
        })?;
        Ok(all)
    }

    /// What counts the headers with this key.
    fn tally(&mut self, key: &[u8]) -> &mut HeaderTally {
        let key = cut(key);
        let number = self.by_key.place(key, || key.into());
        number.and_then(|number| self.by_key.value(number)).unwrap_or(&mut self.beyond)
    }
}

/// The first bytes of a key, without a character that is divided.
fn cut(key: &[u8]) -> &[u8] {
    let Some(start) = key.get(..LONGEST_KEY) else { return key };
    let is_inside = |place: &usize| key.get(*place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let cut = (LONGEST_KEY.saturating_sub(3)..=LONGEST_KEY).rev().find(|place| !is_inside(place));
    cut.and_then(|cut| start.get(..cut)).unwrap_or(start)
}
