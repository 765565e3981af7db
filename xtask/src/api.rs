//! The public interface of the crates, one line for each item: a change of it shows in a diff.

use std::path::PathBuf;

use anyhow::{Context, Result};
use public_api::Builder;

use crate::shell::{cargo, run, scratch};

/// The crates that programs depend on.
const CRATES: [&str; 4] = ["backoff-adapters", "backoff-core", "backoff-export", "backoff-retry"];

/// The files with the interfaces.
pub(crate) fn listings() -> Result<Vec<(PathBuf, String)>> {
    CRATES.iter().map(|name| Ok((format!("docs/api/{name}.txt").into(), listing(name)?))).collect()
}

fn listing(name: &str) -> Result<String> {
    let folder = scratch().join("api");
    // A stable toolchain writes the unstable JSON format only with RUSTC_BOOTSTRAP.
    run(cargo()
        .args(["rustdoc", "--locked", "--lib", "--all-features", "--package", name])
        .args(["--target-dir".as_ref(), folder.as_os_str()])
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .env("RUSTC_BOOTSTRAP", "1"))?;
    let json = folder.join("doc").join(name.replace('-', "_")).with_added_extension("json");
    let api = Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .include_function_parameter_names(true)
        .build()
        .with_context(|| json.display().to_string())?;
    let items: Vec<String> = api.items().map(ToString::to_string).collect();
    Ok(items.join("\n") + "\n")
}
