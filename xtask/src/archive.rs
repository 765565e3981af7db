//! Archives that are the same bytes wherever they are made.

use std::fs::File;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header, HeaderMode};

use crate::shell::*;

/// The time that files in archives have: that of the commit, unless `SOURCE_DATE_EPOCH` says
/// otherwise (<https://reproducible-builds.org/specs/source-date-epoch>).
pub(crate) fn epoch() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => program("git log -1 --format=%ct").stdout()?,
    };
    text.trim().parse().with_context(|| format!("SOURCE_DATE_EPOCH {text:?}"))
}

/// Writes a folder to a `.tar.gz`, in the order of the names, with the folder's own name on top.
pub(crate) fn tar_gz(folder: &Path, to: &Path) -> Result<()> {
    let file = File::create(to).with_context(|| to.display().to_string())?;
    let mut archive = Builder::new(GzBuilder::new().mtime(0).write(file, Compression::best()));
    let parent = folder.parent().context("a folder with a name")?;
    for path in files_below(folder)? {
        let (name, metadata) = (path.strip_prefix(parent)?, path.symlink_metadata()?);
        let mut header = Header::new_gnu();
        header.set_metadata_in_mode(&metadata, HeaderMode::Deterministic);
        header.set_mtime(epoch()?);
        if metadata.is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            header.set_size(0);
            archive.append_link(&mut header, name, fs::read_link(&path)?)?;
        } else {
            archive.append_data(&mut header, name, File::open(&path)?)?;
        }
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

#[cfg(test)]
#[test]
fn an_archive_depends_on_names_and_contents_only() {
    use std::time::{Duration, SystemTime};

    let place = scratch().join("archive-test");
    empty(&place).unwrap();
    let make = |names: [&str; 2], age: u64| {
        let folder = place.join("top");
        empty(&folder).unwrap();
        for name in names {
            write(folder.join(name), "content").unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            File::open(folder.join(name)).unwrap().set_modified(time).unwrap();
        }
        symlink("a", &folder.join("link")).unwrap();
        tar_gz(&folder, &place.join("top.tar.gz")).unwrap();
        fs::read(place.join("top.tar.gz")).unwrap()
    };
    assert_eq!(make(["a", "b"], 0), make(["b", "a"], 1000));
    let list = program("tar -tzf").arg(place.join("top.tar.gz")).stdout().unwrap();
    assert_eq!(list, "top/a\ntop/b\ntop/link\n");
}
