//! Pushes of Kafka clients (OTLP metrics) and headers of their records, from columns of bytes into columns.
//!
//! Lengths are a stranger's: whatever the bytes, the answer is data points or "malformed", never a panic.

mod attributes;
mod columns;
mod headers;
mod messages;
mod metrics;
mod protobuf;
mod pushes;
#[cfg(feature = "python")]
mod python;

pub use columns::{Bytes, Damaged, Lists, Texts};
pub use headers::{HeaderColumn, Headers, header_columns};
pub use pushes::{Decoded, MALFORMED, NO_METRICS, READ, Settings, decode};
