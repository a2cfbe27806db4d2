//! Turns what connections tell into counts in windows of time, batches into header keys, and telemetry into pushes.
//!
//! Nothing here has a clock: times come in. What is kept is bounded by [`Settings`], whatever clients call themselves;
//! what goes beyond is added up as that of others, so that sums stay exact.
#![forbid(unsafe_code)]

mod client;
mod commits;
mod commits_back;
mod committed;
mod ends;
mod group_totals;
mod headers;
mod history;
mod identities;
mod labels;
mod lag;
mod life;
mod recorder;
mod requests;
mod rows;
pub mod samples;
mod settings;
mod tally;
pub mod telemetry;
mod topics;
mod totals;
mod watermarks;
mod window;

pub use client::Client;
pub use commits::CommitTally;
pub use headers::{HEADERS_OF_A_CLIENT, HeaderRow, Headers, SeenInBatch};
pub use history::{Age, Basis};
pub use identities::{event_filter_without, key_of};
pub use lag::TopicLag;
pub use life::{ConnectionEvent, End, Happened, Security, Unfollowed};
pub use recorder::Recorder;
pub use requests::{RequestBudget, RequestEvent, RequestSettings};
pub use rows::{Source, Writer};
pub use settings::Settings;
pub use tally::{ApiTally, PartitionTally, PresenceTally, TopicTally};
pub use topics::TopicNames;
pub use totals::{ClientLabels, RESPONSE_TIME_BOUNDS_US, TimeLabels, TrafficLabels, TrafficSums};
pub use window::{Overflowed, Which, Who, Window};

/// The number of what is not told apart.
const OTHER: u32 = u32::MAX;
