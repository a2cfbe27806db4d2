//! What is done with the headers of one record (KIP-82): they are judged and counted, and at a producer some are removed
//! and stamps added, in place. Nothing here knows librdkafka.

mod counts;
mod list;
mod plan;
mod sets;
mod stamps;
mod unique_id;

pub(crate) use counts::{HeaderCounts, KeyCounts};
#[cfg(test)]
pub(crate) use list::tests::listed;
pub(crate) use list::{Header, HeaderList};
pub(crate) use plan::{Plan, Record};
