//! Decides requests one after the other.

use std::sync::Arc;

use kwitness_observation::{Identity, IdentityKey};

use super::client::Selectors;
use super::errors::Error;
use super::instance::Instance;
use super::instances::{InstanceId, Instances};
use super::pushes::{Push, compression_name};
use super::subscriptions::{Requested, Subscriptions};

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

/// A subscription that was matched with an instance.
#[derive(Clone, Debug)]
pub struct Matched {
    /// The metrics, and their interval.
    pub requested: Arc<Requested>,
    /// The longest push that is taken, compressed, in bytes.
    pub max_bytes: u32,
}

/// A push as a client sends it.
#[derive(Clone, Copy, Debug)]
pub struct Pushed<'a> {
    /// The id of the client's instance.
    pub id: InstanceId,
    /// The subscription that it answers.
    pub subscription_id: i32,
    /// True for the client's last one.
    pub is_terminating: bool,
    /// The compression by Kafka's number; 0 for none.
    pub compression: i8,
    /// How many bytes of metrics it has.
    pub size: usize,
    /// These bytes; `None` where they were not kept.
    pub metrics: Option<&'a [u8]>,
    /// There was no room for the rest of it.
    pub is_cut: bool,
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

    /// Returns what to ask of an instance.
    ///
    /// Parameters
    ///
    /// `client_id` is the request's own, `client` what is known of the connection. `now_ms` is a time in milliseconds
    /// since 1970.
    ///
    /// # Errors
    /// The error that Kafka answers.
    pub fn get(
        &mut self,
        id: InstanceId,
        client_id: Option<&[u8]>,
        client: &Identity,
        now_ms: u64,
    ) -> Result<Matched, Error> {
        let (mut instance, requested) = self.instance(id, client_id, client, now_ms);
        let outcome = instance.ask(now_ms, requested.interval_ms.into());
        self.remember(id, instance, &requested, now_ms);
        outcome.map(|()| Matched { requested, max_bytes: self.settings.max_bytes })
    }

    /// Take a push; returns `None` where it has no metrics. Parameters are those of [`Manager::get`].
    ///
    /// # Errors
    /// The error that Kafka answers.
    pub fn push(
        &mut self,
        pushed: &Pushed<'_>,
        client_id: Option<&[u8]>,
        client: &Identity,
        now_ms: u64,
    ) -> Result<Option<Push>, Error> {
        let Pushed { id, is_terminating, compression, .. } = *pushed;
        if id.is_reserved() {
            return Err(Error::InvalidRequest);
        }
        let (mut instance, requested) = self.instance(id, client_id, client, now_ms);
        let outcome = instance
            .push(now_ms, requested.interval_ms.into(), is_terminating, || self.check(pushed, requested.id(id)));
        self.remember(id, instance, &requested, now_ms);
        outcome?;
        let metrics = pushed.metrics.filter(|metrics| !metrics.is_empty());
        Ok(metrics.map(|metrics| Push {
            received_at_ms: now_ms,
            client_instance_id: id.text(),
            identity: client.clone(),
            push_interval_ms: requested.interval_ms,
            is_terminating,
            compression,
            metrics: metrics.into(),
        }))
    }

    /// Whether what an instance pushes, which may push now, is taken.
    fn check(&self, pushed: &Pushed<'_>, subscription_id: i32) -> Result<(), Error> {
        if pushed.subscription_id != subscription_id {
            Err(Error::UnknownSubscriptionId)
        } else if compression_name(pushed.compression).is_none() {
            Err(Error::UnsupportedCompressionType)
        } else if pushed.size > usize::try_from(self.settings.max_bytes).unwrap_or(usize::MAX) {
            Err(Error::TelemetryTooLarge)
        } else if pushed.is_cut {
            // Many push at once, and there is no room for all: its next one is taken.
            Err(Error::ThrottlingQuotaExceeded)
        } else {
            Ok(())
        }
    }

    /// What is known of an instance, which is a new one where nothing is, and what it is asked for.
    fn instance(
        &mut self,
        id: InstanceId,
        client_id: Option<&[u8]>,
        client: &Identity,
        now_ms: u64,
    ) -> (Instance, Arc<Requested>) {
        let known = self.instances.find(id, now_ms).filter(|instance| instance.version == self.version);
        let instance = known.unwrap_or_else(|| {
            let (id, utf8) = (id.text(), |value| std::str::from_utf8(value).ok());
            let text = |key| client.get(key).and_then(utf8);
            let number = self.matched(&Selectors {
                client_instance_id: Some(&id),
                client_id: client_id.and_then(utf8),
                client_software_name: text(IdentityKey::ClientSoftwareName).or(Some(UNKNOWN)),
                client_software_version: text(IdentityKey::ClientSoftwareVersion).or(Some(UNKNOWN)),
                client_source_address: text(IdentityKey::ClientAddress),
                client_source_port: text(IdentityKey::ClientSourcePort),
            });
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
