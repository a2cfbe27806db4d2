//! Simulates clients, the observer's relay and report, a broker and a collector, with faults that a seed draws, and
//! checks what came of it. The same seed gives the same run.

mod broker;
mod checker;
mod client;
mod collector;
mod dice;
mod faults;
mod frames;
mod history;
mod observer;
mod run;
mod sabotage;
mod stream;

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use crate::checker::Summary;
use crate::history::{Counts, digest};
use crate::run::Run;
use crate::sabotage::Sabotage;

const USAGE: &str = "kwitness-sim SEED [COUNT] [--history] [--break NAME]";

struct Options {
    seed: u64,
    count: u64,
    with_history: bool,
    sabotage: Option<Sabotage>,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("{reason}\nusage: {USAGE}");
            return ExitCode::FAILURE;
        }
    };
    println!("commit {}", commit());
    let (mut failed, mut counted) = (Vec::new(), Counts::default());
    for seed in options.seed..options.seed + options.count {
        let run = run::run(seed, options.sabotage);
        let (text, summary, is_good) = report(seed, &run, options.with_history);
        print!("{text}");
        counted += summary.counted;
        if !is_good {
            failed.push(seed);
        }
    }
    println!("{} seeds, {} requests, {} records", options.count, counted.requests, counted.records);
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "{} of {} seeds failed: {failed:?}; repeat one with make sim SEED={}",
        failed.len(),
        options.count,
        failed[0]
    );
    ExitCode::FAILURE
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut numbers = Vec::new();
    let (mut with_history, mut sabotage) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--history" => with_history = true,
            "--break" => {
                let name = arguments.next().unwrap_or_default();
                let known = Sabotage::ALL.iter().find(|(known, _)| *known == name);
                sabotage = Some(known.ok_or_else(|| format!("--break {name}: give one of {:?}", Sabotage::ALL))?.1);
            }
            number => {
                numbers.push(number.parse().map_err(|_| format!("{number} is no number: give one from 0"))?);
            }
        }
    }
    match numbers[..] {
        [seed] => Ok(Options { seed, count: 1, with_history, sabotage }),
        [seed, count] => Ok(Options { seed, count, with_history, sabotage }),
        _ => Err("a seed is missing".to_owned()),
    }
}

/// Returns the text about a run, how much was checked, and true if nothing was wrong.
fn report(seed: u64, run: &Run, with_history: bool) -> (String, Summary, bool) {
    let history = run.history.borrow();
    let (summary, mut wrong) = checker::check(&history);
    wrong.splice(0..0, run.failure.iter().map(|reason| format!("it was broken off: {reason}")));
    let mode = if run.is_gateway { "gateway" } else { "broker" };
    let text = history.text();
    let mut output = format!("seed {seed} mode {mode} faults {}\n", run.faults.len());
    for fault in &run.faults {
        let _ = writeln!(output, "  {fault}");
    }
    let _ = writeln!(output, "  {summary}; history {}", digest(text.as_bytes()));
    for reason in &wrong {
        let _ = writeln!(output, "  WRONG {reason}");
    }
    if with_history {
        output += &text;
    }
    (output, summary, wrong.is_empty())
}

/// Returns the commit that is checked out.
fn commit() -> String {
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*"]).output();
    let text = described.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    Some(String::from_utf8_lossy(&text).trim().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or("unknown".to_owned())
}
