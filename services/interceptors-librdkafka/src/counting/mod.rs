//! What hooks count: by topic, partition and window, in bounded memory. Nothing here knows librdkafka or a clock.

mod failures;
mod hook;
mod keys;
mod record;
mod shard;
mod statistics;
mod statistics_json;
mod tally;
mod topics;
mod windows;

pub(crate) use failures::reason;
pub(crate) use hook::{Counting, Hook};
pub(crate) use keys::KeyTally;
pub(crate) use record::{Answered, Committed, Consumed, Sent};
pub(crate) use shard::{HookTally, KeysTally, Shard, WindowTally};
pub(crate) use statistics::{Statistics, TopicQueues, Totals};
pub(crate) use tally::{PartitionTally, TopicTally};
pub(crate) use topics::{Merge, Topics};
pub(crate) use windows::{Closed, begin};
