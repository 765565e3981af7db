//! Building only what has changed, judged by content.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::shell::{root, scratch};

/// Folders that hold what was built or fetched, not what it was built from.
const NOT_INPUTS: [&str; 7] =
    ["target", "node_modules", "dist", "tests", "__pycache__", ".ruff_cache", ".mypy_cache"];

/// Builds `output` unless it exists and was built from inputs with the same content.
pub(crate) fn unless_fresh(
    output: &Path,
    inputs: &[&str],
    build: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let mut hash = Sha256::new();
    for input in inputs {
        feed(&mut hash, &root().join(input))?;
    }
    let stamp = format!("{:x?}", hash.finalize());
    let name = output.strip_prefix(scratch()).unwrap_or(output).to_string_lossy().replace('/', "-");
    let stamp_file = scratch().join("stamps").join(name);
    if output.exists() && fs::read_to_string(&stamp_file).ok().as_ref() == Some(&stamp) {
        return Ok(());
    }
    // Without the stamp a build that breaks off is not taken for a finished one.
    let _ = fs::remove_file(&stamp_file);
    build()?;
    fs::create_dir_all(scratch().join("stamps"))?;
    fs::write(&stamp_file, stamp).with_context(|| stamp_file.display().to_string())
}

fn feed(hash: &mut Sha256, path: &Path) -> Result<()> {
    if path.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if !NOT_INPUTS.iter().any(|name| entry.file_name() == *name) {
                feed(hash, &entry.path())?;
            }
        }
    } else {
        let content = fs::read(path).with_context(|| path.display().to_string())?;
        hash.update(path.to_string_lossy().as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    Ok(())
}
