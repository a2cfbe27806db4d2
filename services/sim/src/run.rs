//! Runs the system for the time of a run, with the faults of a seed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use tokio::sync::Notify;
use turmoil::{Builder, Sim};

use crate::broker::{self, Broker, GATEWAY_ADDRESS};
use crate::client::{self, Load};
use crate::collector::{self, Collector};
use crate::dice::Dice;
use crate::faults::{self, Fault, System};
use crate::history::{History, Shared};
use crate::observer::{self, Observer};
use crate::sabotage::Sabotage;

/// Bytes move, and faults come, at these steps.
const STEP: Duration = Duration::from_millis(10);
/// How long faults come and clients begin exchanges.
const FAULTY: Duration = Duration::from_secs(20);
/// After the faults the observer's longest pause between two attempts passes; an answer that was lost is waited for longer.
const HEALTHY: Duration = Duration::from_secs(13);
/// Then it ends in order: connections drain, and the rest is reported.
const MOST: Duration = Duration::from_mins(2);
const BEGINS: Duration = Duration::from_hours(500_000);

/// A run that is over.
pub(crate) struct Run {
    pub(crate) is_gateway: bool,
    pub(crate) faults: Vec<Fault>,
    pub(crate) history: Shared,
    /// It ended otherwise than it must.
    pub(crate) failure: Option<String>,
}

struct Control {
    terminate: Rc<Notify>,
    is_sick: Rc<Cell<bool>>,
}

impl System for Control {
    fn terminate_observer(&self) {
        self.terminate.notify_waiters();
    }

    fn set_sick(&self, is_sick: bool) {
        self.is_sick.set(is_sick);
    }
}

/// Run the system with what this seed draws.
pub(crate) fn run(seed: u64, sabotage: Option<Sabotage>) -> Run {
    let history: Shared = Rc::new(RefCell::new(History::default()));
    let mut dice = Dice::new(seed, "scenario");
    let is_gateway = dice.one_in(2);
    let faults = if dice.one_in(10) { Vec::new() } else { faults::draw(&mut Dice::new(seed, "faults"), FAULTY) };
    let load = Load { clients: dice.within(2, 6), until: FAULTY, pause_ms: *dice.pick(&[20, 200, 1_000]) };
    let settings = settings(is_gateway, *dice.pick(&[20_000, 200_000, 64 << 20, 64 << 20]), dice.within(1_000, 4_000));
    let mut sim = network(seed, &mut dice);
    let control = Control { terminate: Rc::default(), is_sick: Rc::default() };
    let broker = Broker { history: Rc::clone(&history), is_behind_gateway: is_gateway, dice: chance(seed, "broker") };
    sim.host("broker", move || broker::run(broker.clone()));
    let collector = Collector {
        history: Rc::clone(&history),
        dice: chance(seed, "collector"),
        is_sick: Rc::clone(&control.is_sick),
        sabotage,
    };
    sim.host("collector", move || collector::run(collector.clone()));
    let ended = Rc::new(Cell::new(0));
    let observer = Observer {
        history: Rc::clone(&history),
        settings,
        sabotage,
        terminate: Rc::clone(&control.terminate),
        ended: Rc::clone(&ended),
    };
    sim.host("observer", move || observer::run(observer.clone()));
    sim.client("client", client::run(Rc::clone(&history), load, Dice::new(seed, "client")));
    let failure = drive(&mut sim, &faults, &control, &history, &ended).err();
    Run { is_gateway, faults, history, failure }
}

fn drive(
    sim: &mut Sim<'_>,
    faults: &[Fault],
    control: &Control,
    history: &Shared,
    ended: &Cell<u64>,
) -> Result<(), String> {
    let mut waiting: Vec<_> =
        faults.iter().flat_map(|fault| [(fault.from, true, fault), (fault.until, false, fault)]).collect();
    waiting.sort_by_key(|(at, ..)| *at);
    let mut waiting = waiting.into_iter().peekable();
    let mut are_clients_done = false;
    while sim.elapsed() < FAULTY + HEALTHY || !are_clients_done || !history.borrow().is_settled() {
        let now = sim.elapsed();
        while let Some((_, begins, fault)) = waiting.next_if(|(at, ..)| *at <= now) {
            history.borrow_mut().note_at(now, format_args!("{} {fault}", if begins { "begins" } else { "ends  " }));
            if begins { fault.begin(sim, control) } else { fault.end(sim, control) }
        }
        are_clients_done = step(sim)?;
        if !sim.is_host_running("observer") && ended.take() > 0 {
            sim.bounce("observer");
        }
    }
    control.terminate_observer();
    while ended.get() == 0 {
        step(sim)?;
    }
    Ok(())
}

fn step(sim: &mut Sim<'_>) -> Result<bool, String> {
    if sim.elapsed() > MOST {
        return Err("the run does not end".to_owned());
    }
    sim.step().map_err(|error| error.to_string())
}

fn network(seed: u64, dice: &mut Dice) -> Sim<'static> {
    let slowest = *dice.pick(&[5, 30, 150]);
    let mut builder = Builder::new();
    builder.rng_seed(seed).tick_duration(STEP).simulation_duration(MOST * 2).epoch(UNIX_EPOCH + BEGINS);
    builder.min_message_latency(Duration::from_millis(1)).max_message_latency(Duration::from_millis(slowest));
    builder.tcp_capacity(usize::try_from(*dice.pick(&[8, 64, 512])).unwrap_or(64)).enable_random_order();
    builder.build()
}

fn chance(seed: u64, purpose: &str) -> Rc<RefCell<Dice>> {
    Rc::new(RefCell::new(Dice::new(seed, purpose)))
}

fn settings(is_gateway: bool, queue_bytes: u64, window_ms: u64) -> String {
    let (host, port) = GATEWAY_ADDRESS;
    let (mode, brokers) = if is_gateway { ("gateway", json!({"0": port})) } else { ("broker", json!({})) };
    json!({
        "cluster_id": "simulated", "namespace": "sim", "name": "observer", "mode": mode, "reported_by": mode,
        "suspend": false, "upstream": {"bootstrap_servers": ["broker:9092"], "tls": null},
        "listener": {
            "name": "PLAIN", "bind": "0.0.0.0", "bootstrap_port": 9092, "advertised_host": host, "brokers": brokers,
            "tls": null, "redirected": [],
        },
        "window_ms": window_ms,
        "report": {
            "connections": true, "traffic": true, "latency": true, "requests": null, "headers": null,
        },
        "identity": {"drop": []},
        "limits": {
            "max_connections": 1000, "max_frame_bytes": 104_857_600, "max_series": 10_000, "queue_bytes": queue_bytes,
            "max_rewrite_bytes": 16_777_216,
        },
        // The sender reads a token, and the collector does not ask for it.
        "collector": {"url": "http://collector:80", "replicas": 1, "ca_file": null, "token_file": "/dev/null"},
        "metrics_port": 8080, "workload": null,
    })
    .to_string()
}
