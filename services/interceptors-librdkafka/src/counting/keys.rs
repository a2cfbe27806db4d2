//! How many different keys there are, estimated: `DataSketches`' `HyperLogLog` of 4,096 registers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use datasketches::hash::value::raw_bytes;
use datasketches::hll::{Coupon, HllSketch, HllType, HllUnion};

use super::topics::Merge;

const LG_REGISTERS: u8 = 12;
const REGISTERS: usize = 1 << LG_REGISTERS;
/// Ten integers before the registers, version 1, family HLL, no list, out of order, minimum 0, registers of 8 bits.
const HEAD: [u8; 8] = [10, 1, 7, LG_REGISTERS, 0, 0b1_0000, 0, 0b1010];

/// Keys of one topic.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyTally {
    /// Records whose keys were counted.
    pub(crate) records: u64,
    pub(crate) keyless: u64,
    sketch: Option<Registers>,
}

/// A sketch that has its registers from the start and is marked as out of order, so that whoever reads it, and whatever
/// it was added to before, estimates alike; Java and Python write the same bytes.
#[derive(Clone)]
struct Registers(HllSketch);

impl std::fmt::Debug for Registers {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Registers(about {})", self.0.estimate())
    }
}

impl Registers {
    /// Without a key; `None` if the library does not take its own format any more.
    fn new() -> Option<Self> {
        let (none, sum) = (0.0_f64, 4_096.0_f64);
        let empty = u32::try_from(REGISTERS).ok()?;
        let mut image = Vec::with_capacity(REGISTERS.saturating_add(40));
        image.extend_from_slice(&HEAD);
        for sum in [none, sum, none] {
            image.extend_from_slice(&sum.to_le_bytes());
        }
        image.extend_from_slice(&empty.to_le_bytes());
        image.extend_from_slice(&0_u32.to_le_bytes());
        image.resize(image.len().saturating_add(REGISTERS), 0);
        HllSketch::deserialize(&image).ok().map(Self)
    }
}

impl KeyTally {
    /// Count a record with this key. An empty key counts as a record only, as `DataSketches` has it.
    pub(crate) fn add(&mut self, key: Option<&[u8]>) {
        let Some(key) = key else {
            self.keyless = self.keyless.saturating_add(1);
            return;
        };
        self.records = self.records.saturating_add(1);
        if key.is_empty() {
            return;
        }
        if let Some(registers) = self.registers() {
            registers.0.update_with_coupon(Coupon::from_value(raw_bytes::from_slice(key)));
        }
    }

    fn registers(&mut self) -> Option<&mut Registers> {
        if self.sketch.is_none() {
            self.sketch = Registers::new();
        }
        self.sketch.as_mut()
    }

    /// About how many there were.
    pub(crate) fn distinct(&self) -> u64 {
        let estimate = self.sketch.as_ref().map_or(0.0, |sketch| sketch.0.estimate().round());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate is a count, not below 0"
        )]
        let count = estimate as u64;
        count
    }

    /// The sketch, in base64; empty where there was no key.
    pub(crate) fn image(&self) -> String {
        self.sketch.as_ref().map_or_else(String::new, |sketch| STANDARD.encode(sketch.0.serialize()))
    }
}

impl Merge for KeyTally {
    fn merge(&mut self, other: &Self) {
        self.records = self.records.saturating_add(other.records);
        self.keyless = self.keyless.saturating_add(other.keyless);
        let Some(theirs) = &other.sketch else { return };
        let Some(own) = &self.sketch else {
            self.sketch = Some(theirs.clone());
            return;
        };
        let Ok(mut union) = HllUnion::new(LG_REGISTERS) else { return };
        union.update(&own.0);
        union.update(&theirs.0);
        self.sketch = Some(Registers(union.to_sketch(HllType::Hll8)));
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::Value;

    use super::KeyTally;
    use crate::counting::topics::Merge;

    fn vectors() -> Value {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/interception_aggregates.json");
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    }

    fn numbers(first: u64, end: u64) -> KeyTally {
        let mut tally = KeyTally::default();
        (first..end).for_each(|number| tally.add(Some(number.to_string().as_bytes())));
        tally
    }

    #[test]
    fn the_bytes_are_those_that_every_runtime_writes() {
        for example in vectors()["distinct_keys"].as_array().unwrap() {
            let mut whole = KeyTally::default();
            for range in example["ranges"].as_array().unwrap() {
                whole.merge(&numbers(range[0].as_u64().unwrap(), range[1].as_u64().unwrap()));
            }

            if whole.records == 0 {
                assert_eq!((whole.image(), whole.distinct()), (String::new(), 0));
                continue;
            }
            let image = STANDARD.decode(whole.image()).unwrap();
            let expected = STANDARD.decode(example["image"].as_str().unwrap()).unwrap();
            assert_eq!(image[40..], expected[40..], "registers of {}", example["name"]);
            assert_eq!(image[..8], expected[..8], "head of {}", example["name"]);
            let (estimate, known) = (whole.distinct(), example["estimate"].as_u64().unwrap());
            assert!(estimate.abs_diff(known) <= known / 50 + 1, "{}: {estimate} is not {known}", example["name"]);
        }
    }

    #[test]
    fn a_key_falls_into_the_slot_that_it_has_everywhere() {
        for example in vectors()["hashes"].as_array().unwrap() {
            let key = STANDARD.decode(example["key"].as_str().unwrap()).unwrap();
            let mut tally = KeyTally::default();
            tally.add(Some(&key));

            match example["slot"].as_u64() {
                None => assert_eq!(tally.image(), ""),
                Some(slot) => {
                    let image = STANDARD.decode(tally.image()).unwrap();
                    let filled: Vec<_> = (0_u64..).zip(&image[40..]).filter(|(_, value)| **value > 0).collect();
                    let value = u8::try_from(example["value"].as_u64().unwrap()).unwrap();
                    assert_eq!(filled, [(slot, &value)]);
                }
            }
        }
    }

    #[test]
    fn a_record_without_a_key_is_counted_apart() {
        let mut tally = numbers(0, 10);
        tally.add(None);
        tally.add(Some(b""));

        assert_eq!((tally.records, tally.keyless, tally.distinct()), (11, 1, 10));
    }
}
