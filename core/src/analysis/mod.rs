//! Looking at a policy without drawing: the range of every delay, and fitting into a time.

pub(crate) mod fit;
pub(crate) mod preview;
