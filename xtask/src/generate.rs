//! `cargo xtask generate`: the files that are generated and committed: the vectors, the header, the
//! interfaces of the crates, the statements of stores, the licenses in the packages, the pictures and
//! the tables of `docs/`.

use std::collections::BTreeMap;

use crate::languages::go;
use crate::shell::{write as write_file, *};
use crate::{api, fields, licenses, program};

const VECTORS: &str = "tests/vectors";

pub(crate) fn write() -> Result<()> {
    // The header and the core of Go are made of these.
    for (path, content) in fields::files()? {
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
    let header = header()?;
    files.extend(go::engine::files(&header)?);
    files.insert("include/backoff.h".into(), header);
    files.extend(api::listings(is_all)?);
    files.extend(licenses::pages()?);
    for chart in ["calls", "time"] {
        files.insert(format!("docs/occ-{chart}.svg").into(), picture(chart)?);
    }
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

/// The C header, from the documentation of the C ABI crate.
fn header() -> Result<String> {
    let config = cbindgen::Config::from_file(root().join("bindings-c/cbindgen.toml"))
        .map_err(anyhow::Error::msg)?;
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_crate(root().join("bindings-c"))
        .generate()
        .context("the header")?
        .write(&mut header);
    // Clippy wants the heading `Safety`; in C every function has such a contract. cbindgen knows no other headings.
    let header = String::from_utf8(header)?.replace("// # Safety\n", "").replace(
        "// # For bindings of other languages\n",
        "/* For bindings of other languages. A program needs none of these. */\n\n",
    );
    Ok(header.lines().map(|line| typed_macro(line) + "\n").collect())
}

/// A line of the header. A macro that is a number gets the type of its constant in Rust, which
/// cbindgen drops: it writes `5` for a `u32` and `5ull` for a `u64`, but `uint64_t` is often
/// `unsigned long`.
fn typed_macro(line: &str) -> String {
    let number = |line: &str| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        let (digits, bits) = value.strip_suffix("ull").map_or((value, 32), |digits| (digits, 64));
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| format!("#define {name} UINT{bits}_C({digits})"))
    };
    number(line).unwrap_or_else(|| line.to_owned())
}
