//! The public names of the two crates.

use std::collections::BTreeSet;

/// The names in the `pub use` statements of a source file whose path begins with a prefix.
fn exported<'a>(source: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let statements = source.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let list = |path: &'a str| path.rsplit("::").next().unwrap().trim_matches(['{', '}']);
    statements
        .filter(|path| path.starts_with(prefix))
        .flat_map(|path| list(path).split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn this_crate_exports_what_the_core_exports_and_nothing_of_its_ffi() {
    let core = exported(include_str!("../../core/src/lib.rs"), "");
    let ours = exported(include_str!("../src/lib.rs"), "backoff_core");
    assert_eq!(ours, core);

    let plumbing = exported(include_str!("../../core/src/ffi/mod.rs"), "");
    // A field is also part of an error.
    let shared: Vec<_> = core.intersection(&plumbing).collect();
    assert_eq!(shared, [&"Field"]);
    assert!(plumbing.len() > 5, "{plumbing:?}");
}
