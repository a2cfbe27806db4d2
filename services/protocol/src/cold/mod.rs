//! What is read of messages that are kept, up to a limit, and gone through along Kafka's own definitions.

mod identities;
mod kept;
mod partitions;
mod requests;
mod responses;

pub(crate) use kept::{ColdMemory, Effect, is_kept, read_request, read_response};
pub(crate) use responses::Outcome;
