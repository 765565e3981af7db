//! What a build of libbackoff makes.

use std::path::PathBuf;

use super::platform::Platform;

/// The C library, ready to be installed.
pub(crate) struct Built {
    pub(super) platform: Platform,
    /// `libbackoff.so`, `libbackoff.dylib` or `backoff.dll`.
    pub(super) shared_library: PathBuf,
    pub(super) static_library: PathBuf,
    /// With which programs for Windows link the DLL.
    pub(super) import_library: Option<PathBuf>,
}
