//! What a process has one of: its settings, its clients, and the thread that reports them.

use std::collections::BTreeMap;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::abi::{PerProcess, ProcessMark, at_exit, coarse_now_ms, spawn_unsignalled};
use crate::client::{About, Client, QueueLength, Shared, Side, unpoisoned};
use crate::counting::Counting;
use crate::identity::{Reporter, named_pod};
use crate::reasons::Reasons;
use crate::report::{Sender, Wake};
use crate::settings::{Interceptor, Settings};
use crate::settings_file::SettingsFile;

/// With the value 1 nothing is done, whatever else is set.
const OFF_VARIABLE: &str = "KWITNESS_OFF";
/// Names the settings file.
const SETTINGS_VARIABLE: &str = "KWITNESS_INTERCEPTORS";
/// How long the end of a client may wait for its last windows to be sent.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// Why an interceptor cannot be used.
const NO_HEADER_FUNCTIONS: &str = "this librdkafka has no functions for headers";

static PLUGIN: PerProcess<Plugin> = PerProcess::new();
/// Whether a panic says nothing, and the end of the process is heard of.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Whether a person has switched everything off.
pub(crate) fn is_off() -> bool {
    std::env::var_os(OFF_VARIABLE).is_some_and(|value| value == "1")
}

/// The settings file's path, if there is any; `property` is what the client's own configuration says.
pub(crate) fn settings_path(property: Option<&Path>) -> Option<PathBuf> {
    let variable = std::env::var_os(SETTINGS_VARIABLE).filter(|value| !value.is_empty());
    variable.map(PathBuf::from).or_else(|| property.map(Path::to_owned))
}

/// Why a client is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Uncounted {
    /// librdkafka has no hooks for it.
    ShareGroup,
    /// librdkafka is linked into the program.
    Static,
    /// This librdkafka lacks a function.
    MissingSymbols,
    /// There are as many as may be.
    TooMany,
}

impl Uncounted {
    /// As records spell it.
    const fn name(self) -> &'static str {
        match self {
            Self::ShareGroup => "share_group",
            Self::Static => "static_librdkafka",
            Self::MissingSymbols => "missing_symbols",
            Self::TooMany => "too_many_clients",
        }
    }
}

/// One process's plugin.
pub(crate) struct Plugin {
    mark: ProcessMark,
    pub(crate) reporter: Reporter,
    pub(crate) wake: Wake,
    pub(crate) is_suspended: AtomicBool,
    clients: Mutex<Vec<Shared>>,
    counting: Mutex<Option<Counting>>,
    uncounted: Mutex<BTreeMap<Uncounted, u64>>,
    /// A client's librdkafka has no functions for headers.
    lacks_header_functions: AtomicBool,
    numbers: AtomicU64,
}

impl Plugin {
    pub(crate) fn new(mark: ProcessMark, pod: String) -> Self {
        Self {
            mark,
            reporter: Reporter::begin(pod, coarse_now_ms()),
            wake: Wake::default(),
            is_suspended: AtomicBool::new(false),
            clients: Mutex::default(),
            counting: Mutex::default(),
            uncounted: Mutex::default(),
            lacks_header_functions: AtomicBool::new(false),
            numbers: AtomicU64::new(0),
        }
    }

    /// This process's, begun if it has none; `None` where there are no settings for it, or nobody knows whose they are.
    pub(crate) fn begun(property: Option<&Path>) -> Option<&'static Self> {
        if is_off() {
            return None;
        }
        let pod = named_pod()?;
        let plugin = PLUGIN.get_or_make(|mark| Self::new(mark, pod));
        let mut counting = unpoisoned(&plugin.counting);
        if counting.is_none() {
            // Whoever configured the file reads why it is not used in the status, where no process reports.
            let (file, settings) = SettingsFile::open(settings_path(property)?)?;
            plugin.is_suspended.store(settings.suspend, Ordering::Relaxed);
            let sender = Sender::new(plugin, file, Arc::clone(&settings));
            spawn_unsignalled("kwitness", move || sender.run()).ok()?;
            // A child has what its parent has set.
            if !IS_SET.swap(true, Ordering::Relaxed) {
                // What panics is counted; the application's output is not ours. Other libraries have a hook of their own.
                panic::set_hook(Box::new(|_| {}));
                at_exit(last_word);
            }
            *counting = Some(Counting::of(settings));
        }
        drop(counting);
        Some(plugin)
    }

    /// This process's, if it has begun.
    pub(crate) fn here() -> Option<&'static Self> {
        PLUGIN.get()
    }

    /// The open client that librdkafka has at this address.
    pub(crate) fn client_of(&self, handle: usize) -> Option<Shared> {
        let clients = unpoisoned(&self.clients);
        clients.iter().find(|client| client.about.handle == handle && !client.has_ended()).cloned()
    }

    /// Whether this is still the process that it was made in.
    pub(crate) fn is_here(&self) -> bool {
        self.mark.is_here()
    }

    /// Whether statistics are wanted, and how often, in milliseconds.
    pub(crate) fn statistics_every_ms(&self) -> Option<u64> {
        let counting = unpoisoned(&self.counting);
        counting.as_ref().filter(|counting| counting.statistics).map(|counting| counting.settings.window_ms)
    }

    /// A new client; `None` where there are too many.
    pub(crate) fn open(&self, begins: Begins) -> Option<Shared> {
        let mut clients = unpoisoned(&self.clients);
        // Read under that lock: whoever counts otherwise from now on finds the client, or is found by it.
        let counting = unpoisoned(&self.counting).clone()?;
        if clients.len() >= counting.settings.limits.clients {
            drop(clients);
            self.leave_alone(Uncounted::TooMany);
            return None;
        }
        let about = About {
            number: self.numbers.fetch_add(1, Ordering::Relaxed).saturating_add(1),
            handle: begins.handle,
            side: begins.side,
            client_id: begins.client_id,
            group_id: begins.group_id,
            are_acknowledged: begins.are_acknowledged,
            pod: self.reporter.pod.clone(),
            most_record_bytes: begins.most_record_bytes,
            has_header_functions: begins.has_header_functions,
        };
        self.lacks_header_functions.fetch_or(!begins.has_header_functions, Ordering::Relaxed);
        let client = Arc::new(Client::new(about, begins.reasons, counting, begins.queue_length));
        client.set_counting(!self.is_suspended.load(Ordering::Relaxed));
        clients.push(Arc::clone(&client));
        Some(client)
    }

    /// The client's hooks are called no more. Where it was the last, its windows are sent before this returns, if that
    /// is soon: the process may end now.
    pub(crate) fn close(&self, client: &Client) {
        client.end();
        let is_last = unpoisoned(&self.clients).iter().all(|one| one.has_ended());
        if is_last {
            self.wake.flush(FLUSH_WITHIN, false);
        }
    }

    /// Count a client that got nothing.
    pub(crate) fn leave_alone(&self, reason: Uncounted) {
        let mut uncounted = unpoisoned(&self.uncounted);
        let count = uncounted.entry(reason).or_default();
        *count = count.saturating_add(1);
    }

    /// Clients that got nothing, by reason.
    pub(crate) fn not_intercepted(&self) -> BTreeMap<&'static str, u64> {
        unpoisoned(&self.uncounted).iter().map(|(reason, count)| (reason.name(), *count)).collect()
    }

    /// Interceptors of these settings that some of its clients cannot have, with the reason.
    pub(crate) fn unusable(&self, settings: &Settings) -> BTreeMap<String, &'static str> {
        let has_them = !self.lacks_header_functions.load(Ordering::Relaxed);
        let needs = |one: &&Interceptor| matches!(one, Interceptor::Headers { .. } | Interceptor::Stamp { .. });
        let unusable = settings.interceptors.iter().filter(needs).filter(|_| !has_them);
        unusable.map(|one| (one.name().to_owned(), NO_HEADER_FUNCTIONS)).collect()
    }

    /// All clients, those among them that have ended and are not forgotten.
    pub(crate) fn clients(&self) -> Vec<Shared> {
        unpoisoned(&self.clients).clone()
    }

    /// Its last windows were taken.
    pub(crate) fn forget(&self, client: &Shared) {
        unpoisoned(&self.clients).retain(|one| !Arc::ptr_eq(one, client));
    }

    /// How clients that begin from now on count.
    pub(crate) fn count_as(&self, counting: &Counting) {
        *unpoisoned(&self.counting) = Some(counting.clone());
    }
}

/// What is known of a client that begins.
pub(crate) struct Begins {
    /// Where librdkafka has it: what its statistics name.
    pub(crate) handle: usize,
    pub(crate) side: Side,
    pub(crate) client_id: Option<String>,
    pub(crate) group_id: Option<String>,
    pub(crate) are_acknowledged: bool,
    pub(crate) most_record_bytes: usize,
    pub(crate) has_header_functions: bool,
    pub(crate) reasons: Reasons,
    pub(crate) queue_length: QueueLength,
}

/// The process ends: what is counted is sent, and that it was the end, if that is soon.
extern "C" fn last_word() {
    let _ = panic::catch_unwind(|| {
        if let Some(plugin) = Plugin::here() {
            plugin.wake.flush(FLUSH_WITHIN, true);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Begins, Plugin};
    use crate::abi::ProcessMark;
    use crate::client::Side;
    use crate::counting::Counting;
    use crate::reasons::Reasons;
    use crate::settings::Settings;

    const TEXT: &str = r#"{"installation":"main","cluster_id":"c","namespace":"shop","name":"orders","suspend":false,
        "interceptors":[{"type":"Audit","name":"audit"},{"type":"Headers","name":"judge"},
            {"type":"Stamp","name":"stamp","stamps":[{"key":"pod","from":"Pod"}]}],"collector":null}"#;

    fn opened(has_header_functions: bool) -> Vec<String> {
        let plugin = Plugin::new(ProcessMark::new(), "shop/orders-1".to_owned());
        let settings = Arc::new(Settings::parse(TEXT.as_bytes()).unwrap());
        plugin.count_as(&Counting::of(Arc::clone(&settings)));
        let begins = Begins {
            handle: 1,
            side: Side::Producer,
            client_id: None,
            group_id: None,
            are_acknowledged: true,
            most_record_bytes: 1_000,
            has_header_functions,
            reasons: Reasons::new(|_| None),
            queue_length: Box::new(|| 0),
        };
        assert!(plugin.open(begins).is_some());
        plugin.unusable(&settings).into_keys().collect()
    }

    #[test]
    fn interceptors_of_headers_are_unusable_where_a_librdkafka_has_no_functions_for_them() {
        assert_eq!(opened(false), ["judge", "stamp"]);
        assert_eq!(opened(true), Vec::<String>::new());
    }
}
