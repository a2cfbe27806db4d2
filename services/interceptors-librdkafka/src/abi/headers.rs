//! The headers of a message, in the hook that is told of it.

use std::cell::OnceCell;
use std::ffi::{CStr, CString};
use std::{ptr, slice};

use super::layout::{Headers, Message, OK};
use super::library::{HeaderFunctions, Library};
use crate::headers::{Header, HeaderList};

/// They are asked for when somebody looks at them: librdkafka reads those of a message that came only then.
pub(super) struct MessageHeaders {
    functions: Option<&'static HeaderFunctions>,
    message: *mut Message,
    /// Null where the message has none. They are the application's where it gave a list: nothing is ever put in its place.
    headers: OnceCell<*mut Headers>,
}

impl MessageHeaders {
    /// # Safety
    /// The message is one of this librdkafka, in a hook that is told of it; nobody else uses its headers for as long as
    /// this lives.
    pub(super) unsafe fn of(library: &'static Library, message: *mut Message) -> Self {
        Self { functions: library.headers.as_ref(), message, headers: OnceCell::new() }
    }

    fn headers(&self, functions: &HeaderFunctions) -> *mut Headers {
        *self.headers.get_or_init(|| {
            let mut headers = ptr::null_mut();
            // SAFETY: the promise of `of`.
            let answer = unsafe { (functions.of_message)(self.message, &raw mut headers) };
            if answer == OK { headers } else { ptr::null_mut() }
        })
    }
}

impl HeaderList for MessageHeaders {
    fn get(&self, at: usize) -> Option<Header<'_>> {
        let functions = self.functions?;
        let headers = self.headers(functions);
        if headers.is_null() {
            return None;
        }
        let (mut name, mut value, mut size) = (ptr::null(), ptr::null(), 0);
        // SAFETY: the message's list; there may be none at this place.
        let answer = unsafe { (functions.get)(headers, at, &raw mut name, &raw mut value, &raw mut size) };
        if answer != OK || name.is_null() {
            return None;
        }
        // SAFETY: a name of librdkafka's, which ends with a zero, and so many bytes. They stay until the list is changed,
        // for which this is borrowed otherwise.
        unsafe {
            let value = (!value.is_null()).then(|| slice::from_raw_parts(value.cast::<u8>(), size));
            Some(Header { name: CStr::from_ptr(name).to_bytes(), value })
        }
    }

    fn remove(&mut self, name: &[u8]) -> bool {
        let (Some(functions), Ok(name)) = (self.functions, CString::new(name)) else { return false };
        let headers = self.headers(functions);
        // SAFETY: the message's list, and a name that ends with a zero.
        !headers.is_null() && unsafe { (functions.remove)(headers, name.as_ptr()) } == OK
    }

    fn add(&mut self, name: &[u8], value: &[u8]) -> bool {
        let Some(functions) = self.functions else { return false };
        let (Ok(name_size), Ok(value_size)) = (isize::try_from(name.len()), isize::try_from(value.len())) else {
            return false;
        };
        let mut headers = self.headers(functions);
        if headers.is_null() {
            // SAFETY: a list that nobody has, for a message that has none: it is the message's from then on.
            unsafe {
                headers = (functions.new)(1);
                if headers.is_null() {
                    return false;
                }
                (functions.set)(self.message, headers);
            }
            self.headers = OnceCell::from(headers);
        }
        // SAFETY: the message's list; librdkafka copies so many bytes of both.
        unsafe { (functions.add)(headers, name.as_ptr().cast(), name_size, value.as_ptr().cast(), value_size) == OK }
    }
}
