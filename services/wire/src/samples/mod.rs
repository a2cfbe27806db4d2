//! Batches that are looked into: of those that pass some are copied, and the headers of their records are read (KIP-82).
//!
//! Copying is all that happens where bytes pass. What it may cost is bounded by a [`Gate`]; what is left out is counted
//! there, by its reason. Decompressing and reading is for a thread of the caller's.

mod decompress;
mod gate;
mod records;
mod sampler;

pub use gate::{Gate, LeftOut};
pub use records::Seen;
pub(crate) use sampler::Sampler;
pub use sampler::{LONGEST_BATCH, LONGEST_RECORDS, Sample, Sampling};
