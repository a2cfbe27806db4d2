//! Takes the addresses of brokers out of what a client is answered.
//!
//! A client behind an observer must come back to the observer, not to the broker that a response names. Responses
//! that name brokers are held until they are whole, and written again with other addresses ([`Addresses`]); endpoints
//! that Produce, Fetch, `ShareFetch` and `ShareAcknowledge` hand out beside their answers are emptied while they pass, at
//! equal length. Versions that the tables do not know are taken out of `ApiVersions`, so that every response that may
//! hold an address can be read. Everything else passes as it is.
//!
//! Where it is wanted ([`Telemetry`]), clients are told that the broker takes telemetry (KIP-714), and requests of it are
//! answered here and never reach the broker: their answers stand where the broker's would, in the order of requests.

mod addresses;
mod broken;
mod correlator;
mod diversion;
mod endpoints;
mod held;
mod output;
mod responses;
mod rewriter;
mod sign_in;
mod start;
mod treatment;
mod versions;

pub use addresses::{Address, AddressMap, Addresses, HostLength};
pub use broken::Broken;
pub use diversion::{Room, Telemetry};
pub use rewriter::Rewriter;
