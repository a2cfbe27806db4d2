//! The broker in the observer's own pod, before whose clients the observer stands.

use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::log::log;
use crate::settings::{Mode, Settings};

const WITHIN: Duration = Duration::from_millis(500);

/// Whether that broker has been seen to listen: on loopback, or, where connections are redirected, at the pod's address.
///
/// A broker that does not has the port itself on which its clients come, and could not start if the observer were
/// faster. Nor is anybody let in before there is somebody to talk to.
#[derive(Debug)]
pub(crate) struct OwnBroker {
    pod_address: Option<IpAddr>,
    has_answered: bool,
    /// That it does not, or does at last.
    was_told: Option<bool>,
}

impl OwnBroker {
    /// The one in the pod with this address.
    pub(crate) const fn at(pod_address: Option<IpAddr>) -> Self {
        Self { pod_address, has_answered: false, was_told: None }
    }

    /// Whether clients may be let in, as far as this broker goes; once they may they always may.
    pub(crate) async fn is_behind(&mut self, settings: &Settings) -> bool {
        if settings.mode == Mode::Broker && !self.has_answered {
            self.has_answered = self.answers(settings).await;
            self.tell(settings);
        }
        settings.mode != Mode::Broker || self.has_answered
    }

    fn tell(&mut self, settings: &Settings) {
        if self.was_told.replace(self.has_answered) != Some(self.has_answered) {
            let broker = settings.upstream.bootstrap_servers.first().map(ToString::to_string);
            let message =
                if self.has_answered { "The broker listens" } else { "Nobody is let in before the broker listens" };
            log!(Info, message, broker = broker);
        }
    }

    async fn answers(&self, settings: &Settings) -> bool {
        let Some(broker) = settings.upstream.bootstrap_servers.first() else { return false };
        // A listener that was not moved may have the pod's address alone.
        let also = self.pod_address.filter(|_| !settings.listener.redirected.is_empty());
        takes(&broker.host, broker.port).await
            || match also {
                Some(address) => takes(&address.to_string(), broker.port).await,
                None => false,
            }
    }
}

async fn takes(host: &str, port: u16) -> bool {
    matches!(timeout(WITHIN, TcpStream::connect((host, port))).await, Ok(Ok(_)))
}
