//! UUIDs of version 7 (RFC 9562).

use ring::rand::{SecureRandom as _, SystemRandom};

const RANDOM_BYTES: usize = 10;
/// How many are drawn at once: the kernel is asked once for all of them.
const AT_ONCE: usize = 64;

/// Draws them. A child that a fork made must have one of its own.
#[derive(Debug)]
pub(super) struct UniqueIds {
    random: SystemRandom,
    drawn: Vec<u8>,
}

impl UniqueIds {
    pub(super) fn new() -> Self {
        Self { random: SystemRandom::new(), drawn: Vec::new() }
    }

    /// The next one, as 36 characters; none where the system has no random numbers.
    pub(super) fn next(&mut self, now_ms: u64) -> Option<String> {
        if self.drawn.len() < RANDOM_BYTES {
            let mut drawn = vec![0; RANDOM_BYTES.saturating_mul(AT_ONCE)];
            self.random.fill(&mut drawn).ok()?;
            self.drawn = drawn;
        }
        let left = self.drawn.split_off(self.drawn.len().saturating_sub(RANDOM_BYTES));
        let random = left.iter().fold(0_u128, |bits, byte| (bits << 8) | u128::from(*byte));
        Some(text(now_ms, random))
    }
}

/// The time's 48 bits, the version, twelve random bits, the variant, 62 random bits.
fn text(now_ms: u64, random: u128) -> String {
    let time = u128::from(now_ms) << 80;
    let (first, second) = ((random >> 62) & 0xfff, random & 0x3fff_ffff_ffff_ffff);
    let id = format!("{:032x}", time | (7 << 76) | (first << 64) | (2 << 62) | second);
    let part = |from: usize, to: usize| id.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kwitness_observation::record_headers::Kind;

    use super::{AT_ONCE, UniqueIds, text};

    #[test]
    fn it_has_the_time_the_version_and_the_variant() {
        // The example of RFC 9562, appendix A.6.
        let random = (0xcc3_u128 << 62) | 0x18c4_dc0c_0c07_398f;
        assert_eq!(text(0x017F_22E2_79B0, random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    }

    #[test]
    fn each_is_another_one() {
        let mut ids = UniqueIds::new();
        let drawn: HashSet<_> = (0..3 * AT_ONCE).map(|_| ids.next(1).unwrap()).collect();

        assert_eq!(drawn.len(), 3 * AT_ONCE);
        assert!(drawn.iter().all(|id| id.len() == 36 && Kind::Uuid.has(id.as_bytes())));
    }
}
