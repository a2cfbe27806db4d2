//! What is read of messages that are kept, up to a limit, and gone through along Kafka's own definitions.

mod identities;
mod kept;
mod requests;
mod responses;

pub(crate) use identities::Identities;
pub(crate) use kept::{is_kept, read_request, read_response};
pub(crate) use responses::Outcome;
