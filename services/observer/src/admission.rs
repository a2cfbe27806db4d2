//! Admits clients' connections, as many as the process may have, and each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::end::End;
use crate::settings::Limits;
use crate::sync::lock_ignoring_poison;

/// Rates are of this time.
const RATE_OF: Duration = Duration::from_secs(1);
/// Addresses without a connection that are remembered for their rates.
const MOST_WITHOUT: usize = 10_000;

/// The connections that are open, by the address that they come from.
#[derive(Debug, Default)]
pub(crate) struct Admission(Arc<Mutex<Admitted>>);

#[derive(Debug, Default)]
struct Admitted {
    open: usize,
    addresses: HashMap<IpAddr, OfAddress>,
}

#[derive(Debug)]
struct OfAddress {
    open: usize,
    /// The time of the first of `new`.
    since: Instant,
    /// Connections that were admitted within [`RATE_OF`].
    new: usize,
}

impl OfAddress {
    fn is_past(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= RATE_OF
    }
}

/// A connection among those that are admitted; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    admitted: Arc<Mutex<Admitted>>,
    address: IpAddr,
}

impl Admission {
    /// The number of connections that are open.
    pub(crate) fn open(&self) -> usize {
        lock_ignoring_poison(&self.0).open
    }

    /// Admit a connection from this address.
    ///
    /// # Errors
    /// The limit that is reached.
    pub(crate) fn admit(&self, address: IpAddr, limits: &Limits, now: Instant) -> Result<Place, End> {
        let mut admitted = lock_ignoring_poison(&self.0);
        if admitted.open >= limits.max_connections {
            return Err(End::Limit);
        }
        admitted.forget(now);
        let of_address = admitted.addresses.entry(address).or_insert(OfAddress { open: 0, since: now, new: 0 });
        if of_address.is_past(now) {
            (of_address.since, of_address.new) = (now, 0);
        }
        if limits.max_connections_per_address.is_some_and(|most| of_address.open >= most) {
            return Err(End::AddressLimit);
        }
        if limits.max_connection_rate_per_address.is_some_and(|most| of_address.new >= most) {
            return Err(End::AddressRate);
        }
        of_address.open = of_address.open.saturating_add(1);
        of_address.new = of_address.new.saturating_add(1);
        admitted.open = admitted.open.saturating_add(1);
        Ok(Place { admitted: Arc::clone(&self.0), address })
    }
}

impl Admitted {
    /// Keep memory bounded however many addresses come and go.
    fn forget(&mut self, now: Instant) {
        let most = self.open.saturating_add(MOST_WITHOUT);
        if self.addresses.len() >= most {
            self.addresses.retain(|_, of_address| of_address.open > 0 || !of_address.is_past(now));
        }
        if self.addresses.len() >= most {
            self.addresses.retain(|_, of_address| of_address.open > 0);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut admitted = lock_ignoring_poison(&self.admitted);
        admitted.open = admitted.open.saturating_sub(1);
        let Some(of_address) = admitted.addresses.get_mut(&self.address) else { return };
        of_address.open = of_address.open.saturating_sub(1);
        if of_address.open == 0 && of_address.is_past(Instant::now()) {
            admitted.addresses.remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_come_and_go_take_a_bounded_table() {
        let (admission, now) = (Admission::default(), Instant::now());
        let limits = Limits {
            max_connections: 1_000_000,
            max_frame_bytes: 1,
            max_series: 1,
            queue_bytes: 1,
            max_rewrite_bytes: 1,
            max_buffer_bytes: None,
            max_connections_per_address: Some(1),
            max_connection_rate_per_address: Some(1),
            sign_in_ms: None,
            idle_ms: None,
        };
        let mut stay = Vec::new();

        for number in 0..100_000_u32 {
            let place = admission.admit(IpAddr::from(number.to_be_bytes()), &limits, now).unwrap();
            if number % 1_000 == 0 {
                stay.push(place);
            }
        }

        assert_eq!(admission.open(), 100);
        assert!(lock_ignoring_poison(&admission.0).addresses.len() <= MOST_WITHOUT + 100);
        assert_eq!(admission.admit(IpAddr::from([0, 0, 0, 0]), &limits, now).unwrap_err(), End::AddressLimit);
    }
}
