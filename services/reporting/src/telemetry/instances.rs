//! Instances by their ids, at most so many: the one that was silent the longest gives way.

use std::hash::BuildHasher;
use std::mem::size_of;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::instance::Instance;

/// The id of a client instance, a Uuid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub [u8; 16]);

impl InstanceId {
    /// What a client says that has none yet.
    pub const ZERO: Self = Self([0; 16]);
    const ONE: Self = Self(1_u128.to_be_bytes());

    /// Returns true if no client can have it.
    #[must_use]
    pub fn is_reserved(self) -> bool {
        self == Self::ZERO || self == Self::ONE
    }

    /// One of these random bytes, as Java makes them: version 4.
    #[must_use]
    pub fn of_random(bytes: [u8; 16]) -> Self {
        let version = !(0xf_u128 << 76) & !(0x3_u128 << 62) & u128::from_be_bytes(bytes);
        Self((version | (0x4_u128 << 76) | (0x2_u128 << 62)).to_be_bytes())
    }

    /// As Kafka prints it.
    #[must_use]
    pub fn text(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Java's `Uuid.hashCode`.
    pub(super) fn java_hash(self) -> u32 {
        let parts = self.0.as_chunks::<4>().0.iter();
        parts.fold(0, |hash, part| hash ^ u32::from_be_bytes(*part))
    }
}

const NONE: u32 = u32::MAX;
/// As many places as have a number.
const MOST: usize = NONE as usize - 1;

/// An instance among the others.
#[derive(Clone, Copy, Debug)]
struct Slot {
    id: InstanceId,
    /// Time of the last request, in milliseconds, from which on it counts as forgotten.
    forgotten_ms: u64,
    instance: Instance,
    newer: u32,
    older: u32,
}

/// What an instance takes at most: its slot, and its place in a table that has just grown.
pub const BYTES_PER_INSTANCE: usize = 2 * size_of::<Slot>() + 4 * (size_of::<u32>() + 1);

/// All instances.
#[derive(Debug)]
pub(super) struct Instances {
    most: usize,
    places: HashTable<u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
    hasher: DefaultHashBuilder,
    /// Those that gave way to others.
    pub(super) evicted: u64,
}

impl Instances {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.clamp(1, MOST),
            places: HashTable::new(),
            slots: Vec::new(),
            free: Vec::new(),
            newest: NONE,
            oldest: NONE,
            hasher: DefaultHashBuilder::default(),
            evicted: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Allow so many from now on.
    pub(super) fn allow(&mut self, most: usize) {
        self.most = most.clamp(1, MOST);
        while self.len() > self.most {
            self.evict();
        }
    }

    /// What is known of this id, unless it is forgotten; it counts as the newest from now on.
    pub(super) fn find(&mut self, id: InstanceId, now_ms: u64) -> Option<Instance> {
        self.forget(now_ms);
        let place = self.place(id)?;
        let slot = *self.slots.get(place as usize)?;
        if slot.forgotten_ms <= now_ms {
            self.remove(place);
            return None;
        }
        self.unlink(place);
        self.link(place);
        Some(slot.instance)
    }

    /// Remember an instance until this time, in place of what was known of it.
    pub(super) fn put(&mut self, id: InstanceId, instance: Instance, forgotten_ms: u64) {
        if let Some(slot) = self.place(id).and_then(|place| self.slots.get_mut(place as usize)) {
            (slot.instance, slot.forgotten_ms) = (instance, forgotten_ms);
            return;
        }
        while self.len() >= self.most {
            self.evict();
        }
        let slot = Slot { id, forgotten_ms, instance, newer: NONE, older: NONE };
        let place = self.free.pop().unwrap_or_else(|| u32::try_from(self.slots.len()).unwrap_or(NONE));
        match self.slots.get_mut(place as usize) {
            Some(free) => *free = slot,
            None => self.slots.push(slot),
        }
        let hash = self.hasher.hash_one(id);
        let (slots, hasher) = (&self.slots, &self.hasher);
        self.places.insert_unique(hash, place, |place| hash_of(slots, hasher, *place));
        self.link(place);
    }

    /// Forget the oldest ones whose time has passed; a few at a time, so that no request waits for it.
    fn forget(&mut self, now_ms: u64) {
        for _ in 0..4 {
            let Some(slot) = self.slots.get(self.oldest as usize) else { return };
            if slot.forgotten_ms > now_ms {
                return;
            }
            self.remove(self.oldest);
        }
    }

    fn evict(&mut self) {
        self.evicted = self.evicted.saturating_add(1);
        self.remove(self.oldest);
    }

    fn remove(&mut self, place: u32) {
        let Some(id) = self.slots.get(place as usize).map(|slot| slot.id) else { return };
        let hash = self.hasher.hash_one(id);
        if let Ok(found) = self.places.find_entry(hash, |other| *other == place) {
            found.remove();
        }
        self.unlink(place);
        self.free.push(place);
    }

    fn place(&self, id: InstanceId) -> Option<u32> {
        let is_it = |place: &u32| self.slots.get(*place as usize).is_some_and(|slot| slot.id == id);
        self.places.find(self.hasher.hash_one(id), is_it).copied()
    }

    fn link(&mut self, place: u32) {
        let before = std::mem::replace(&mut self.newest, place);
        if let Some(slot) = self.slots.get_mut(place as usize) {
            (slot.newer, slot.older) = (NONE, before);
        }
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.newer = place,
            None => self.oldest = place,
        }
    }

    fn unlink(&mut self, place: u32) {
        let Some((newer, older)) = self.slots.get(place as usize).map(|slot| (slot.newer, slot.older)) else { return };
        match self.slots.get_mut(newer as usize) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older as usize) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }
}

fn hash_of(slots: &[Slot], hasher: &DefaultHashBuilder, place: u32) -> u64 {
    slots.get(place as usize).map_or(0, |slot| hasher.hash_one(slot.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> InstanceId {
        InstanceId(number.to_be_bytes())
    }

    fn with(most: usize, numbers: impl IntoIterator<Item = u128>, forgotten_ms: u64) -> Instances {
        let mut instances = Instances::new(most);
        numbers.into_iter().for_each(|number| instances.put(id(number), Instance::new(0, 0), forgotten_ms));
        instances
    }

    fn known(instances: &Instances, numbers: impl IntoIterator<Item = u128>) -> Vec<u128> {
        numbers.into_iter().filter(|number| instances.place(id(*number)).is_some()).collect()
    }

    #[test]
    fn the_one_that_was_silent_the_longest_gives_way() {
        let mut instances = with(3, 2..5, u64::MAX);
        assert!(instances.find(id(2), 0).is_some());

        instances.put(id(5), Instance::new(0, 0), u64::MAX);
        instances.put(id(6), Instance::new(0, 0), u64::MAX);

        assert_eq!(known(&instances, 2..7), [2, 5, 6]);
        assert_eq!((instances.len(), instances.evicted), (3, 2));
    }

    #[test]
    fn those_whose_time_has_passed_make_room_and_their_places_are_used_again() {
        let mut instances = with(10, 2..5, 100);

        assert!(instances.find(id(4), 99).is_some());
        assert!(instances.find(id(4), 100).is_none());
        instances.put(id(9), Instance::new(0, 0), 100);
        assert_eq!((instances.len(), instances.slots.len(), instances.evicted), (1, 3, 0));
    }

    #[test]
    fn one_is_forgotten_when_its_time_has_passed_though_an_older_one_is_not() {
        let mut instances = with(10, [2], u64::MAX);
        instances.put(id(3), Instance::new(0, 0), 100);

        assert!(instances.find(id(3), 100).is_none() && instances.find(id(2), 100).is_some());
    }

    #[test]
    fn fewer_may_be_allowed_later() {
        let mut instances = with(10, 2..10, u64::MAX);

        instances.allow(2);

        assert_eq!(known(&instances, 2..10), [8, 9]);
    }

    #[test]
    fn one_takes_no_more_than_the_budget() {
        let most = BYTES_PER_INSTANCE;
        assert!(most <= 256, "{most}");
    }

    #[test]
    fn an_id_is_of_version_4_and_hashed_as_java_does() {
        let made = InstanceId::of_random([0xff; 16]);

        assert_eq!((made.0[6], made.0[8]), (0x4f, 0xbf));
        assert_eq!(id(0x0000_0001_0000_0020_0000_0300_0000_4000).java_hash(), 0x4321);
    }
}
