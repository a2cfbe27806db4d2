//! The hooks of a client: what they are told is handed to it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::atomic::Ordering;

use super::configuration::Configuration;
use super::contained;
use super::headers::MessageHeaders;
use super::layout::{Handle, Message, NO_TIMESTAMP, OK, PERSISTED, TopicPartition, TopicPartitions};
use super::library::Library;
use crate::client::Client;
use crate::counting::{Answered, Committed, Consumed, Hook, Sent};
use crate::plugin::Plugin;

pub(super) extern "C" fn on_destroy(_handle: *mut Handle, opaque: *mut c_void) -> c_int {
    with_client(opaque, None, |client, _| client.stop_asking());
    OK
}

pub(super) extern "C" fn on_send(_handle: *mut Handle, message: *mut Message, opaque: *mut c_void) -> c_int {
    with_client(opaque, Some(Hook::Send), |client, library| {
        // SAFETY: librdkafka's message, in the hook that is to look at it.
        let Some((record, topic)) = (unsafe { named(library, message) }) else { return };
        // SAFETY: likewise; the hook may change its headers.
        let mut headers = unsafe { MessageHeaders::of(library, message) };
        client.sent(&Sent { topic, key: record.key(), value_bytes: record.len }, &mut headers);
    });
    OK
}

pub(super) extern "C" fn on_acknowledgement(_handle: *mut Handle, message: *mut Message, opaque: *mut c_void) -> c_int {
    with_client(opaque, Some(Hook::Acknowledgement), |client, library| {
        // SAFETY: librdkafka's message, in the hook that is to look at it.
        let Some((message, topic)) = (unsafe { named(library, message) }) else { return };
        // SAFETY: likewise.
        let (after_us, status) = unsafe { ((library.latency)(message), (library.status)(message)) };
        client.answered(Answered {
            topic,
            partition: message.partition,
            offset: message.offset,
            error: message.err,
            is_persisted: status == PERSISTED,
            after_us: u64::try_from(after_us).ok(),
        });
    });
    OK
}

pub(super) extern "C" fn on_consume(_handle: *mut Handle, message: *mut Message, opaque: *mut c_void) -> c_int {
    with_client(opaque, Some(Hook::Consume), |client, library| {
        // SAFETY: librdkafka's message, in the hook that is to look at it.
        let Some((record, topic)) = (unsafe { named(library, message) }) else { return };
        let mut kind = NO_TIMESTAMP;
        // SAFETY: likewise.
        let timestamp_ms = unsafe { (library.timestamp)(message, &raw mut kind) };
        let consumed = Consumed {
            topic,
            partition: record.partition,
            offset: record.offset,
            key: record.key(),
            value_bytes: record.len,
            timestamp_ms: u64::try_from(timestamp_ms).ok().filter(|_| kind != NO_TIMESTAMP),
        };
        // SAFETY: as above; they are only looked at.
        let headers = unsafe { MessageHeaders::of(library, message) };
        client.consumed(&consumed, &headers);
    });
    OK
}

pub(super) extern "C" fn on_commit(
    _handle: *mut Handle,
    offsets: *const TopicPartitions,
    error: c_int,
    opaque: *mut c_void,
) -> c_int {
    with_client(opaque, Some(Hook::Commit), |client, _| {
        // SAFETY: librdkafka's list, in the hook that is to look at it; it may be none.
        let Some(offsets) = (unsafe { offsets.as_ref() }) else { return };
        client.committed(offsets.elements().iter().filter_map(|element| {
            // SAFETY: an element's topic is a text that ends with a zero.
            let topic = (!element.topic.is_null()).then(|| unsafe { CStr::from_ptr(element.topic) })?;
            let error = if error == OK { element.err } else { error };
            Some(Committed { topic: topic.to_bytes(), partition: element.partition, offset: element.offset, error })
        }));
    });
    OK
}

/// librdkafka frees the text where 0 is answered.
pub(super) extern "C" fn on_statistics(
    handle: *mut Handle,
    json: *mut c_char,
    size: usize,
    _opaque: *mut c_void,
) -> c_int {
    contained(|| {
        let client = Plugin::here().and_then(|plugin| plugin.client_of(handle as usize));
        if let (Some(client), false) = (client, json.is_null()) {
            // SAFETY: so many bytes are there while this is called.
            client.said(unsafe { slice::from_raw_parts(json.cast::<u8>(), size) });
        }
    });
    0
}

/// The message, and the name of its topic.
///
/// # Safety
/// Null, or a message of this librdkafka that lives as long as the hook.
unsafe fn named<'a>(library: &'static Library, message: *const Message) -> Option<(&'a Message, &'a [u8])> {
    // SAFETY: the caller's promise.
    let message = unsafe { message.as_ref() }?;
    if message.topic.is_null() {
        return None;
    }
    // SAFETY: the message's topic lives as long as the message, and its name as long as the topic.
    let name = unsafe { (library.topic_name)(message.topic) };
    // SAFETY: it ends with a zero.
    (!name.is_null()).then(|| (message, unsafe { CStr::from_ptr(name) }.to_bytes()))
}

impl Message {
    /// The key's bytes, while the hook is called; `None` where the record has none.
    fn key(&self) -> Option<&[u8]> {
        let key = self.key.cast::<u8>();
        // SAFETY: librdkafka says how many bytes are there.
        (!key.is_null()).then(|| unsafe { slice::from_raw_parts(key, self.key_len) })
    }
}

impl TopicPartitions {
    fn elements(&self) -> &[TopicPartition] {
        let count = usize::try_from(self.count).unwrap_or_default();
        if self.elements.is_null() {
            return &[];
        }
        // SAFETY: librdkafka says how many are there.
        unsafe { slice::from_raw_parts(self.elements, count) }
    }
}

/// Call `act` with the client of a hook, unless a fork is between; a panic is counted and goes no further.
fn with_client(opaque: *mut c_void, hook: Option<Hook>, act: impl FnOnce(&Client, &'static Library)) {
    // SAFETY: what `configure` handed out, or null.
    let Some(configuration) = (unsafe { opaque.cast::<Configuration>().as_ref() }) else { return };
    // SAFETY: null, or what `intercept` put there, which stays while hooks are called.
    let Some(intercepted) = (unsafe { configuration.client.load(Ordering::Acquire).as_ref() }) else { return };
    if !intercepted.plugin.is_here() {
        return;
    }
    let acted = catch_unwind(AssertUnwindSafe(|| act(&intercepted.client, configuration.library)));
    if let (Err(_), Some(hook)) = (acted, hook) {
        intercepted.client.panicked(hook);
    }
}
