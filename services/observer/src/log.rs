//! Log lines: JSON objects on standard output with the fields that all our processes write, or text for a person.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kwitness_observation::{IdentityKey, IdentityPolicy, text};
use serde_json::{Map, Value};

use crate::sync::lock_ignoring_poison;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }
}

/// Write one line: `log!(Info, "Listening", port = 9092)`. The logger's name is the module.
macro_rules! log {
    ($level:ident, $message:expr $(, $field:ident = $value:expr)* $(,)?) => {
        $crate::log::write(
            $crate::log::Level::$level,
            module_path!(),
            $message,
            &[$((stringify!($field), ::serde_json::json!($value))),*],
        )
    };
}
pub(crate) use log;

/// Write one line.
pub(crate) fn write(level: Level, module: &str, message: &str, fields: &[(&str, Value)]) {
    let output = &mut *lock_ignoring_poison(&OUTPUT);
    // Nobody is left to be told when the output is gone.
    let _ = match output {
        Output::Objects => std::io::stdout().lock().write_all(object(level, module, message, fields).as_bytes()),
        // What goes as it should is on the screen already.
        Output::Lines | Output::Kept(_) if level == Level::Info => Ok(()),
        Output::Lines => std::io::stderr().lock().write_all(line(level, message, fields).as_bytes()),
        Output::Kept(lines) => {
            if lines.len() == KEPT_LINES {
                lines.pop_front();
            }
            lines.push_back(line(level, message, fields));
            Ok(())
        }
    };
}

/// Lines that are kept at most.
const KEPT_LINES: usize = 5;
static OUTPUT: Mutex<Output> = Mutex::new(Output::Objects);

/// Where lines go.
#[derive(Debug)]
enum Output {
    /// To standard output, for programs.
    Objects,
    /// To standard error, for a person, and only what is wrong.
    Lines,
    /// Nowhere until they are asked for, the last of those.
    Kept(VecDeque<String>),
}

/// Write lines for a person to standard error from now on.
pub(crate) fn write_lines() {
    *lock_ignoring_poison(&OUTPUT) = Output::Lines;
}

/// Keep the last lines for a person from now on, for [`kept`], since something else is drawn on the terminal.
pub(crate) fn keep_lines() {
    *lock_ignoring_poison(&OUTPUT) = Output::Kept(VecDeque::new());
}

/// The last lines that were kept, each with its end; empty where none are kept.
pub(crate) fn kept() -> String {
    match &*lock_ignoring_poison(&OUTPUT) {
        Output::Kept(lines) => lines.iter().map(String::as_str).collect(),
        Output::Objects | Output::Lines => String::new(),
    }
}

fn object(level: Level, module: &str, message: &str, fields: &[(&str, Value)]) -> String {
    let mut object = Map::new();
    object.insert("time".to_owned(), Value::String(timestamp(SystemTime::now())));
    object.insert("level".to_owned(), Value::String(level.name().to_owned()));
    object.insert("logger".to_owned(), Value::String(module.replace("::", ".")));
    object.insert("message".to_owned(), Value::String(message.to_owned()));
    for (name, value) in fields {
        object.insert((*name).to_owned(), value.clone());
    }
    format!("{}\n", Value::Object(object))
}

/// `WARNING A client was closed (source: 10.0.0.7)`.
fn line(level: Level, message: &str, fields: &[(&str, Value)]) -> String {
    let field = |(name, value): &(&str, Value)| match value {
        Value::String(text) => format!("{name}: {}", printable(text)),
        value => format!("{name}: {value}"),
    };
    let fields: Vec<_> = fields.iter().map(field).collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    format!("{} {message}{fields}\n", level.name())
}

/// What others wrote must not move the cursor of a terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// `2026-01-31T23:59:59.999Z`.
fn timestamp(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) =
        (second.div_euclid(3_600), second.div_euclid(60).rem_euclid(60), second.rem_euclid(60));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970.
fn date(mut days: u64) -> (u64, usize, u64) {
    let mut year = 1970_u64;
    loop {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let months = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(months) {
            if days < length {
                return (year, month, days.saturating_add(1));
            }
            days = days.saturating_sub(length);
        }
        year = year.saturating_add(1);
    }
}

const QUIET_FOR: Duration = Duration::from_mins(1);
/// Going through all of them takes time.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
const REMEMBERED_SOURCES: usize = 1_024;
/// Stands for an address that is dropped.
const DROPPED: &str = "dropped";

/// Lets one line of a kind through for each source and minute; a source beyond those that are remembered has none.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    last: HashMap<(IpAddr, &'static str), Instant>,
    /// When what is over was forgotten.
    swept: Option<Instant>,
    /// How addresses of clients are written.
    identity: IdentityPolicy,
}

impl Throttle {
    /// Lines name addresses of clients so.
    pub(crate) fn naming(identity: IdentityPolicy) -> Self {
        Self { identity, ..Self::default() }
    }

    /// Lines name addresses of clients so from now on.
    pub(crate) fn treat(&mut self, identity: IdentityPolicy) {
        self.identity = identity;
    }

    /// Returns the source as lines name it.
    pub(crate) fn name(&self, source: IpAddr) -> String {
        let address = source.to_string();
        let shown = self.identity.value(IdentityKey::ClientAddress, address.as_bytes());
        shown.map_or_else(|| DROPPED.to_owned(), |shown| text(&shown).into_owned())
    }

    /// Whether a line of this kind about this source may be written at this time.
    pub(crate) fn allows(&mut self, source: IpAddr, kind: &'static str, now: Instant) -> bool {
        if let Some(last) = self.last.get(&(source, kind))
            && now.saturating_duration_since(*last) < QUIET_FOR
        {
            return false;
        }
        let is_swept = self.swept.is_some_and(|swept| now.saturating_duration_since(swept) < SWEEP_EVERY);
        if self.last.len() >= REMEMBERED_SOURCES && !is_swept {
            self.swept = Some(now);
            self.last.retain(|_, last| now.saturating_duration_since(*last) < QUIET_FOR);
        }
        if self.last.len() >= REMEMBERED_SOURCES && !self.last.contains_key(&(source, kind)) {
            return false;
        }
        self.last.insert((source, kind), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::{Duration, Instant, UNIX_EPOCH};

    use kwitness_observation::{HashKey, IdentityKey, IdentityKeys, IdentityPolicy};
    use serde_json::json;

    use super::{Level, REMEMBERED_SOURCES, Throttle, line, timestamp};

    #[test]
    fn a_line_names_a_client_as_rows_do() {
        let (source, key) = (IpAddr::V4(Ipv4Addr::LOCALHOST), || HashKey::from_bytes(b"a key of sixteen"));
        let address = || [IdentityKey::ClientAddress].into_iter().collect::<IdentityKeys>();
        let none = IdentityKeys::default;
        let mut throttle = Throttle::naming(IdentityPolicy::new(none(), address(), key()));
        let hashed = throttle.name(source);
        throttle.treat(IdentityPolicy::new(address(), none(), key()));
        let dropped = throttle.name(source);
        throttle.treat(IdentityPolicy::default());

        assert_eq!(hashed, key().unwrap().hash("client_address", "127.0.0.1"));
        assert_eq!((dropped.as_str(), throttle.name(source).as_str()), ("dropped", "127.0.0.1"));
    }

    #[test]
    fn a_line_for_a_person_is_one_line_whatever_a_client_sent() {
        let fields = [("source", json!("10.0.0.7")), ("reason", json!("a\x1b[2Jb\n")), ("port", json!(9092))];

        assert_eq!(
            line(Level::Warning, "A client was closed", &fields),
            "WARNING A client was closed (source: 10.0.0.7, reason: a?[2Jb?, port: 9092)\n"
        );
        assert_eq!(line(Level::Error, "An error of ours", &[]), "ERROR An error of ours\n");
    }

    #[test]
    fn times_are_as_the_other_processes_write_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_798_761_599_001, "2026-12-31T23:59:59.001Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn a_source_has_one_line_of_a_kind_in_a_minute() {
        let (mut throttle, now, source) = (Throttle::default(), Instant::now(), IpAddr::V4(Ipv4Addr::LOCALHOST));

        assert!(throttle.allows(source, "tls", now));
        assert!(!throttle.allows(source, "tls", now + Duration::from_secs(59)));
        assert!(throttle.allows(source, "garbage", now + Duration::from_secs(59)));
        assert!(throttle.allows(source, "tls", now + Duration::from_mins(1)));
    }

    #[test]
    fn many_sources_are_not_remembered() {
        let (mut throttle, now) = (Throttle::default(), Instant::now());
        let allowed =
            (0..100_000).filter(|number| throttle.allows(IpAddr::V4(Ipv4Addr::from_bits(*number)), "tls", now)).count();

        assert_eq!(allowed, REMEMBERED_SOURCES);
        assert!(throttle.allows(IpAddr::V4(Ipv4Addr::LOCALHOST), "tls", now + Duration::from_mins(1)));
    }
}
