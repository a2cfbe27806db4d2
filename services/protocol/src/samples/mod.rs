//! Copies some of the batches that pass, so that the headers of their records can be read (KIP-82).
//!
//! Copying is all that happens where bytes pass. A [`Gate`] bounds its cost, and counts by reason what is left out.
//! Decompressing and reading is for a thread of the caller's.

mod gate;
mod sampler;

pub use gate::{Gate, LeftOut};
pub(crate) use sampler::Sampler;
pub use sampler::{LONGEST_BATCH, Sample, Sampling};
