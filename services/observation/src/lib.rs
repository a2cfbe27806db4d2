//! Counts of clients that observers and librdkafka's plugin share: numbers, names, record headers, and how rows spell them.
//!
//! Nothing here has a clock, and nothing knows Kafka's protocol. What is kept is bounded, by limits that the caller
//! gives. [`record_headers`] judges the headers of records (KIP-82).
#![forbid(unsafe_code)]

mod budget;
mod capacity;
mod counts;
mod identity;
mod identity_policy;
mod json;
mod ranges;
pub mod record_headers;
mod row;
mod series;
mod sketch;

pub use budget::Budget;
pub use capacity::{Capacity, Kind, SeriesBudget};
pub use counts::{Counts, DIFFERENT};
pub use identity::{Change, Identity, IdentityKey, IdentityKeys, LONGEST_VALUE, UnknownKey, instance_id, kept, uuid};
pub use identity_policy::{HashKey, IdentityPolicy, LEAST_KEY_BYTES};
pub use json::{CodecCounts, ErrorCounts, KnownKeys, OffsetRanges, ReasonCounts, reason, text};
pub use ranges::{KEPT, Range, Ranges};
pub use row::{Row, Totals};
pub use series::Series;
pub use sketch::{Sketch, bounds, index};
