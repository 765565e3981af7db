//! libbackoff: building it, and `cargo xtask install`.

mod linked;
mod platform;
mod tree;

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::shell::{add_target, cargo, progress, run, target};

pub(crate) use platform::Platform;
pub(crate) use tree::Built;

/// Builds libbackoff.
pub(crate) fn build(platform: &Platform) -> Result<Built> {
    progress(&format!("building libbackoff for {}", platform.name()));
    if platform.is_linux() {
        // A static library needs no linker for the target, so cargo alone can build it.
        let mut cargo = cargo();
        cargo.args(["rustc", "--locked", "--release", "--package", "bindings-c"]);
        cargo.args(["--crate-type", "staticlib"]);
        if !platform.is_host() {
            add_target(platform.triple())?;
            cargo.args(["--target", platform.triple()]);
        }
        run(&mut cargo)?;
        return linked::libraries(&folder(platform).join("libbackoff.a"), platform);
    }
    run(platform.cargo_build()?.args(["--locked", "--release", "--package", "bindings-c"]))?;
    let folder = folder(platform);
    let built = Built {
        platform: platform.clone(),
        shared_library: folder.join(platform.shared_library()),
        static_library: folder.join("libbackoff.a"),
        import_library: platform.import_library().map(|name| folder.join(name)),
    };
    for path in [&built.shared_library, &built.static_library] {
        ensure!(path.exists(), "cargo made no {}", path.display());
    }
    if platform.is_windows() {
        // It names folders of this machine.
        run(platform.objcopy()?.arg("--strip-debug").arg(&built.static_library))?;
    }
    Ok(built)
}

/// Where cargo puts the libraries.
fn folder(platform: &Platform) -> PathBuf {
    let target = target();
    if platform.is_host() { target } else { target.join(platform.triple()) }.join("release")
}

/// Builds the library and installs it under the prefix. For packagers the environment variable
/// DESTDIR names a folder in front of the prefix.
pub(crate) fn install(prefix: &str, platform: &Platform) -> Result<()> {
    let prefix = std::path::absolute(prefix)?;
    let destination = match std::env::var_os("DESTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix,
    };
    let built = build(platform)?;
    progress(&format!("installing libbackoff into {}", destination.display()));
    built.put(&destination)
}
