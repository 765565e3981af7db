//! The public interface of the crates, one line for each item, so that a change of it shows in a diff,
//! and their pages on docs.rs. Both need a switch that only the compiler of docs.rs has, so they are
//! made in a folder of their own: cargo compiles dependencies again when the switch changes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use public_api::Builder;

use crate::shell::{cargo, run, scratch};

/// The libraries.
pub(crate) const CRATES: [&str; 5] =
    ["backoff-adapters", "backoff-core", "backoff-export", "backoff-retry", "backoff-sim"];

/// Those whose interface is listed.
const LISTED: [&str; 4] = ["backoff-adapters", "backoff-core", "backoff-export", "backoff-retry"];

/// The files with the interfaces.
pub(crate) fn listings() -> Result<Vec<(PathBuf, String)>> {
    let folder = rustdoc("-Z unstable-options --output-format json")?;
    let listing = |name| Ok((format!("docs/api/{name}.txt").into(), listing(&folder, name)?));
    LISTED.into_iter().map(listing).collect()
}

fn listing(folder: &Path, name: &str) -> Result<String> {
    let json = folder.join(name.replace('-', "_")).with_added_extension("json");
    let api = Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .include_function_parameter_names(true)
        .build()
        .with_context(|| json.display().to_string())?;
    let items: Vec<String> = api.items().map(ToString::to_string).collect();
    Ok(items.join("\n") + "\n")
}

/// Fails if rustdoc warns, or if the pages do not say which features items need.
pub(crate) fn docs_rs() -> Result<()> {
    let folder = rustdoc("--cfg docsrs -D warnings")?;
    for item in ["backoff_core/struct.RngBackoff", "backoff_retry/struct.Retry"] {
        let page = fs::read_to_string(folder.join(item).with_added_extension("html"))?;
        ensure!(page.contains("Available on <strong>crate feature"), "{item} names no feature");
    }
    Ok(())
}

/// Runs rustdoc with these flags, and returns the folder of what it wrote.
fn rustdoc(flags: &str) -> Result<PathBuf> {
    let folder = scratch().join("rustdoc");
    run(cargo()
        .args(["doc", "--locked", "--no-deps", "--all-features", "--target-dir"])
        .arg(&folder)
        .args(CRATES.iter().flat_map(|name| ["--package", name]))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTDOCFLAGS", flags))?;
    Ok(folder.join("doc"))
}
