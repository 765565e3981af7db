//! Why a policy or a text is refused: codes, messages and the two error types.

pub(crate) mod code;
pub(crate) mod message;
pub(crate) mod parse_error;
pub(crate) mod policy_error;
