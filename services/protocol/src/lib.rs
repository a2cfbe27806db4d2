//! What goes over a connection to Kafka: frames, headers, messages, who asked and what was answered.
//!
//! Nothing here reads or writes anything: bytes are handed in as they pass, in pieces of any size. Nothing is allocated
//! by a size that a peer declares. What cannot be read is counted by its reason.
//!
//! [`Connection`] follows one connection and tells what was understood as events; it changes no byte. [`Rewriter`] is for
//! observers that clients connect to in place of a broker: it changes the addresses of brokers in what clients are
//! answered, and nothing else. [`schema`] has Kafka's message definitions as tables, and a walker over them.
//! [`telemetry`] reads and answers the requests of KIP-714.
#![forbid(unsafe_code)]

mod batch;
mod cold;
mod connection;
mod contents;
mod encode;
mod event;
mod frame;
mod header;
mod hot;
mod identity_field;
mod in_flight;
mod limits;
mod messages;
mod observed;
mod prefix;
mod reader;
mod reasons;
mod requests;
mod rewrite;
pub mod samples;
mod sasl;
pub mod schema;
mod sent;
mod side;
mod software;
mod stop;
mod stream;
pub mod telemetry;
mod topic;
mod wipe;

pub use connection::Connection;
pub use contents::{Contents, Fields, Hidden, NamedPartition, SharedWishes, Wishes, is_administrative};
pub use event::{
    Commit, Content, Event, Exchange, Fetched, Message, Nanos, PartitionExchange, Request, TransactionEnd,
};
pub use frame::{Framer, OutOfRange, Piece};
pub use header::{Opening, RequestHeader, response_correlation};
pub use identity_field::{IdentityField, IdentityFields};
pub use limits::Limits;
pub use reader::{Fault, Reader};
pub use reasons::{Opaque, Unread};
pub use rewrite::{Address, AddressMap, Addresses, Broken, HostLength, Rewriter, Room, Telemetry};
pub use sasl::{Authenticated, Mechanism, PrincipalSource, is_sasl};
pub use side::Side;
pub use software::{Software, is_valid};
pub use topic::{LONGEST_NAME, OwnTopic, Topic};
pub use wipe::wipe;
