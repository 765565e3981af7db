//! Building only what is older than its inputs, by modification times, as `make` does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::shell::*;

/// Folders that hold build products or tests, not inputs of a build.
const NOT_INPUTS: [&str; 6] = ["target", "node_modules", "dist", "build", "tests", "__pycache__"];

/// What is made once: of several threads that need it, one makes it.
fn once(path: PathBuf, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    static MADE: Mutex<BTreeMap<PathBuf, Arc<Mutex<bool>>>> = Mutex::new(BTreeMap::new());
    let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let one = Arc::clone(all.entry(path.clone()).or_default());
    drop(all);
    let mut is_made = one.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_made {
        make(&path)?;
        *is_made = true;
    }
    Ok(path)
}

/// A folder, which is emptied and made again once in this run.
pub(crate) fn made(folder: PathBuf, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    once(folder, |folder| empty(folder).and_then(|()| make(folder)))
}

/// A folder, which is emptied and made again if an input was changed, added or removed since it was made.
pub(crate) fn built(
    folder: PathBuf,
    inputs: &[&str],
    build: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    once(folder, |folder| unless_fresh(folder, inputs, build))
}

fn unless_fresh(
    folder: &Path,
    inputs: &[&str],
    build: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let mut times = Vec::new();
    for input in inputs {
        times.extend(modified(&root().join(input))?);
    }
    let stamp = format!("{} inputs, the newest of {:?}\n", times.len(), times.iter().max());
    let name = folder.strip_prefix(scratch()).unwrap_or(folder).to_string_lossy();
    let stamp_file = scratch().join("stamps").join(name.replace('/', "-"));
    if !folder.exists() || read(&stamp_file).ok().as_ref() != Some(&stamp) {
        // Without a stamp, a build that is interrupted is repeated.
        let _ = fs::remove_file(&stamp_file);
        empty(folder)?;
        build(folder)?;
        write(&stamp_file, stamp)?;
    }
    Ok(())
}

/// When the inputs in a folder, or a file, were modified.
fn modified(path: &Path) -> Result<Vec<SystemTime>> {
    if !path.is_dir() {
        let metadata = fs::metadata(path).with_context(|| path.display().to_string())?;
        return Ok(vec![metadata.modified()?]);
    }
    let mut times = Vec::new();
    for path in entries(path)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !NOT_INPUTS.contains(&&*name) && !name.ends_with("_cache") {
            times.extend(modified(&path)?);
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::unless_fresh;
    use crate::shell::*;

    #[test]
    fn a_change_of_any_input_builds_again() {
        let place = scratch().join("fresh-test");
        empty(&place.join("inputs/target")).unwrap();
        let (output, inputs) = (place.join("output"), place.join("inputs"));
        let _ = fs::remove_dir(&output);
        let builds = || {
            let mut ran = false;
            let build = |_: &Path| Ok(ran = true);
            unless_fresh(&output, &[inputs.to_str().unwrap()], build).unwrap();
            ran
        };
        write(inputs.join("a"), "").unwrap();
        assert!(builds(), "at first");
        assert!(!builds(), "unchanged");
        write(inputs.join("target/b"), "").unwrap();
        assert!(!builds(), "a build product");
        let later = SystemTime::now() + Duration::from_secs(1);
        fs::File::open(inputs.join("a")).unwrap().set_modified(later).unwrap();
        assert!(builds(), "a newer input");
        write(inputs.join("b"), "").unwrap();
        assert!(builds(), "another input");
        fs::remove_file(inputs.join("b")).unwrap();
        assert!(builds(), "an input less");
        fs::remove_dir(&output).unwrap();
        assert!(builds(), "no output");
        assert!(!builds(), "unchanged");
    }
}
