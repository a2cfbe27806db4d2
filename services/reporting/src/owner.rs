//! Finds the replica of the collector that owns a source: rendezvous hashing, as the collector itself does it.

use ring::digest;

/// The ordinal with the largest first eight bytes of SHA-256(`key|ordinal`); ties go to the lowest.
#[must_use]
pub fn owner_of(key: &str, replicas: u32) -> u32 {
    let weight = |ordinal: u32| {
        let digest = digest::digest(&digest::SHA256, format!("{key}|{ordinal}").as_bytes());
        let first = digest.as_ref().first_chunk().copied().unwrap_or_default();
        (u64::from_be_bytes(first), std::cmp::Reverse(ordinal))
    };
    (0..replicas).max_by_key(|ordinal| weight(*ordinal)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::owner_of;

    #[test]
    fn owners_are_those_that_the_collector_computes() {
        // Of kwitness.collector.sharding.owner_of.
        for (key, replicas, owner) in OWNERS {
            assert_eq!(owner_of(key, replicas), owner, "{key} among {replicas}");
        }
    }

    const OWNERS: [(&str, u32, u32); 6] = [
        ("team-a/edge-0", 1, 0),
        ("team-a/edge-0", 3, 0),
        ("team-a/edge-1", 3, 2),
        ("shop/kwitness-gateway-front-0", 2, 1),
        ("shop/kwitness-gateway-front-1", 5, 3),
        ("a/b", 16, 0),
    ];
}
