//! Reading policy strings and budget strings.

pub(crate) mod duration;
pub(crate) mod string;
pub(crate) mod value;
