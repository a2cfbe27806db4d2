//! librdkafka's own functions, from the object that called us and from no other.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{MaybeUninit, transmute_copy};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::layout::{
    Conf, Handle, Headers, Message, OnCommit, OnConfDestroy, OnConfSet, OnDestroy, OnMessage, OnNew, OnStatistics,
    Topic,
};

type AddToConf<F> = unsafe extern "C" fn(*mut Conf, *const c_char, F, *mut c_void) -> c_int;
type AddToHandle<F> = unsafe extern "C" fn(*mut Handle, *const c_char, F, *mut c_void) -> c_int;

/// Why librdkafka's functions are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Nothing is known of the object that called; a program that has librdkafka linked in is one.
    Object,
    /// The object does not offer one of them.
    Function,
}

macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident: $name:literal, $kind:ty;)*) => {
        /// One librdkafka's functions.
        pub(super) struct Library {
            /// Where the object begins: what tells one librdkafka from another.
            base: usize,
            next: *const Library,
            /// None where it lacks one of them.
            pub(super) headers: Option<HeaderFunctions>,
            $($(#[$doc])* pub(super) $field: $kind,)*
        }

        impl Library {
            /// # Safety
            /// `object` is a handle of the object that begins at `base`.
            unsafe fn look_up(object: *mut c_void, base: usize) -> Result<Self, Missing> {
                // SAFETY: the object is loaded; each name's type is the one that rdkafka.h declares for it.
                unsafe {
                    let headers = HeaderFunctions::look_up(object, base).ok();
                    let next = ptr::null();
                    Ok(Self { base, next, headers, $($field: function::<$kind>(object, base, $name)?,)* })
                }
            }
        }
    };
}

functions! {
    conf_add_on_new: c"rd_kafka_conf_interceptor_add_on_new", AddToConf<OnNew>;
    conf_add_on_conf_set: c"rd_kafka_conf_interceptor_add_on_conf_set", AddToConf<OnConfSet>;
    conf_add_on_conf_destroy: c"rd_kafka_conf_interceptor_add_on_conf_destroy", AddToConf<OnConfDestroy>;
    add_on_destroy: c"rd_kafka_interceptor_add_on_destroy", AddToHandle<OnDestroy>;
    add_on_send: c"rd_kafka_interceptor_add_on_send", AddToHandle<OnMessage>;
    add_on_acknowledgement: c"rd_kafka_interceptor_add_on_acknowledgement", AddToHandle<OnMessage>;
    add_on_consume: c"rd_kafka_interceptor_add_on_consume", AddToHandle<OnMessage>;
    add_on_commit: c"rd_kafka_interceptor_add_on_commit", AddToHandle<OnCommit>;
    conf_get: c"rd_kafka_conf_get", unsafe extern "C" fn(*const Conf, *const c_char, *mut c_char, *mut usize) -> c_int;
    conf_set: c"rd_kafka_conf_set",
        unsafe extern "C" fn(*mut Conf, *const c_char, *const c_char, *mut c_char, usize) -> c_int;
    conf_set_stats_cb: c"rd_kafka_conf_set_stats_cb", unsafe extern "C" fn(*mut Conf, OnStatistics);
    kind: c"rd_kafka_type", unsafe extern "C" fn(*const Handle) -> c_int;
    queue_length: c"rd_kafka_outq_len", unsafe extern "C" fn(*mut Handle) -> c_int;
    topic_name: c"rd_kafka_topic_name", unsafe extern "C" fn(*const Topic) -> *const c_char;
    timestamp: c"rd_kafka_message_timestamp", unsafe extern "C" fn(*const Message, *mut c_int) -> i64;
    /// Microseconds since `produce`, or less than none.
    latency: c"rd_kafka_message_latency", unsafe extern "C" fn(*const Message) -> i64;
    /// `rd_kafka_msg_status_t`.
    status: c"rd_kafka_message_status", unsafe extern "C" fn(*const Message) -> c_int;
    error_name: c"rd_kafka_err2name", unsafe extern "C" fn(c_int) -> *const c_char;
}

/// The functions for the headers of a message; librdkafka has them since 0.11.4.
pub(super) struct HeaderFunctions {
    pub(super) of_message: unsafe extern "C" fn(*const Message, *mut *mut Headers) -> c_int,
    pub(super) set: unsafe extern "C" fn(*mut Message, *mut Headers),
    pub(super) new: unsafe extern "C" fn(usize) -> *mut Headers,
    pub(super) add: unsafe extern "C" fn(*mut Headers, *const c_char, isize, *const c_void, isize) -> c_int,
    pub(super) remove: unsafe extern "C" fn(*mut Headers, *const c_char) -> c_int,
    pub(super) get:
        unsafe extern "C" fn(*const Headers, usize, *mut *const c_char, *mut *const c_void, *mut usize) -> c_int,
}

impl HeaderFunctions {
    /// # Safety
    /// `object` is a handle of the object that begins at `base`.
    unsafe fn look_up(object: *mut c_void, base: usize) -> Result<Self, Missing> {
        // SAFETY: the object is loaded; each name's type is the one that rdkafka.h declares for it.
        unsafe {
            Ok(Self {
                of_message: function(object, base, c"rd_kafka_message_headers")?,
                set: function(object, base, c"rd_kafka_message_set_headers")?,
                new: function(object, base, c"rd_kafka_headers_new")?,
                add: function(object, base, c"rd_kafka_header_add")?,
                remove: function(object, base, c"rd_kafka_header_remove")?,
                get: function(object, base, c"rd_kafka_header_get_all")?,
            })
        }
    }
}

// SAFETY: its functions may be called from any thread, and what it points to is never changed or freed.
unsafe impl Send for Library {}
// SAFETY: likewise.
unsafe impl Sync for Library {}

/// All that were found; a program may have several. They are kept, since nobody knows which thread uses one.
static FOUND: AtomicPtr<Library> = AtomicPtr::new(ptr::null_mut());

impl Library {
    /// The librdkafka that has the code at this address.
    pub(super) fn of(code: *const c_void) -> Result<&'static Self, Missing> {
        let mut caller = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr takes any address and fills what it is given; zeroes are a Dl_info too.
        let caller = unsafe {
            if libc::dladdr(code, caller.as_mut_ptr()) == 0 {
                return Err(Missing::Object);
            }
            caller.assume_init()
        };
        let base = caller.dli_fbase as usize;
        if let Some(found) = found(base) {
            return Ok(found);
        }
        if caller.dli_fname.is_null() {
            return Err(Missing::Object);
        }
        // SAFETY: the name is the loader's own. The object is loaded already: nothing of it is run. It is never closed,
        // so that its functions stay.
        let object = unsafe { libc::dlopen(caller.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if object.is_null() {
            return Err(Missing::Object);
        }
        // SAFETY: that is the object's handle; that it begins at `base` is checked for each function.
        Ok(keep(unsafe { Self::look_up(object, base) }?))
    }
}

fn found(base: usize) -> Option<&'static Library> {
    let mut next = FOUND.load(Ordering::Acquire).cast_const();
    loop {
        // SAFETY: null, or one that `keep` has leaked.
        let library = unsafe { next.as_ref() }?;
        if library.base == base {
            return Some(library);
        }
        next = library.next;
    }
}

/// Put it at the head of the list. No lock: a fork may come at any time. The same one twice does no harm.
fn keep(library: Library) -> &'static Library {
    let library: &'static mut Library = Box::leak(Box::new(library));
    let mut head = FOUND.load(Ordering::Acquire);
    loop {
        library.next = head;
        match FOUND.compare_exchange(head, library, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return library,
            Err(other) => head = other,
        }
    }
}

/// One function of an object; one that another object offers in its place is none of it.
///
/// # Safety
/// `F` is a type of functions, and the one that this name has.
unsafe fn function<F>(object: *mut c_void, base: usize, name: &'static CStr) -> Result<F, Missing> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let mut owner = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the handle is open and the name ends with a zero; zeroes are a Dl_info too.
    let (address, owner) = unsafe {
        let address = libc::dlsym(object, name.as_ptr());
        if address.is_null() || libc::dladdr(address, owner.as_mut_ptr()) == 0 {
            return Err(Missing::Function);
        }
        (address, owner.assume_init())
    };
    if owner.dli_fbase as usize != base {
        return Err(Missing::Function);
    }
    // SAFETY: the address is not null, and has a function of this type: the caller's promise.
    Ok(unsafe { transmute_copy::<*mut c_void, F>(&address) })
}
