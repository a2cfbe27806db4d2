//! Errors that are made on purpose, one in each run, so that a test can see the checker find them.

/// An error of the system that is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// A byte of each long request is lost in the relay.
    LostByte,
    /// A byte of each long answer is another one.
    ChangedByte,
    /// Requests and records are counted twice.
    DoubledCount,
    /// A row is acknowledged by the collector and kept nowhere.
    LostRow,
    /// A row that comes again is kept again.
    DoubledRow,
    /// Rows are taken into the ledger that go nowhere.
    OpenLedger,
}

/// At this place of a stream a byte is lost or changed.
const AT: usize = 700;

impl Sabotage {
    pub(crate) const ALL: [(&str, Self); 6] = [
        ("lost-byte", Self::LostByte),
        ("changed-byte", Self::ChangedByte),
        ("doubled-count", Self::DoubledCount),
        ("lost-row", Self::LostRow),
        ("doubled-row", Self::DoubledRow),
        ("open-ledger", Self::OpenLedger),
    ];

    /// Returns the bytes that are written in place of these, at this place of a stream; `None` where they stay.
    pub(crate) fn of_bytes(self, at: usize, bytes: &[u8]) -> Option<Vec<u8>> {
        let place = AT.checked_sub(at).filter(|place| (1..bytes.len()).contains(place))?;
        let mut spoiled = bytes.to_vec();
        match self {
            Self::LostByte => _ = spoiled.remove(place),
            Self::ChangedByte => spoiled[place] ^= 1,
            _ => return None,
        }
        Some(spoiled)
    }

    /// Returns those for what the relay writes to the broker, and to the client.
    pub(crate) fn of_sides(all: Option<Self>) -> (Option<Self>, Option<Self>) {
        (all.filter(|chosen| *chosen == Self::LostByte), all.filter(|chosen| *chosen == Self::ChangedByte))
    }
}
