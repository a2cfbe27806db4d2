//! Which replica of the collector owns a pod: rendezvous hashing, as the collector itself does it.

use std::cmp::Reverse;

use ring::digest;

/// The ordinal with the largest first eight bytes of SHA-256(`pod|ordinal`); ties go to the lowest.
pub(super) fn owner_of(pod: &str, replicas: u32) -> u32 {
    let weight = |ordinal: u32| {
        let digest = digest::digest(&digest::SHA256, format!("{pod}|{ordinal}").as_bytes());
        let first = digest.as_ref().first_chunk().copied().unwrap_or_default();
        (u64::from_be_bytes(first), Reverse(ordinal))
    };
    (0..replicas).max_by_key(|ordinal| weight(*ordinal)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::owner_of;

    #[test]
    fn owners_are_those_that_the_collector_computes() {
        // Of kwitness.collector.sharding.owner_of.
        for (pod, replicas, owner) in
            [("team-a/edge-0", 3, 0), ("team-a/edge-1", 3, 2), ("shop/kwitness-gateway-front-1", 5, 3), ("a/b", 16, 0)]
        {
            assert_eq!(owner_of(pod, replicas), owner, "{pod} among {replicas}");
        }
    }
}
