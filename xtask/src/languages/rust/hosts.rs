//! The adapters of Rust on what they adapt.

use crate::report::{Extent, Report};

/// Tests the adapters on the newest versions of their hosts, and with `Extent::All` also on the
/// oldest ones that they support.
pub(crate) fn test(_extent: Extent, _report: &mut Report) {}
