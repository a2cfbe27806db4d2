//! Holds what messages name and say, of the APIs that are looked into.

mod administrative;
mod configs;
mod fields;
mod listed;
mod named;
mod wishes;

pub use fields::Fields;
pub use listed::is_administrative;
pub(crate) use named::Collecting;
pub use named::{Contents, NamedPartition};
pub(crate) use wishes::is_looked_into;
pub use wishes::{Hidden, SharedWishes, Wishes};
