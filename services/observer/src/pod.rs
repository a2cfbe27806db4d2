//! The pod that the process runs in, as its environment says.

use std::net::IpAddr;

use crate::settings::{Mode, Settings};

/// Who and where the process is.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    name: String,
    namespace: Option<String>,
    address: Option<IpAddr>,
}

impl Pod {
    /// Of `POD_NAME`, `POD_NAMESPACE` and `POD_IP`; the name may be given, and is that of the host otherwise.
    pub(crate) fn of_environment(name: Option<String>) -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let named = || ["POD_NAME", "HOSTNAME"].into_iter().find_map(variable);
        Self {
            name: name.or_else(named).unwrap_or_else(|| "observer".to_owned()),
            namespace: variable("POD_NAMESPACE"),
            address: variable("POD_IP").and_then(|address| address.parse().ok()),
        }
    }

    /// By which name it numbers what it reports: `<namespace>/<pod>`, as in its token.
    ///
    /// A sidecar may stand in another namespace than the resource that it belongs to.
    pub(crate) fn source(&self, settings: &Settings) -> String {
        let own = self.namespace.as_deref().filter(|_| settings.mode == Mode::Sidecar);
        format!("{}/{}", own.unwrap_or(&settings.namespace), self.name)
    }

    /// The address by which others know its clients, whom it meets on loopback itself.
    pub(crate) const fn address(&self) -> Option<IpAddr> {
        self.address
    }
}
