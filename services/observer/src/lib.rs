//! Stands between Kafka's clients and brokers, passes their bytes on, and reports what passes.

mod admission;
mod brokers_seen;
mod client_information;
mod clock;
mod command_line;
mod control;
mod counters;
mod end;
mod ending;
mod headers;
mod laptop;
mod listeners;
mod listening;
mod log;
mod lookups;
mod marker;
mod memory;
mod memory_budget;
mod metric_families;
mod metrics;
mod observer;
mod open_connections;
mod open_files;
mod own_broker;
mod pod;
mod ports;
mod probes;
mod recording;
mod redirection;
mod relay;
mod report;
mod settings;
mod settings_file;
mod sockets;
mod state;
mod sync;
mod target;
mod telemetry;
mod tls;
mod unserved;
mod upstream;
mod worker;

pub mod simulation;

pub use command_line::main;
