//! Sends what was counted to the collector, from one thread, and says every few seconds that the process is alive.

mod header_rows;
mod http;
mod pace;
mod progress;
mod rows;
mod sender;
mod statistics;
mod totals;
mod wake;

pub(crate) use sender::Sender;
pub(crate) use wake::Wake;
