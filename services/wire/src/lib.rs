//! What goes over a connection to Kafka: frames, headers, messages, who asked and what was answered.
//!
//! Nothing here reads or writes anything: bytes are handed in as they pass, in pieces of any size, and what was
//! understood comes out as events. Bytes are never changed, and nothing is allocated by a size that a peer declares.
//! What cannot be read is counted by its reason and is none of the connection's business.
//!
//! [`Connection`] follows one connection. [`schema`] has Kafka's message definitions as tables, and a walker over them.
#![forbid(unsafe_code)]

mod connection;
mod event;
mod frame;
mod header;
mod in_flight;
mod prefix;
mod reader;
pub mod schema;
mod software;

pub use connection::{Connection, Limits, Side};
pub use event::{Content, Event, Exchange, IdentityField, Nanos, Opaque, PartitionExchange, Request, Topic, Unread};
pub use frame::{Framer, OutOfRange, Piece};
pub use header::{Opening, RequestHeader, response_correlation};
pub use reader::{Fault, Reader};
pub use software::{Software, is_valid};
