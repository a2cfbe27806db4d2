//! What hooks count: by topic, partition and window, in bounded memory. Nothing here knows librdkafka or a clock.

mod failures;
mod keys;
mod record;
mod shard;
mod statistics;
mod tally;
mod topics;
mod windows;

pub(crate) use failures::{RECORD_REFUSED, reason};
pub(crate) use keys::KeyTally;
pub(crate) use record::{Answered, Committed, Consumed, Sent};
pub(crate) use shard::{Counting, Hook, HookTally, KeysTally, Shard, WindowTally};
pub(crate) use statistics::{Statistics, Totals};
pub(crate) use tally::{PartitionTally, TopicTally};
pub(crate) use topics::{Merge, Topics};
pub(crate) use windows::{Closed, begin};
