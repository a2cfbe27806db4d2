//! Names of librdkafka's error codes, from the librdkafka that gave them.

use std::borrow::Cow;

use crate::counting;

/// One librdkafka's names.
pub(crate) struct Reasons(Box<dyn Fn(i32) -> Option<String> + Send + Sync>);

impl Reasons {
    pub(crate) fn new(name: impl Fn(i32) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Box::new(name))
    }

    /// The reason of a code, as rows have it.
    pub(crate) fn of(&self, code: i32) -> Cow<'static, str> {
        counting::reason(code, (self.0)(code).map(Cow::Owned))
    }
}
