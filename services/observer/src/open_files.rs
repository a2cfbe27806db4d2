//! Raises the limit of open files, of which each connection that is relayed takes two.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::log::log;

/// Files of the process itself: ports, threads, scrapes, reports.
const OWN: u64 = 64;

/// Raise the soft limit to the hard one. Node's defaults have 1,024 for programs that cannot bear more.
pub(crate) fn raise() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    if maximum.is_some()
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        log!(Warning, "The soft limit of open files cannot be raised", reason = error.to_string());
    }
}

/// How many connections the limit has room for.
pub(crate) fn most_connections() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    files.map_or(usize::MAX, |files| usize::try_from(files.saturating_sub(OWN) / 2).unwrap_or(usize::MAX))
}

/// Log that fewer connections than these are allowed, where the limit has no room for them.
pub(crate) fn warn_beyond(max_connections: usize) {
    let most = most_connections();
    if most < max_connections {
        log!(
            Warning,
            "The limit of open files has no room for limits.maxConnections: raise it (LimitNOFILE of the container runtime)",
            allowed = most,
            max_connections = max_connections
        );
    }
}
