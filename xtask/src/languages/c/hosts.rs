//! The adapters of C on what they adapt.

use crate::report::{Extent, Report};

/// Nothing more: `make check`, a part of the tests of C, compiles and runs the helper for libcurl as
/// it does the other examples.
pub(crate) fn test(_extent: Extent, _report: &mut Report) {}
