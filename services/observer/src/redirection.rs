//! Rules of the pod that send connections to the observer: a step of their own makes them, and says what became of it.
//!
//! The step runs once, before the application starts, with a capability that the observer has not. Whatever happens it
//! ends without an error, since the pod would not start otherwise. What it found out lies in a file, which the observer
//! reads.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::log::log;
use crate::settings::{Mode, Settings};

/// How long the step may take before it counts as failed.
const SAID_WITHIN: Duration = Duration::from_mins(1);
/// How long an observer beside a client may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(10);
const ASK_EVERY: Duration = Duration::from_millis(200);
const IN_PLACE: &str = "in place";
const LONGEST: usize = 256;

/// What is given on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The observer's settings file.
    pub(crate) settings: PathBuf,
    /// The observer's user id, whose connections stay as they are; beside a client there has to be one.
    pub(crate) user: Option<u32>,
    /// Where to say what became of it.
    pub(crate) outcome: PathBuf,
    /// The program nft.
    pub(crate) nft: PathBuf,
}

/// Have connections redirected, as settings say, and tell what became of it.
pub(crate) fn redirect(options: &Options) {
    // A pod whose network was recreated runs this again, and the former word is no longer true.
    let forgotten = forget(&options.outcome);
    let outcome = forgotten.and_then(|()| make(options));
    let said = match &outcome {
        Ok(()) => IN_PLACE.to_owned(),
        Err(error) => error.to_string(),
    };
    match outcome {
        Ok(()) => log!(Info, "Connections are redirected"),
        Err(_) => log!(Error, "Connections are not redirected: the pod runs without observer", reason = said),
    }
    if let Err(error) = fs::write(&options.outcome, said) {
        log!(Error, "The observer does not know of it", reason = error.to_string());
    }
}

fn forget(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn make(options: &Options) -> io::Result<()> {
    let settings =
        Settings::parse(&fs::read(&options.settings)?).map_err(|refused| io::Error::other(refused.to_string()))?;
    let rules = rules(&settings, options.user)?;
    if settings.mode == Mode::Sidecar {
        await_observer(settings.metrics_port)
            .map_err(|reason| io::Error::other(format!("the observer is not ready: {reason}")))?;
    }
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", options.nft.display()));
    let mut command = Command::new(&options.nft);
    command.args(["-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut nft = command.spawn().map_err(named)?;
    if let Some(mut input) = nft.stdin.take() {
        // One that ends before it has read everything says why.
        let _ = input.write_all(rules.as_bytes());
    }
    let done = nft.wait_with_output()?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(io::Error::other(format!("nft: {}", said.lines().next().unwrap_or("it failed without a word"))))
}

/// Wait until the observer beside a client is ready: what is redirected to a port that it does not have is lost.
/// Beside a broker it is ready only once the broker is.
///
/// # Errors
/// Why it is not.
fn await_observer(port: u16) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let refused = match readiness(port) {
            Ok(answer) if answer.starts_with("HTTP/1.1 200 ") => return Ok(()),
            Ok(answer) => answer.lines().last().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        };
        if began.elapsed() >= READY_WITHIN {
            return Err(refused);
        }
        std::thread::sleep(ASK_EVERY);
    }
}

fn readiness(port: u16) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(READY_WITHIN))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: observer\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// A table of our own in place of the one that may be there.
///
/// Beside a client connections are redirected that the pod opens. Beside a broker it is those that come from outside of
/// the pod: what is opened within it, to whichever of its addresses, comes by loopback. Kernels of today settle its
/// destination in the output hook and do not ask here again; the rule says it for any that does.
fn rules(settings: &Settings, user: Option<u32>) -> io::Result<String> {
    let mut ports = String::new();
    for port in &settings.listener.redirected {
        // Writing to a string cannot fail.
        let _ = write!(ports, "{}{port}", if ports.is_empty() { "" } else { ", " });
    }
    let to = settings.listener.bootstrap_port;
    let (hook, spared) = match (settings.mode, user) {
        (Mode::Broker, _) => ("prerouting", "iifname \"lo\"".to_owned()),
        (_, Some(user)) => ("output", format!("meta skuid {user}")),
        (_, None) => return Err(io::Error::other("--user is missing: without it the observer would redirect itself")),
    };
    Ok(format!(
        "add table inet kwitness_observer\n\
         delete table inet kwitness_observer\n\
         table inet kwitness_observer {{\n\
         chain {hook} {{\n\
         type nat hook {hook} priority -100; policy accept;\n\
         {spared} return\n\
         tcp dport {{ {ports} }} redirect to :{to}\n\
         }}\n\
         }}\n"
    ))
}

/// The observer's knowledge of it.
#[derive(Debug)]
pub(crate) struct Redirection {
    outcome: Option<PathBuf>,
    since: Instant,
}

impl Redirection {
    /// As the step says in this file; without one nothing is to be redirected.
    pub(crate) fn said_in(outcome: Option<PathBuf>) -> Self {
        Self { outcome, since: Instant::now() }
    }

    /// Why connections are not redirected; None where they are, where none are to be, and while the step may still run.
    pub(crate) fn trouble(&self) -> Option<String> {
        let said = match fs::read_to_string(self.outcome.as_ref()?) {
            Ok(said) => said,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => error.to_string(),
        };
        match said.as_str() {
            IN_PLACE => None,
            "" => (self.since.elapsed() > SAID_WITHIN).then(|| "the redirect step has said nothing".to_owned()),
            reason => Some(reason.chars().take(LONGEST).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str) -> Settings {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/vectors/observer_settings.json");
        let examples: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let example = examples["valid"].as_array().unwrap().iter().find(|example| example["name"] == name).unwrap();
        Settings::parse(example["settings"].to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_rules_spare_the_observer_and_send_the_rest_to_it() {
        let rules = rules(&example("a sidecar that connections are redirected to"), Some(61_532)).unwrap();

        let (spared, redirected) = ("meta skuid 61532 return", "tcp dport { 9092, 9093 } redirect to :19092");
        assert!(rules.contains("hook output"), "{rules}");
        assert!(rules.find(spared).unwrap() < rules.find(redirected).unwrap(), "{rules}");
    }

    #[test]
    fn the_rules_beside_a_broker_spare_what_comes_by_loopback_and_know_no_user() {
        let rules = rules(&example("beside a broker that connections from outside are redirected from"), None).unwrap();

        let (spared, redirected) = ("iifname \"lo\" return", "tcp dport { 9092 } redirect to :19092");
        assert!(rules.contains("hook prerouting") && !rules.contains("skuid"), "{rules}");
        assert!(rules.find(spared).unwrap() < rules.find(redirected).unwrap(), "{rules}");
    }

    #[test]
    fn there_are_no_rules_beside_a_client_that_would_redirect_the_observer() {
        assert!(rules(&example("a sidecar that connections are redirected to"), None).is_err());
    }
}
