//! libbackoff: building it, and `cargo xtask install`.

mod linked;
mod platform;
mod template;
mod tree;

use crate::shell::*;

pub(crate) use linked::functions;
pub(crate) use platform::Platform;
pub(crate) use tree::Built;

pub(crate) fn build(platform: &Platform) -> Result<Built> {
    progress(&format!("building libbackoff for {}", platform.name()));
    let folder = folder(platform);
    if platform.is_linux() {
        // A static library needs no linker for the target, so cargo alone can build it.
        let mut cargo =
            cargo("rustc --locked --release --package bindings-c --crate-type staticlib");
        if !platform.is_host() {
            add_target(platform.triple())?;
            cargo = cargo.arg("--target").arg(platform.triple());
        }
        cargo.run()?;
        return linked::libraries(&folder.join("libbackoff.a"), platform);
    }
    platform.cargo_build()?.words("--locked --release --package bindings-c").run()?;
    let built = Built {
        platform: platform.clone(),
        shared_library: folder.join(platform.shared_names().pop().context("a name")?),
        static_library: folder.join("libbackoff.a"),
        import_library: platform.import_library().map(|name| folder.join(name)),
    };
    for path in [&built.shared_library, &built.static_library] {
        ensure!(path.exists(), "cargo made no {}", path.display());
    }
    if platform.is_windows() {
        // Our own members name folders of this machine. Others are short imports, which are no objects.
        let archive = &built.static_library;
        let members = platform.ar()?.arg("t").arg(archive).stdout()?;
        let ours: Vec<&str> = members.lines().filter(|name| name.starts_with("backoff.")).collect();
        ensure!(!ours.is_empty(), "no member is ours:\n{members}");
        let place = scratch().join("libbackoff").join(platform.name());
        empty(&place)?;
        platform.ar()?.arg("x").arg(archive).args(&ours).within(&place).run()?;
        for name in &ours {
            platform.objcopy()?.arg("--strip-debug").arg(name).within(&place).run()?;
        }
        platform.ar()?.arg("r").arg(archive).args(&ours).within(&place).run()?;
    }
    Ok(built)
}

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
