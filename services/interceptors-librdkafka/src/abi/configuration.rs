//! One configuration: what librdkafka calls when it loads the plugin for it, sets a property, makes a client and lets go.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::contained;
use super::hooks::{on_acknowledgement, on_commit, on_consume, on_destroy, on_send, on_statistics};
use super::layout::{Conf, Handle, NOT_IMPLEMENTED, NOT_OURS, OK, PRODUCER};
use super::library::{Library, Missing};
use crate::client::{Shared, Side, unpoisoned};
use crate::plugin::{Begins, Plugin, Uncounted, is_off};
use crate::reasons::Reasons;

/// Our name among a client's interceptors.
const NAME: &CStr = c"kwitness";
/// Properties that begin so are ours.
const PREFIX: &[u8] = b"kwitness.";
/// The settings file of a program that has not the variable.
const SETTINGS_PROPERTY: &[u8] = b"kwitness.interceptors";
/// Longest value of a property that is asked for.
const LONGEST_VALUE: usize = 512;

/// `message.max.bytes` where it cannot be read: librdkafka's default.
const MOST_RECORD_BYTES: usize = 1_000_000;

/// One configuration that the plugin was loaded for. librdkafka hands it to every hook, and lets go of it in
/// `on_conf_destroy`, after the last one: broker threads call hooks after `on_destroy`, too.
pub(super) struct Configuration {
    pub(super) library: &'static Library,
    settings: Mutex<Option<PathBuf>>,
    /// Null until there is a client.
    pub(super) client: AtomicPtr<Intercepted>,
}

/// A client, and the process that it was made in.
pub(super) struct Intercepted {
    pub(super) plugin: &'static Plugin,
    pub(super) client: Shared,
}

/// What librdkafka calls when it has loaded the library. It always succeeds.
///
/// Who called is known by the address to return to, which is handed on as a fifth argument.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn conf_init(_conf: *mut Conf, _opaque: *mut *mut c_void, _error: *mut c_char, _size: usize) -> c_int {
    std::arch::naked_asm!("mov r8, [rsp]", "jmp {init}", init = sym init)
}

/// What librdkafka calls when it has loaded the library. It always succeeds.
///
/// Who called is known by the address to return to, which is handed on as a fifth argument.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn conf_init(_conf: *mut Conf, _opaque: *mut *mut c_void, _error: *mut c_char, _size: usize) -> c_int {
    std::arch::naked_asm!("mov x4, x30", "b {init}", init = sym init)
}

extern "C" fn init(
    conf: *mut Conf,
    _opaque: *mut *mut c_void,
    _error: *mut c_char,
    _size: usize,
    caller: *const c_void,
) -> c_int {
    contained(|| match Library::of(caller) {
        Ok(library) => {
            // SAFETY: it is librdkafka's own configuration, in the call that is to look at it.
            unsafe { configure(library, conf) };
        }
        Err(missing) => {
            let reason = match missing {
                Missing::Object => Uncounted::Static,
                Missing::Function => Uncounted::MissingSymbols,
            };
            if let Some(plugin) = Plugin::begun(None) {
                plugin.leave_alone(reason);
            }
        }
    });
    OK
}

/// # Safety
/// `conf` is a configuration of this librdkafka that is being made.
unsafe fn configure(library: &'static Library, conf: *mut Conf) {
    let configuration =
        Box::new(Configuration { library, settings: Mutex::default(), client: AtomicPtr::new(ptr::null_mut()) });
    let configuration = Box::into_raw(configuration);
    let opaque = configuration.cast();
    // SAFETY: the functions are this librdkafka's, as rdkafka.h declares them; what is handed to hooks lives until
    // on_conf_destroy, or is freed where no hook was added.
    unsafe {
        // Refused where the library was loaded for this configuration before, by another path.
        if (library.conf_add_on_conf_set)(conf, NAME.as_ptr(), on_conf_set, opaque) != OK {
            drop(Box::from_raw(configuration));
            return;
        }
        (library.conf_add_on_conf_destroy)(conf, NAME.as_ptr(), on_conf_destroy, opaque);
        if is_off() {
            return;
        }
        (library.conf_add_on_new)(conf, NAME.as_ptr(), on_new, opaque);
    }
}

/// Have a client's statistics brought to us, where the application does not ask for them and is known to poll: it has a
/// callback for deliveries, or a group. Until it polls, librdkafka keeps each document. An application that takes
/// events instead would get them as events of its own.
///
/// # Safety
/// `conf` is the configuration of a client of this librdkafka that is being made, and `is_producer` says of which kind.
unsafe fn ask_for_statistics(library: &'static Library, conf: *mut Conf, is_producer: bool, every_ms: u64) {
    // SAFETY: the caller's promise.
    let of_conf = |name: &CStr| unsafe { property(library, conf, name) };
    let polls = if is_producer {
        of_conf(c"dr_msg_cb").or_else(|| of_conf(c"dr_cb")).is_some()
    } else {
        of_conf(c"group.id").is_some()
    };
    let takes_events = of_conf(c"enabled_events").is_some_and(|events| events != "0");
    if !polls || takes_events || of_conf(c"stats_cb").is_some() {
        return;
    }
    // SAFETY: the caller's promise; the text ends with a zero.
    unsafe {
        (library.conf_set_stats_cb)(conf, on_statistics);
        let is_set = of_conf(c"statistics.interval.ms").is_some_and(|value| value != "0");
        if let (false, Ok(every)) = (is_set, CString::new(every_ms.to_string())) {
            (library.conf_set)(conf, c"statistics.interval.ms".as_ptr(), every.as_ptr(), ptr::null_mut(), 0);
        }
    }
}

/// A property's value; `None` where it has none, or a longer one than is read.
///
/// # Safety
/// `conf` is a configuration of this librdkafka.
unsafe fn property(library: &'static Library, conf: *const Conf, name: &CStr) -> Option<String> {
    let (mut value, mut size) = ([0_u8; LONGEST_VALUE], LONGEST_VALUE);
    // SAFETY: librdkafka writes no more than `size` says there is room for.
    let answer = unsafe { (library.conf_get)(conf, name.as_ptr(), value.as_mut_ptr().cast(), &raw mut size) };
    let text = CStr::from_bytes_until_nul(&value).ok()?;
    (answer == OK && !text.is_empty()).then(|| text.to_string_lossy().into_owned())
}

extern "C" fn on_conf_set(
    _conf: *mut Conf,
    name: *const c_char,
    value: *const c_char,
    _error: *mut c_char,
    _size: usize,
    opaque: *mut c_void,
) -> c_int {
    if name.is_null() {
        return NOT_OURS;
    }
    // SAFETY: a name of librdkafka's, which ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if !name.starts_with(PREFIX) {
        return NOT_OURS;
    }
    contained(|| {
        // SAFETY: what `configure` handed out, or null.
        let configuration = unsafe { opaque.cast::<Configuration>().as_ref() };
        if let (Some(configuration), SETTINGS_PROPERTY, false) = (configuration, name, value.is_null()) {
            // SAFETY: a value of librdkafka's, which ends with a zero.
            let value = unsafe { CStr::from_ptr(value) }.to_bytes();
            *unpoisoned(&configuration.settings) = Some(PathBuf::from(OsStr::from_bytes(value)));
        }
    });
    OK
}

extern "C" fn on_conf_destroy(opaque: *mut c_void) -> c_int {
    contained(|| {
        if opaque.is_null() {
            return;
        }
        // SAFETY: what `configure` handed out; librdkafka names it here for the last time.
        let configuration = unsafe { Box::from_raw(opaque.cast::<Configuration>()) };
        // SAFETY: nobody else has it any more.
        unsafe { let_go(configuration.client.load(Ordering::Acquire)) };
    });
    OK
}

/// # Safety
/// Null, or a client that no hook is called with any more.
unsafe fn let_go(client: *mut Intercepted) {
    if client.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let intercepted = unsafe { Box::from_raw(client) };
    if intercepted.plugin.is_here() {
        intercepted.plugin.close(&intercepted.client);
    } else {
        // A child has its parent's memory in whatever state the parent's threads left it.
        let _ = Box::leak(intercepted);
    }
}

extern "C" fn on_new(
    handle: *mut Handle,
    conf: *const Conf,
    opaque: *mut c_void,
    _error: *mut c_char,
    _size: usize,
) -> c_int {
    contained(|| {
        // SAFETY: what `configure` handed out, or null.
        let Some(configuration) = (unsafe { opaque.cast::<Configuration>().as_ref() }) else { return };
        let settings = unpoisoned(&configuration.settings).clone();
        if let Some(plugin) = Plugin::begun(settings.as_deref()) {
            // SAFETY: the client that is being made, and its configuration.
            unsafe { intercept(configuration, plugin, handle, conf, opaque) };
        }
    });
    OK
}

/// # Safety
/// The handle and its configuration are those of a client of this librdkafka that is being made.
unsafe fn intercept(
    configuration: &Configuration,
    plugin: &'static Plugin,
    handle: *mut Handle,
    conf: *const Conf,
    opaque: *mut c_void,
) {
    let library = configuration.library;
    // SAFETY: the caller's promise, here and below.
    let answer = unsafe { (library.add_on_destroy)(handle, NAME.as_ptr(), on_destroy, opaque) };
    if answer == NOT_IMPLEMENTED {
        plugin.leave_alone(Uncounted::ShareGroup);
        return;
    }
    // SAFETY: as above.
    let is_producer = unsafe { (library.kind)(handle) } == PRODUCER;
    let of_conf = |name: &CStr| {
        // SAFETY: as above.
        unsafe { property(library, conf, name) }
    };
    if let Some(every_ms) = plugin.statistics_every_ms() {
        // It is const for hooks that look at it; librdkafka reads both properties when this hook has returned.
        // SAFETY: as above.
        unsafe { ask_for_statistics(library, conf.cast_mut(), is_producer, every_ms) };
    }
    let address = handle as usize;
    let begins = Begins {
        handle: address,
        side: if is_producer { Side::Producer } else { Side::Consumer },
        client_id: of_conf(c"client.id"),
        group_id: if is_producer { None } else { of_conf(c"group.id") },
        most_record_bytes: of_conf(c"message.max.bytes")
            .and_then(|most| most.parse().ok())
            .unwrap_or(MOST_RECORD_BYTES),
        has_header_functions: library.headers.is_some(),
        are_acknowledged: of_conf(c"request.required.acks").is_none_or(|acks| acks != "0"),
        reasons: Reasons::new(move |code| {
            // SAFETY: librdkafka answers every number, with a text that stays.
            let name = unsafe { (library.error_name)(code) };
            // SAFETY: it ends with a zero.
            (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
        }),
        queue_length: Box::new(move || {
            // SAFETY: asked only after a hook was called, when the client is made, and not after on_destroy.
            let length = unsafe { (library.queue_length)(address as *mut Handle) };
            u64::try_from(length).unwrap_or_default()
        }),
    };
    let Some(client) = plugin.open(begins) else { return };
    let made = Box::into_raw(Box::new(Intercepted { plugin, client }));
    // SAFETY: where a client could not be made its configuration is used again; that client calls no hook any more.
    unsafe { let_go(configuration.client.swap(made, Ordering::AcqRel)) };
    // SAFETY: as above. Refused where they are there since a client that could not be made: with the same configuration.
    unsafe {
        if is_producer {
            (library.add_on_send)(handle, NAME.as_ptr(), on_send, opaque);
            (library.add_on_acknowledgement)(handle, NAME.as_ptr(), on_acknowledgement, opaque);
        } else {
            (library.add_on_consume)(handle, NAME.as_ptr(), on_consume, opaque);
            (library.add_on_commit)(handle, NAME.as_ptr(), on_commit, opaque);
        }
    }
}
