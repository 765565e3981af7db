//! The files that are generated and committed: vectors, their C table, and the header.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::c_table;
use crate::shell::{command, empty, progress, root, run, scratch};

/// Writes every generated file.
pub(crate) fn write() -> Result<()> {
    for (path, content) in contents()? {
        let path = root().join(path);
        if fs::read_to_string(&path).ok().as_ref() != Some(&content) {
            progress(&format!("writing {}", path.display()));
            fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
            fs::write(&path, content)?;
        }
    }
    Ok(())
}

/// Fails if a generated file is not what would be written.
pub(crate) fn check() -> Result<()> {
    let stale: Vec<String> = contents()?
        .into_iter()
        .filter(|(path, content)| {
            fs::read_to_string(root().join(path)).ok().as_ref() != Some(content)
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!("stale generated files:\n  {}\nmend them with: cargo xtask generate", stale.join("\n  "))
}

/// Every generated file and what belongs in it.
fn contents() -> Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();

    let folder = scratch().join("vectors");
    empty(&folder)?;
    run(command("python3").arg("tests/write_vectors.py").arg(&folder))?;
    let mut layers = Vec::new();
    for name in c_table::LAYERS {
        let path = folder.join(name).with_extension("json");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        layers.push(serde_json::from_str(&text)?);
        files.insert(PathBuf::from("tests/vectors").join(format!("{name}.json")), text);
    }
    files.insert("bindings-c/tests/vectors.h".into(), c_table::write(&layers)?);
    files.insert("include/backoff.h".into(), header()?);
    Ok(files)
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
    // The contract of the caller is said in the text; the heading is rustdoc's.
    let header = String::from_utf8(header)?;
    Ok(header.replace("// # Safety\n", ""))
}
