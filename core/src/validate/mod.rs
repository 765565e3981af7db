//! The rules of SPEC 8 and 15.2: from the fields that a caller set to checked values.

pub(crate) mod policy;
pub(crate) mod rules;
