//! Draws numbers from a seed, the same on every machine (`SplitMix64`).

/// A source of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Numbers of this seed for this purpose; other purposes have others.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mix = |all: u64, byte: u8| (all ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(purpose.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    /// Numbers that differ from those of others split off.
    pub(crate) fn split(&mut self) -> Self {
        Self(self.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From `low` to `high`, both included.
    pub(crate) fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.next().is_multiple_of(times)
    }

    pub(crate) fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        let at = self.next() % among.len() as u64;
        &among[usize::try_from(at).unwrap_or_default()]
    }

    /// `bytes` in pieces.
    pub(crate) fn pieces<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let longest = *self.pick(&[5, 300, 9_000, 70_000]);
        while !bytes.is_empty() {
            let length = usize::try_from(self.within(1, longest)).unwrap_or(1);
            // Each is a message of the network: a few dozen are enough.
            let (piece, rest) = bytes.split_at(length.max(bytes.len() / 20).min(bytes.len()));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }
}
