//! Says what is counted in which hook.

use std::sync::Arc;

use crate::settings::{Interceptor, Settings};

/// KIP-42's hooks, as far as librdkafka has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    Send,
    Acknowledgement,
    Consume,
    Commit,
}

impl Hook {
    pub(crate) const ALL: [Self; 4] = [Self::Send, Self::Acknowledgement, Self::Consume, Self::Commit];

    /// As records spell it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Send => "on_send",
            Self::Acknowledgement => "on_acknowledgement",
            Self::Consume => "on_consume",
            Self::Commit => "on_commit",
        }
    }
}

/// What is counted.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one for each interceptor")]
pub(crate) struct Counting {
    pub(crate) settings: Arc<Settings>,
    pub(super) audit: bool,
    pub(crate) latency: bool,
    pub(super) sizes: bool,
    pub(super) keys: bool,
    pub(crate) statistics: bool,
}

impl Counting {
    pub(crate) fn of(settings: Arc<Settings>) -> Self {
        let has = |is: fn(&Interceptor) -> bool| settings.interceptors.iter().any(is);
        Self {
            audit: has(|one| matches!(one, Interceptor::Audit { .. })),
            latency: has(|one| matches!(one, Interceptor::Latency { .. })),
            sizes: has(|one| matches!(one, Interceptor::Sizes { .. })),
            keys: settings.keys_window_ms().is_some(),
            statistics: has(|one| matches!(one, Interceptor::Stats { .. })),
            settings,
        }
    }

    /// The first of the profile's interceptors that needs this hook: all of a hook's time is shown as its.
    pub(crate) fn interceptor(&self, hook: Hook) -> Option<&str> {
        let needs = |one: &&Interceptor| match one {
            Interceptor::Audit { .. } => true,
            Interceptor::Latency { .. } => matches!(hook, Hook::Acknowledgement | Hook::Consume),
            Interceptor::Sizes { .. } | Interceptor::Cardinality { .. } | Interceptor::Headers { .. } => {
                matches!(hook, Hook::Send | Hook::Consume)
            }
            Interceptor::Stamp { .. } => hook == Hook::Send,
            Interceptor::Stats { .. }
            | Interceptor::Custom { .. }
            | Interceptor::Tracing { .. }
            | Interceptor::Checksum { .. } => false,
        };
        self.settings.interceptors.iter().find(needs).map(Interceptor::name)
    }
}
