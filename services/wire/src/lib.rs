//! What goes over a connection to Kafka: frames, headers, messages, who asked and what was answered.
//!
//! Nothing here reads or writes anything: bytes are handed in as they pass, in pieces of any size. Nothing is allocated
//! by a size that a peer declares. What cannot be read is counted by its reason.
//!
//! [`Connection`] follows one connection and tells what was understood as events; it changes no byte. [`Rewriter`] is for
//! observers that clients connect to in place of a broker: it changes the addresses of brokers in what clients are
//! answered, and nothing else. [`schema`] has Kafka's message definitions as tables, and a walker over them.
//! [`record_headers`] judges the headers of records (KIP-82).
#![forbid(unsafe_code)]

pub mod aggregate;
mod cold;
mod connection;
mod event;
mod frame;
mod header;
mod hot;
mod in_flight;
mod limits;
mod messages;
mod prefix;
mod reader;
pub mod record_headers;
pub mod report;
mod requests;
mod rewrite;
pub mod samples;
mod sasl;
pub mod schema;
mod software;
mod stream;
pub mod telemetry;
mod wipe;

pub use connection::{Connection, Side};
pub use event::{
    Content, Event, Exchange, IdentityField, Message, Nanos, Opaque, PartitionExchange, Request, Topic, TransactionEnd,
    Unread,
};
pub use frame::{Framer, OutOfRange, Piece};
pub use header::{Opening, RequestHeader, response_correlation};
pub use limits::Limits;
pub use messages::{Contents, Fields, NamedPartition, SharedWishes, Wishes};
pub use reader::{Fault, Reader};
pub use rewrite::{Address, AddressMap, Addresses, Broken, HostLength, Rewriter, Room, Telemetry};
pub use sasl::{Authenticated, Mechanism, PrincipalSource};
pub use software::{Software, is_valid};
pub use wipe::wipe;
