//! Holds what messages name and say, of the APIs that are looked into.

mod fields;
mod named;
mod wishes;

pub use fields::Fields;
pub(crate) use named::Collecting;
pub use named::{Contents, NamedPartition};
pub(crate) use wishes::is_looked_into;
pub use wishes::{SharedWishes, Wishes};
