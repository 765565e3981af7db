//! Files that are written as a whole.
//!
//! A new file appears under its name when it is complete, so a failure leaves the old one. A link
//! to a file is refused: in a folder that others can write to, it may lead to a file that only
//! this user can overwrite. Anything else, such as a pipe or `/dev/null`, is written in place.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::{Builder, NamedTempFile};

enum Target {
    /// A file, which has these permissions if it exists.
    File(Option<Permissions>),
    /// A pipe, a terminal or another device.
    Stream,
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    try_write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Fails if the file cannot be written. It changes nothing.
pub(crate) fn check(path: &Path) -> Result<()> {
    let try_it = || match target(path)? {
        Target::File(_) => new_file(path).map(drop),
        Target::Stream => Ok(()),
    };
    try_it().with_context(|| format!("cannot write {}", path.display()))
}

/// Why two of these options cannot be used together: they name the same file.
pub(crate) fn conflict(files: &[(&str, Option<&Path>)]) -> Option<String> {
    let mut seen = Vec::<(&str, PathBuf)>::new();
    for &(option, path) in files {
        let Some(path) = path.filter(|&path| path != Path::new("-")) else { continue };
        let place = place(path);
        if let Some((earlier, _)) = seen.iter().find(|(_, other)| *other == place) {
            return Some(format!("{earlier} and {option} are the same file, {}", path.display()));
        }
        seen.push((option, place));
    }
    None
}

fn try_write(path: &Path, bytes: &[u8]) -> Result<()> {
    match target(path)? {
        Target::File(permissions) => {
            let mut file = new_file(path)?;
            file.as_file_mut().write_all(bytes)?;
            if let Some(permissions) = permissions {
                file.as_file().set_permissions(permissions)?;
            }
            file.persist(path).map_err(|error| error.error)?;
        }
        Target::Stream => {
            let mut stream = File::options().write(true).open(path)?;
            // The name may lead to something else by now.
            ensure!(!stream.metadata()?.is_file(), "it has just become a file");
            stream.write_all(bytes)?;
        }
    }
    Ok(())
}

fn target(path: &Path) -> Result<Target> {
    let own = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Target::File(None)),
        own => own?,
    };
    // A link that leads nowhere would be a link to a file.
    let followed = if own.is_symlink() { fs::metadata(path).ok() } else { Some(own.clone()) };
    match followed {
        Some(followed) if followed.is_dir() => bail!("it is a folder"),
        Some(followed) if !followed.is_file() => Ok(Target::Stream),
        _ if own.is_symlink() => {
            bail!("it is a symbolic link to a file; name the file itself")
        }
        _ => Ok(Target::File(Some(own.permissions()))),
    }
}

/// An empty file beside the one that it may replace. `tempfile` would put its random name into the
/// error of opening it, and of writing it.
fn new_file(path: &Path) -> Result<NamedTempFile> {
    Ok(Builder::new().prefix(".backoff-").make_in(folder(path), |new| File::create_new(new))?)
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The path of a file that may not exist, the same for all ways to write it.
fn place(path: &Path) -> PathBuf {
    let folder = folder(path).canonicalize().unwrap_or_else(|_| folder(path).to_owned());
    path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
}
