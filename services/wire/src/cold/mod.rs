//! What is read of messages that are kept, up to a limit, and gone through along Kafka's own definitions.

mod identities;
mod requests;
mod responses;

pub(crate) use identities::Identities;
pub(crate) use requests::{names_identities, read_request};
pub(crate) use responses::read_response;
