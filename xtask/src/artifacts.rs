//! What users install, built as they will get it.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell::{cargo, run, target};

/// The C library as cargo builds it.
pub(crate) struct CLibrary {
    pub(crate) shared_library: PathBuf,
    pub(crate) static_library: PathBuf,
}

/// Builds libbackoff.
pub(crate) fn c_library() -> Result<CLibrary> {
    run(cargo().args(["build", "--locked", "--release", "--package", "bindings-c"]))?;
    let folder = target().join("release");
    Ok(CLibrary {
        shared_library: folder.join("libbackoff.so"),
        static_library: folder.join("libbackoff.a"),
    })
}
