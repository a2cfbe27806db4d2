//! A sink that answers as a broker does, and clients that write to it and read from it: what benchmarks of relays need.
//!
//! `sink` prints its address and answers until it is killed; `drive` prints what it measured, as JSON; `idle` prints
//! `ready` and holds its connections until its standard input ends.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that meets anything unexpected must end, with the place"
)]

mod client;
mod drive;
mod frames;
mod messages;
mod sink;

use std::collections::HashMap;
use std::io::Read;

const USAGE: &str = "usage: kwitness-bench-load sink
       kwitness-bench-load drive to=HOST:PORT milliseconds=N batch=BYTES [produce=N] [fetch=N] [in-flight=N] [rate=N]
       kwitness-bench-load idle to=HOST:PORT connections=N
Connections that produce and that fetch; with a rate so many requests a second in all, sent when they are due.";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let given: HashMap<String, String> = arguments
        .map(|argument| argument.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).expect(USAGE))
        .collect();
    let number = |key: &str, default: usize| given.get(key).map_or(default, |text| text.parse().expect(USAGE));
    let to = || given.get("to").expect(USAGE).as_str();
    match command.as_str() {
        "sink" => sink::serve(),
        "drive" => drive::drive(&drive::Wanted {
            to: to().to_owned(),
            milliseconds: number("milliseconds", 4_000),
            batch: number("batch", 4096),
            produce: number("produce", 0),
            fetch: number("fetch", 0),
            in_flight: number("in-flight", 5),
            rate: number("rate", 0),
        }),
        "idle" => {
            let held: Vec<_> = (0..number("connections", 1)).map(|_| client::connect(to())).collect();
            println!("ready");
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            drop(held);
        }
        _ => panic!("{USAGE}"),
    }
}
