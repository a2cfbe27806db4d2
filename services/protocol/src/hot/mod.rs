//! Reads messages as they pass, in constant memory: Produce, Fetch and `ShareFetch`, of which record data is skipped and heads
//! of batches are not, and responses that list topics.
//!
//! Each message has a machine that reads a few fields at a time ([`units::Machine`]); what the answer needs of a request
//! is in [`memory::Memory`].

mod aborted;
mod after;
mod fetch;
mod fetch_response;
mod listing;
mod memory;
mod parts;
mod produce;
mod produce_response;
mod reading;
mod sequences;
mod session;
mod share_fetch;
mod topic_list;
mod topics;
mod units;
mod wanted;

pub(crate) use after::After;
pub(crate) use memory::Memory;
pub(crate) use reading::{Reading, RequestEnd, ResponseEnd};
pub(crate) use units::{Machine, Units};
pub(crate) use wanted::Wanted;
