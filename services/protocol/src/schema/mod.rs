//! Kafka's own message definitions as tables, and the walker over them.

mod apis;
#[rustfmt::skip] // One line a field.
mod generated;
mod place;
mod table;
mod walk;

pub use apis::{api, apis};
pub(crate) use place::{Next, Place};
pub use table::{Api, Field, Kind, Layout, Versions};
pub use walk::{Value, Visitor, walk};
pub(crate) use walk::{check, scalar, skip, tagged};
