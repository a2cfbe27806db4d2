//! Draws the faults of a run, and brings them about.

use std::fmt;
use std::time::Duration;

use turmoil::Sim;

use crate::dice::Dice;

/// Hosts that are connected.
const LINKS: [(&str, &str); 3] = [("client", "observer"), ("observer", "broker"), ("observer", "collector")];

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes between these hosts wait.
    Hold(&'static str, &'static str),
    /// They are lost, so connections that had something under way never go on.
    Cut(&'static str, &'static str),
    /// Bytes of the first host are lost: the other side of a connection knows of nothing.
    HalfOpen(&'static str, &'static str),
    /// The process of this host is killed, and started again at the end of the fault.
    Kill(&'static str),
    /// The observer is told to end, and started again.
    Restart,
    /// The collector refuses, is late, takes a part, or takes all and says nothing.
    Sick,
}

/// A fault and its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    pub(crate) kind: Kind,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, until) = (self.from.as_millis(), self.until.as_millis());
        write!(formatter, "{from:>6} to {until:>6} ms ")?;
        match self.kind {
            Kind::Hold(near, far) => write!(formatter, "hold {near} and {far}"),
            Kind::Cut(near, far) => write!(formatter, "cut {near} and {far}"),
            Kind::HalfOpen(from, to) => write!(formatter, "lose what {from} sends to {to}"),
            Kind::Kill(host) => write!(formatter, "kill {host}"),
            Kind::Restart => write!(formatter, "restart observer in order"),
            Kind::Sick => write!(formatter, "collector is sick"),
        }
    }
}

/// The faults of a run until this time, in their order. Those of one link or one host do not overlap.
pub(crate) fn draw(dice: &mut Dice, until: Duration) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (near, far) in LINKS {
        let kinds = [
            Kind::Hold(near, far),
            Kind::Hold(near, far),
            Kind::Cut(near, far),
            Kind::HalfOpen(near, far),
            Kind::HalfOpen(far, near),
        ];
        add(&mut faults, dice, until, &kinds, 14_000);
    }
    add(&mut faults, dice, until, &[Kind::Kill("observer"), Kind::Restart, Kind::Restart], 25_000);
    add(&mut faults, dice, until, &[Kind::Kill("broker")], 30_000);
    add(&mut faults, dice, until, &[Kind::Kill("collector")], 20_000);
    add(&mut faults, dice, until, &[Kind::Sick], 5_000);
    faults.sort_by_key(|fault| fault.from);
    faults
}

fn add(faults: &mut Vec<Fault>, dice: &mut Dice, until: Duration, kinds: &[Kind], apart_ms: u64) {
    let mut at = dice.within(500, apart_ms);
    loop {
        let end = at + *dice.pick(&[50, 400, 1_500, 4_000]) + dice.within(0, 200);
        if Duration::from_millis(end) > until {
            return;
        }
        let (from, until) = (Duration::from_millis(at), Duration::from_millis(end));
        faults.push(Fault { from, until, kind: *dice.pick(kinds) });
        at = end + dice.within(500, apart_ms);
    }
}

/// The parts of the system that a fault reaches beside hosts and links.
pub(crate) trait System {
    fn terminate_observer(&self);
    fn set_sick(&self, is_sick: bool);
}

impl Fault {
    pub(crate) fn begin(&self, sim: &mut Sim<'_>, system: &impl System) {
        match self.kind {
            Kind::Hold(near, far) => sim.hold(near, far),
            Kind::Cut(near, far) => sim.partition(near, far),
            Kind::HalfOpen(from, to) => sim.partition_oneway(from, to),
            Kind::Kill(host) => sim.crash(host),
            Kind::Restart => system.terminate_observer(),
            Kind::Sick => system.set_sick(true),
        }
    }

    pub(crate) fn end(&self, sim: &mut Sim<'_>, system: &impl System) {
        match self.kind {
            Kind::Hold(near, far) => sim.release(near, far),
            Kind::Cut(near, far) => sim.repair(near, far),
            Kind::HalfOpen(from, to) => sim.repair_oneway(from, to),
            Kind::Kill(host) => sim.bounce(host),
            // Begun once the process has ended.
            Kind::Restart => {}
            Kind::Sick => system.set_sick(false),
        }
    }
}
