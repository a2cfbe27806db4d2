//! Runs what the command line says.

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::log::log;
use crate::observer::Options;
use crate::pod::Pod;
use crate::settings::{Address, UpstreamTls};
use crate::{laptop, memory, observer, open_files, redirection};

/// Run the program; an error is logged.
#[must_use]
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // Not the message: it may hold what a client sent.
        let place = panic.location().map(ToString::to_string);
        log!(Error, "An error of ours", place = place);
    }));
    let given = command().get_matches();
    open_files::raise();
    let outcome = memory::keep_private().and_then(|()| match given.subcommand() {
        Some(("run", given)) => run(given),
        Some(("redirect", given)) => {
            redirect(given);
            Ok(())
        }
        Some(("observe", given)) => observe(given),
        _ => Ok(()),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log!(Error, "The observer cannot run", reason = error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let seconds = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("SECONDS")
            .default_value(default)
            .value_parser(value_parser!(u64))
            .help(help)
    };
    let settings = Arg::new("settings").long("settings").value_name("FILE").required(true);
    let settings =
        settings.value_parser(value_parser!(PathBuf)).help("The settings file, JSON; followed while it changes");
    let pod = Arg::new("pod-name").long("pod-name").value_name("NAME");
    let pod = pod.help("The name of the pod, by which reports are known; $POD_NAME, else $HOSTNAME, else `observer`");
    let marker = Arg::new("marker").long("marker").value_name("FILE").value_parser(value_parser!(PathBuf));
    let marker = marker.help(
        "A file that is there while the process runs; if it is there at the start, the process before was killed, and \
         nothing is read for a while",
    );
    let nodes = Arg::new("nodes").long("nodes").value_name("FILE").value_parser(value_parser!(PathBuf));
    let nodes = nodes.help("A file that keeps the ports that a sidecar gave to brokers, for the next process");
    let threads = Arg::new("threads").long("threads").value_name("NUMBER").value_parser(value_parser!(NonZero<usize>));
    let threads = threads.help("How many threads relay connections; one in a sidecar, else one a core and at most 4");
    let run = Command::new("run").about("Relay clients as a settings file says, and report what passes").args([
        settings,
        pod,
        marker,
        nodes,
        redirection("A file in which `redirect` says what became of it, where it is to be known"),
        threads,
        seconds("relay-only-seconds", "600", "How long nothing is read after the process before was killed"),
        seconds("linger-seconds", "0", "How long clients are let in after SIGTERM, while /readyz says that it ends"),
        seconds("drain-seconds", "20", "How long connections may go on after that"),
        seconds("first-request-seconds", "10", "How long a client may take for its first request"),
    ]);
    Command::new("kwitness-observer")
        .about("Stands between Kafka's clients and brokers, passes their bytes on, and reports what passes")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([run, redirect_command(), observe_command()])
}

fn redirection(help: &'static str) -> Arg {
    Arg::new("redirection").long("redirection").value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

fn redirect_command() -> Command {
    let file = |name| Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf));
    let user = Arg::new("user").long("user").value_name("ID").value_parser(value_parser!(u32));
    Command::new("redirect").about("Redirect connections of this pod to the observer; ends without an error").args([
        file("settings").required(true).help("The observer's settings file, JSON"),
        user.help("The observer's user id, whose connections stay as they are; beside a broker none is needed"),
        redirection("Where to say what became of it").required(true),
        file("nft").default_value("/usr/sbin/nft").help("The program nft"),
    ])
}

fn redirect(given: &ArgMatches) {
    redirection::redirect(&redirection::Options {
        settings: given.get_one("settings").cloned().unwrap_or_default(),
        user: given.get_one("user").copied(),
        outcome: given.get_one("redirection").cloned().unwrap_or_default(),
        nft: given.get_one("nft").cloned().unwrap_or_default(),
    });
}

fn observe_command() -> Command {
    let bootstrap = Arg::new("bootstrap").long("bootstrap").value_name("HOST:PORT").required(true);
    let bootstrap = bootstrap.value_delimiter(',').value_parser(value_parser!(Address));
    let listen = Arg::new("listen").long("listen").value_name("ADDRESS:PORT").default_value("127.0.0.1:19092");
    let ca = Arg::new("ca").long("ca").value_name("FILE").value_parser(value_parser!(PathBuf));
    let tls = Arg::new("tls").long("tls");
    Command::new("observe").about("Relay clients of this machine, and show what passes").args([
        bootstrap.help("Brokers to begin with; several are divided by commas"),
        listen
            .value_parser(value_parser!(SocketAddr))
            .help("Where clients of this machine connect; brokers get the ports after it"),
        tls.action(ArgAction::SetTrue)
            .help("Speak TLS to the brokers, and trust the CA certificates that the system trusts"),
        ca.help("Speak TLS to the brokers, and trust the CA certificates of this file, PEM"),
    ])
}

fn observe(given: &ArgMatches) -> std::io::Result<()> {
    let options = laptop::Options {
        bootstrap: given.get_many("bootstrap").into_iter().flatten().cloned().collect(),
        listen: given.get_one("listen").copied().unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0))),
        tls: (given.get_flag("tls") || given.contains_id("ca"))
            .then(|| UpstreamTls { ca_file: given.get_one("ca").cloned() }),
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(laptop::observe(&options))
}

fn run(given: &ArgMatches) -> std::io::Result<()> {
    let seconds = |name| Duration::from_secs(given.get_one(name).copied().unwrap_or_default());
    let options = Options {
        pod: Pod::of_environment(given.get_one("pod-name").cloned()),
        settings: given.get_one("settings").cloned().unwrap_or_default(),
        marker: given.get_one("marker").cloned(),
        nodes: given.get_one("nodes").cloned(),
        redirection: given.get_one("redirection").cloned(),
        threads: given.get_one("threads").copied(),
        relay_only_for: seconds("relay-only-seconds"),
        linger_for: seconds("linger-seconds"),
        drain_within: seconds("drain-seconds"),
        first_request_within: seconds("first-request-seconds"),
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(observer::run(options))
}
