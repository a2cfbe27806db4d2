//! Requests and responses one by one, as KIP-388 has observers see them: what they name, and what they say.
//!
//! Nothing of this is done unless it is wanted. What is looked into is read as it passes: no message is kept, and of
//! record batches only heads are read.

mod looking;
mod walking;

pub(crate) use looking::Messages;
