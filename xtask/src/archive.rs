//! Archives that are the same bytes wherever they are made.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::shell::{command, stdout};

/// The time that files in archives have: that of the commit, unless `SOURCE_DATE_EPOCH` says
/// otherwise (<https://reproducible-builds.org/specs/source-date-epoch>).
pub(crate) fn epoch() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => stdout(command("git").args(["log", "-1", "--format=%ct"]))?,
    };
    text.trim().parse().with_context(|| format!("SOURCE_DATE_EPOCH {text:?}"))
}

/// Writes a folder to a `.tar.gz`, in the order of the names, with the folder's own name on top.
pub(crate) fn tar_gz(folder: &Path, to: &Path) -> Result<()> {
    let file = File::create(to).with_context(|| to.display().to_string())?;
    let compressed = GzBuilder::new().mtime(0).write(file, Compression::best());
    let mut archive = Builder::new(compressed);
    let parent = folder.parent().context("a folder with a name")?;
    append(&mut archive, parent, folder, epoch()?)?;
    archive.into_inner()?.finish()?;
    Ok(())
}

fn append(archive: &mut Builder<impl Write>, top: &Path, path: &Path, time: u64) -> Result<()> {
    let name = path.strip_prefix(top)?;
    let metadata = path.symlink_metadata().with_context(|| path.display().to_string())?;
    let mut header = Header::new_gnu();
    header.set_mtime(time);
    header.set_size(0);
    if metadata.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        header.set_mode(0o777);
        return Ok(archive.append_link(&mut header, name, fs::read_link(path)?)?);
    }
    if metadata.is_dir() {
        header.set_entry_type(EntryType::Directory);
        header.set_mode(0o755);
        // Its name ends with a slash.
        archive.append_data(&mut header, name.join(""), &[][..])?;
        let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
        let mut paths = entries.collect::<Result<Vec<PathBuf>>>()?;
        paths.sort();
        return paths.iter().try_for_each(|path| append(archive, top, path, time));
    }
    let content = fs::read(path)?;
    header.set_mode(if is_program(&metadata) { 0o755 } else { 0o644 });
    header.set_size(content.len().try_into()?);
    Ok(archive.append_data(&mut header, name, &*content)?)
}

#[cfg(unix)]
fn is_program(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

/// Windows knows programs by their names, and what is packed there is for Windows.
#[cfg(not(unix))]
fn is_program(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::tar_gz;
    use crate::shell::{command, empty, scratch, stdout, symlink};

    #[test]
    fn an_archive_depends_on_names_and_contents_only() {
        let place = scratch().join("archive-test");
        empty(&place).unwrap();
        let make = |names: [&str; 2], age: u64| {
            let folder = place.join("top");
            empty(&folder).unwrap();
            for name in names {
                fs::write(folder.join(name), "content").unwrap();
                let time = SystemTime::now() - Duration::from_secs(age);
                fs::File::open(folder.join(name)).unwrap().set_modified(time).unwrap();
            }
            symlink("a", &folder.join("link")).unwrap();
            tar_gz(&folder, &place.join("top.tar.gz")).unwrap();
            fs::read(place.join("top.tar.gz")).unwrap()
        };
        assert_eq!(make(["a", "b"], 0), make(["b", "a"], 1000));
        let mut list = command("tar");
        list.arg("-tzf").arg(place.join("top.tar.gz"));
        assert_eq!(stdout(&mut list).unwrap(), "top/\ntop/a\ntop/b\ntop/link\n");
    }
}
