//! Who reports, and from where.

use std::fs::File;
use std::io::Read as _;

/// One process's reporter.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    /// 64 random bits, as 16 hexadecimal digits.
    pub(crate) name: String,
    /// Its start, in milliseconds since 1970.
    pub(crate) epoch_ms: u64,
    pub(crate) container: Option<String>,
    /// `<namespace>/<pod>`, as in the token: whose owner among the collector's replicas is ours, too.
    pub(crate) pod: String,
}

/// `<namespace>/<pod>` by `KWITNESS_POD_NAMESPACE` and `KWITNESS_POD_NAME`; without both nothing is reported.
pub(crate) fn named_pod() -> Option<String> {
    Some(format!("{}/{}", variable("KWITNESS_POD_NAMESPACE")?, variable("KWITNESS_POD_NAME")?))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Reporter {
    /// A new one in this pod, and in the container that `KWITNESS_CONTAINER` names.
    pub(crate) fn begin(pod: String, now_ms: u64) -> Self {
        Self { name: format!("{:016x}", drawn()), epoch_ms: now_ms, container: variable("KWITNESS_CONTAINER"), pod }
    }

    /// By which name it numbers what it reports.
    pub(crate) fn source(&self) -> String {
        format!("{}/{}", self.pod, self.name)
    }
}

/// A fork draws another number: nothing of the parent's is in it.
fn drawn() -> u64 {
    let mut bytes = [0; 8];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        use std::hash::{BuildHasher, RandomState};
        return RandomState::new().hash_one(std::process::id());
    }
    u64::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::Reporter;

    #[test]
    fn each_reporter_draws_a_name_of_its_own() {
        let (one, other) = (Reporter::begin("a/b".to_owned(), 1), Reporter::begin("a/b".to_owned(), 1));

        assert_ne!(one.name, other.name);
        assert!(one.name.len() == 16 && one.name.bytes().all(|digit| digit.is_ascii_hexdigit()));
    }
}
