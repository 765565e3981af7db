//! What the version puts into names and templates: also for `bindings-c/build.rs`, which has this file as a module.

/// What the SONAME ends in: another number for each incompatible version. Before 1.0 a new minor version may be
/// incompatible.
pub(crate) fn so_version() -> String {
    match (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")) {
        ("0", minor) => format!("0.{minor}"),
        (major, _) => major.to_owned(),
    }
}

/// A template with the version, and what depends on the platform.
pub(crate) fn fill_in(template: &str, pointer_bytes: u32) -> String {
    template
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@SO_VERSION@", &so_version())
        .replace("@POINTER_BYTES@", &pointer_bytes.to_string())
}
