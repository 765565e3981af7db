//! Building only what is older than its inputs, by modification times, as `make` does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

use crate::shell::{root, scratch};

/// Folders that hold build products or tests, not inputs of a build.
const NOT_INPUTS: [&str; 6] = ["target", "node_modules", "dist", "build", "tests", "__pycache__"];

/// Builds `output` unless it exists and no input was changed, added or removed since it was built.
pub(crate) fn unless_fresh(
    output: &Path,
    inputs: &[&str],
    build: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let lock = lock_of(output);
    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut newest_ns, mut count) = (0, 0);
    for input in inputs {
        scan(&root().join(input), &mut newest_ns, &mut count)?;
    }
    let stamp = format!("{count} inputs, the newest of {newest_ns} ns\n");
    let name = output.strip_prefix(scratch()).unwrap_or(output).to_string_lossy().replace('/', "-");
    let stamp_file = scratch().join("stamps").join(name);
    if output.exists() && fs::read_to_string(&stamp_file).ok().as_ref() == Some(&stamp) {
        return Ok(());
    }
    // Without a stamp, a build that is interrupted is repeated.
    let _ = fs::remove_file(&stamp_file);
    build()?;
    fs::create_dir_all(scratch().join("stamps"))?;
    fs::write(&stamp_file, stamp).with_context(|| stamp_file.display().to_string())
}

/// Of several threads that need an output, one builds it.
fn lock_of(output: &Path) -> Arc<Mutex<()>> {
    static LOCKS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(locks.entry(output.to_owned()).or_default())
}

/// Finds the newest modification time and the number of the files at a path.
fn scan(path: &Path, newest_ns: &mut u128, count: &mut usize) -> Result<()> {
    let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !NOT_INPUTS.contains(&&*name) && !name.ends_with("_cache") {
                scan(&entry.path(), newest_ns, count)?;
            }
        }
    } else {
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH)?;
        *newest_ns = (*newest_ns).max(modified.as_nanos());
        *count = count.saturating_add(1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::unless_fresh;
    use crate::shell::{empty, scratch};

    #[test]
    fn a_change_of_any_input_builds_again() {
        let folder = scratch().join("fresh-test");
        empty(&folder.join("inputs/target")).unwrap();
        let _ = fs::remove_file(scratch().join("stamps/fresh-test-output"));
        let (output, inputs) = (folder.join("output"), folder.join("inputs"));
        let _ = fs::remove_file(&output);
        let builds = || {
            let mut ran = false;
            let build = || {
                ran = true;
                Ok(fs::write(&output, "")?)
            };
            unless_fresh(&output, &[inputs.to_str().unwrap()], build).unwrap();
            ran
        };
        fs::write(inputs.join("a"), "").unwrap();
        assert!(builds(), "at first");
        assert!(!builds(), "unchanged");
        fs::write(inputs.join("target/b"), "").unwrap();
        assert!(!builds(), "a build product");
        let later = SystemTime::now() + Duration::from_secs(1);
        fs::File::open(inputs.join("a")).unwrap().set_modified(later).unwrap();
        assert!(builds(), "a newer input");
        fs::write(inputs.join("b"), "").unwrap();
        assert!(builds(), "another input");
        fs::remove_file(inputs.join("b")).unwrap();
        assert!(builds(), "an input less");
        fs::remove_file(&output).unwrap();
        assert!(builds(), "no output");
        assert!(!builds(), "unchanged");
    }
}
