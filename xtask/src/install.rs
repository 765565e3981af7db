//! `cargo xtask install`: libbackoff where C programs look for it.

use std::path::PathBuf;

use anyhow::Result;

use crate::libbackoff;
use crate::shell::progress;

/// Builds the library and puts it under the prefix; under DESTDIR, for packagers, without
/// the installed files knowing of it.
pub(crate) fn run(prefix: &str) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let destination = match std::env::var_os("DESTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix.clone(),
    };
    let built = libbackoff::build()?;
    progress(&format!("installing libbackoff into {}", destination.display()));
    built.put(&prefix, &destination)
}
