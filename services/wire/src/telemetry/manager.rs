//! Answers requests one after the other.

use std::sync::Arc;

use super::client::Selectors;
use super::errors::Error;
use super::instance::Instance;
use super::instances::{InstanceId, Instances};
use super::messages::{Kept, Pushed, Request, get_response, push_response, refusal};
use super::pushes::{Push, compression_name};
use super::subscriptions::{Requested, Subscriptions};
use crate::aggregate::{Identity, IdentityKey};
use crate::reader::Fault;

/// An instance that asked nothing is forgotten after this time, and never before three intervals.
const FORGOTTEN_AFTER_MS: u64 = 60_000;
const FORGOTTEN_AFTER_INTERVALS: u64 = 3;
/// What Kafka takes a client for that does not say what it is.
const UNKNOWN: &str = "unknown";

/// Bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many instances are remembered.
    pub max_instances: usize,
    /// The longest push, compressed, in bytes.
    pub max_bytes: u32,
}

/// What becomes of a request.
#[derive(Debug)]
pub struct Answer {
    /// What the client gets, with its length before it.
    pub response: Vec<u8>,
    /// How it is answered.
    pub error: Error,
    /// What was taken.
    pub push: Option<Push>,
}

/// All instances that ask one observer, and what they are asked for.
#[derive(Debug)]
pub struct Manager {
    settings: Settings,
    subscriptions: Subscriptions,
    version: u32,
    instances: Instances,
}

impl Manager {
    /// Nothing is known of anybody yet.
    #[must_use]
    pub fn new(settings: Settings, subscriptions: Subscriptions) -> Self {
        Self { settings, subscriptions, version: 0, instances: Instances::new(settings.max_instances) }
    }

    /// Take new bounds.
    pub fn allow(&mut self, settings: Settings) {
        self.settings = settings;
        self.instances.allow(settings.max_instances);
    }

    /// The cluster has other subscriptions now: every instance is matched again at its next request.
    pub fn subscribe(&mut self, subscriptions: Subscriptions) {
        self.subscriptions = subscriptions;
        self.version = self.version.wrapping_add(1);
    }

    /// How many instances are remembered.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// How many gave way to others since the start.
    #[must_use]
    pub const fn evicted(&self) -> u64 {
        self.instances.evicted
    }

    /// Answer a request.
    ///
    /// Parameters
    ///
    /// `client` is what is known of the connection; it is what a push carries, too. `now_ms` is a time in milliseconds
    /// since 1970, `random` makes the id of an instance that has none.
    ///
    /// # Errors
    /// It is not what its definition says. A broker closes the connection then.
    pub fn answer(
        &mut self,
        kept: Kept<'_>,
        client: &Identity,
        now_ms: u64,
        random: impl FnOnce() -> [u8; 16],
    ) -> Result<Answer, Fault> {
        let (header, request) = kept.read()?;
        let correlation = header.opening.correlation;
        let text = |key| client.get(key).and_then(|value| std::str::from_utf8(value).ok());
        let id = match request {
            Request::Get { id: InstanceId::ZERO } => InstanceId::of_random(random()),
            Request::Get { id } | Request::Push(Pushed { id, .. }) => id,
        };
        let id_text = id.text();
        let selectors = Selectors {
            client_instance_id: Some(&id_text),
            client_id: header.client_id.and_then(|client_id| std::str::from_utf8(client_id).ok()),
            client_software_name: text(IdentityKey::ClientSoftwareName).or(Some(UNKNOWN)),
            client_software_version: text(IdentityKey::ClientSoftwareVersion).or(Some(UNKNOWN)),
            client_source_address: text(IdentityKey::ClientAddress),
            client_source_port: text(IdentityKey::ClientSourcePort),
        };
        let answer = |response, error, push| Ok(Answer { response, error, push });
        match request {
            Request::Get { .. } => {
                let (mut instance, requested) = self.instance(id, &selectors, now_ms);
                let outcome = instance.ask(now_ms, requested.interval_ms.into());
                self.remember(id, instance, &requested, now_ms);
                match outcome {
                    Ok(()) => {
                        let max_bytes = self.settings.max_bytes;
                        answer(get_response(correlation, id, &requested, max_bytes), Error::None, None)
                    }
                    Err(error) => answer(refusal(correlation, error), error, None),
                }
            }
            Request::Push(_) if id.is_reserved() => {
                let error = Error::InvalidRequest;
                answer(push_response(correlation, error), error, None)
            }
            Request::Push(pushed) => {
                let (mut instance, requested) = self.instance(id, &selectors, now_ms);
                let outcome = instance.push(now_ms, requested.interval_ms.into(), pushed.is_terminating, || {
                    self.judge(&pushed, requested.id(id), kept.is_cut)
                });
                self.remember(id, instance, &requested, now_ms);
                let error = outcome.err().unwrap_or_default();
                let metrics = pushed.metrics.filter(|metrics| outcome.is_ok() && !metrics.is_empty());
                let push = metrics.map(|metrics| Push {
                    received_at_ms: now_ms,
                    client_instance_id: id_text.clone(),
                    identity: client.clone(),
                    push_interval_ms: requested.interval_ms,
                    is_terminating: pushed.is_terminating,
                    compression: pushed.compression,
                    metrics: metrics.into(),
                });
                answer(push_response(correlation, error), error, push)
            }
        }
    }

    /// Whether what an instance pushes, which may push now, is taken.
    fn judge(&self, pushed: &Pushed<'_>, subscription_id: i32, is_cut: bool) -> Result<(), Error> {
        if pushed.subscription_id != subscription_id {
            Err(Error::UnknownSubscriptionId)
        } else if compression_name(pushed.compression).is_none() {
            Err(Error::UnsupportedCompressionType)
        } else if pushed.size > usize::try_from(self.settings.max_bytes).unwrap_or(usize::MAX) {
            Err(Error::TelemetryTooLarge)
        } else if is_cut {
            // Many push at once, and there is no room for all: its next one is taken.
            Err(Error::ThrottlingQuotaExceeded)
        } else {
            Ok(())
        }
    }

    /// What is known of an instance, which is a new one where nothing is, and what it is asked for.
    fn instance(&mut self, id: InstanceId, client: &Selectors<'_>, now_ms: u64) -> (Instance, Arc<Requested>) {
        let known = self.instances.find(id, now_ms).filter(|instance| instance.version == self.version);
        let instance = known.unwrap_or_else(|| {
            let number = self.matched(client);
            Instance::new(self.version, number)
        });
        (instance, self.subscriptions.requested(instance.requested).cloned().unwrap_or_default())
    }

    fn remember(&mut self, id: InstanceId, instance: Instance, requested: &Requested, now_ms: u64) {
        let intervals = FORGOTTEN_AFTER_INTERVALS.saturating_mul(requested.interval_ms.into());
        self.instances.put(id, instance, now_ms.saturating_add(intervals.max(FORGOTTEN_AFTER_MS)));
    }

    /// The number of what a client is asked for.
    fn matched(&mut self, client: &Selectors<'_>) -> u32 {
        if let Some(number) = self.subscriptions.number(client) {
            return number;
        }
        // Nobody is asked for anything else by this: ids hang on what is asked for alone.
        self.subscriptions.begin_again();
        self.version = self.version.wrapping_add(1);
        self.subscriptions.number(client).unwrap_or_default()
    }
}
