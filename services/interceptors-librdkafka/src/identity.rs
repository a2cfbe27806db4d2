//! Who reports, and from where.

use std::fs::File;
use std::io::Read as _;

use crate::settings::Settings;

/// One process's reporter.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    /// 64 random bits, as 16 hexadecimal digits.
    pub(crate) name: String,
    /// Its start, in milliseconds since 1970.
    pub(crate) epoch_ms: u64,
    pub(crate) container: Option<String>,
    pod: String,
    namespace: Option<String>,
}

impl Reporter {
    /// A new one, in the pod and container that `KWITNESS_POD_NAME`, `KWITNESS_POD_NAMESPACE` and `KWITNESS_CONTAINER`
    /// name; the host's name is that of its pod.
    pub(crate) fn begin(now_ms: u64) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let named = ["KWITNESS_POD_NAME", "HOSTNAME"].into_iter().find_map(variable);
        Self {
            name: format!("{:016x}", drawn()),
            epoch_ms: now_ms,
            pod: named.unwrap_or_else(|| "unnamed".to_owned()),
            namespace: variable("KWITNESS_POD_NAMESPACE"),
            container: variable("KWITNESS_CONTAINER"),
        }
    }

    /// `<namespace>/<pod>`, as in the token: whose owner among the collector's replicas is ours, too.
    pub(crate) fn pod(&self, settings: &Settings) -> String {
        format!("{}/{}", self.namespace.as_deref().unwrap_or(&settings.namespace), self.pod)
    }

    /// By which name it numbers what it reports.
    pub(crate) fn source(&self, settings: &Settings) -> String {
        format!("{}/{}", self.pod(settings), self.name)
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
        let (one, other) = (Reporter::begin(1), Reporter::begin(1));

        assert_ne!(one.name, other.name);
        assert!(one.name.len() == 16 && one.name.bytes().all(|digit| digit.is_ascii_hexdigit()));
    }
}
