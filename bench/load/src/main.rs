//! A sink that answers as a broker does, and clients that write to it and read from it: what benchmarks of relays need.
//!
//! `sink` prints its address and answers until it is killed; `drive`, `busy` and `storm` print what they measured, as
//! JSON; `busy` prints `ready` before, once it is connected; `idle` prints `ready` and holds its connections until its
//! standard input ends.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that meets anything unexpected must end, with the place"
)]

mod client;
mod crowd;
mod drive;
mod frames;
mod messages;
mod sink;
mod tls;

use std::collections::HashMap;
use std::io::Read;
use std::time::Duration;

const USAGE: &str = "usage: kwitness-bench-load sink [certificate=FILE key=FILE]
       kwitness-bench-load drive to=HOST:PORT milliseconds=N batch=BYTES [produce=N] [fetch=N] [in-flight=N] [rate=N] [ca=FILE]
       kwitness-bench-load idle to=HOST:PORT connections=N
       kwitness-bench-load busy to=HOST:PORT connections=N milliseconds=N batch=BYTES
       kwitness-bench-load storm to=HOST:PORT connections=N storms=N [ca=FILE]
Connections that produce and that fetch; with a rate so many requests a second in all, sent when they are due.
Files are PEM; with ca=FILE clients speak TLS and trust that authority.";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let given: HashMap<String, String> = arguments
        .map(|argument| argument.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).expect(USAGE))
        .collect();
    let number = |key: &str, default: usize| given.get(key).map_or(default, |text| text.parse().expect(USAGE));
    let text = |key: &str| given.get(key).expect(USAGE).as_str();
    let to = || text("to");
    let authority = || given.get("ca").map(|file| tls::client_config(file));
    let milliseconds = number("milliseconds", 4_000);
    match command.as_str() {
        "sink" => {
            let shown = given.get("certificate").map(|file| tls::server_config(file, text("key")));
            sink::serve(shown.as_ref());
        }
        "drive" => drive::drive(&drive::Wanted {
            to: to().to_owned(),
            milliseconds,
            batch: number("batch", 4096),
            produce: number("produce", 0),
            fetch: number("fetch", 0),
            in_flight: number("in-flight", 5),
            rate: number("rate", 0),
            tls: authority(),
        }),
        "idle" => {
            let held: Vec<_> = (0..number("connections", 1)).map(|_| client::connect(to())).collect();
            println!("ready");
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            drop(held);
        }
        "busy" => {
            let lasts = Duration::from_millis(u64::try_from(milliseconds).unwrap());
            crowd::busy(to(), number("connections", 1), number("batch", 4096), lasts);
        }
        "storm" => crowd::storm(to(), number("connections", 1), number("storms", 1), authority().as_ref()),
        _ => panic!("{USAGE}"),
    }
}
