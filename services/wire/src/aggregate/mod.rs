//! What connections told, added up in windows of time.
//!
//! Nothing here has a clock: times come in. What is kept is bounded by [`Settings`], whatever clients call themselves;
//! what goes beyond is added up as that of others, so that sums stay exact.

mod budget;
mod capacity;
mod counts;
mod headers;
mod identity;
mod json;
mod life;
mod ranges;
mod recorder;
mod requests;
mod rows;
mod series;
mod settings;
mod sketch;
mod tally;
mod topics;
mod totals;
mod window;

pub use budget::Budget;
pub use capacity::SeriesBudget;
pub use counts::{Counts, DIFFERENT};
pub use headers::{HEADERS_OF_A_CLIENT, HeaderRow, Headers, SeenInBatch};
pub(crate) use identity::uuid;
pub use identity::{Identity, IdentityKey, IdentityKeys, LONGEST_VALUE, UnknownKey};
pub(crate) use json::text;
pub use json::{OffsetRanges, reason};
pub use life::{ConnectionEvent, End, Happened, Security, Unfollowed};
pub use ranges::{KEPT, Range, Ranges};
pub use recorder::{Client, Recorder};
pub use requests::{RequestEvent, RequestSettings};
pub use rows::{Row, Source, Writer};
pub use series::Series;
pub use settings::Settings;
pub use sketch::{Sketch, bounds, index};
pub use tally::{ApiTally, PartitionTally, TopicTally};
pub(crate) use topics::OwnTopic;
pub use topics::{LONGEST_NAME, TopicNames};
pub use totals::{ClientLabels, RESPONSE_TIME_BOUNDS_US, TimeLabels, Totals, TrafficLabels, TrafficSums};
pub use window::{Overflowed, Which, Who, Window};

/// The number of what is not told apart.
const OTHER: u32 = u32::MAX;
