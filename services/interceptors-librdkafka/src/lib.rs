//! A plugin of librdkafka: counts what a program's producers and consumers mean to do, and reports it.
//!
//! librdkafka loads it where `plugin.library.paths` names it and calls `conf_init`. It takes librdkafka's functions from
//! the object that called, whatever that is named and however it was loaded, and links to none. Nothing that goes wrong
//! here reaches the application: every hook answers "no error", panics end in it, and a thread of its own sends.
//!
//! What librdkafka calls is in `abi`, the one module with unsafe code; the rest counts and sends.

#[expect(unsafe_code, reason = "a C interface: pointers come in, and the loader is asked")]
mod abi;
mod client;
mod counting;
mod headers;
mod identity;
mod plugin;
mod reasons;
mod report;
mod settings;
mod settings_file;
