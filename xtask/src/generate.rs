//! `cargo xtask generate`: the files that are generated and committed: the vectors, the header, the
//! interfaces of the crates, the statements of stores, the licenses in the packages, the pictures and
//! the tables of `docs/`.

use std::collections::BTreeMap;

use crate::languages::go;
use crate::shell::{write as write_file, *};
use crate::{api, fields, licenses, program};
use header::Header;

const VECTORS: &str = "tests/vectors";

pub(crate) fn write() -> Result<()> {
    // The header is made of these, and the core of Go of both.
    for (path, content) in fields::files()?.into_iter().chain(Header::read()?.files()?) {
        write_file(path, content)?;
    }
    let contents = contents(true)?;
    for path in stale(&contents)? {
        progress(&format!("writing {}", path.display()));
        match contents.get(&path) {
            Some(content) => write_file(path, content)?,
            None => fs::remove_file(root().join(path))?,
        }
    }
    Ok(())
}

/// Fails if a generated file is not what would be written.
pub(crate) fn check(is_all: bool) -> Result<()> {
    let stale = stale(&contents(is_all)?)?;
    if stale.is_empty() {
        return Ok(());
    }
    let stale: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
    bail!("stale generated files:\n  {}\nto update: cargo xtask generate", stale.join("\n  "))
}

/// The files that differ from their contents, and vectors that nothing writes any more.
fn stale(contents: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>> {
    let changed =
        contents.iter().filter(|(path, content)| read(path).ok().as_ref() != Some(content));
    let mut stale: Vec<PathBuf> = changed.map(|(path, _)| path.clone()).collect();
    for path in entries(&root().join(VECTORS))? {
        let path = path.strip_prefix(root())?;
        stale.extend((!contents.contains_key(path)).then(|| path.to_owned()));
    }
    Ok(stale)
}

/// Every generated file and its content; the usual ones without those that take long.
fn contents(is_all: bool) -> Result<BTreeMap<PathBuf, String>> {
    let vectors = written_by("tests/write_vectors.py")?.into_iter();
    let mut files: BTreeMap<PathBuf, String> =
        vectors.map(|(name, content)| (Path::new(VECTORS).join(name), content)).collect();
    for script in ["bench/pages.py", "stores/generate.py", "docs/compatibility.py write"] {
        files.extend(written_by(script)?);
    }
    files.extend(fields::files()?);
    let header = Header::read()?;
    files.extend(header.files()?);
    files.extend(go::engine::files(&header)?);
    files.extend(api::listings(is_all)?);
    files.extend(licenses::pages()?);
    for chart in ["calls", "time"] {
        files.insert(format!("docs/occ-{chart}.svg").into(), picture(chart)?);
    }
    files.extend(pictures_of("docs/choosing.md")?);
    Ok(files)
}

fn written_by(script: &str) -> Result<BTreeMap<PathBuf, String>> {
    let folder = scratch().join("generated").join(script.replace(['/', ' '], "-"));
    empty(&folder)?;
    python3(script).arg(&folder).run()?;
    let files = files_below(&folder)?.into_iter();
    files.map(|path| Ok((path.strip_prefix(&folder)?.to_owned(), read(&path)?))).collect()
}

/// A picture of the AWS article: competing clients under four kinds of jitter.
fn picture(chart: &str) -> Result<String> {
    let path = scratch().join(format!("occ-{chart}.svg"));
    let simulate = "simulate occ --quiet --seed 1 --runs 100 --clients 10-190:10 --chart";
    program_at(program::binary()?).words(simulate).args([chart, "--svg"]).arg(&path).run()?;
    read(path)
}

/// The pictures that commands of a page write, beside the page.
fn pictures_of(page: &str) -> Result<BTreeMap<PathBuf, String>> {
    let binary = program::binary()?;
    let folder = scratch().join("generated").join(page.replace('/', "-"));
    empty(&folder)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = binary.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path)?;
    let mut pictures = BTreeMap::new();
    for command in read(root().join(page))?.lines() {
        let Some((_, name)) = command.split_once(" --svg ") else { continue };
        let name = name.split(' ').next().unwrap_or(name);
        program("bash -euc").arg(command).within(&folder).env("PATH", &path).stdout()?;
        pictures.insert(Path::new(page).with_file_name(name), read(folder.join(name))?);
    }
    Ok(pictures)
}
