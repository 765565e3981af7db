//! The licenses of the other projects whose code a package contains, and what else it contains
//! (`tests/release/contents.py`).

use std::ffi::OsStr;

use crate::languages::go::engine;
use crate::shell::*;

/// The file in a package.
pub(crate) const FILE: &str = "LICENSES-OF-CRATES";

const NATIVE: &str = "x86_64-unknown-linux-gnu aarch64-unknown-linux-musl x86_64-pc-windows-gnu aarch64-apple-darwin";

/// The packages whose file is committed: their folder, the crate, and its targets.
const PACKAGES: [(&str, &str, &str); 4] = [
    ("bindings-c", "bindings-c", NATIVE),
    ("bindings-go", "bindings-c", WASM),
    ("bindings-python", "bindings-python", NATIVE),
    ("bindings-wasm", "bindings-wasm", WASM),
];

pub(crate) fn pages() -> Result<Vec<(PathBuf, String)>> {
    let page_of = |(folder, package, targets): (&str, &str, &str)| {
        let mut licenses = contents("licenses", [package]).words(targets);
        if folder == "bindings-go" {
            // It writes functions of its own into what it translates.
            let wasm2go = serde_json::json!({ "wasm2go": engine::license()? });
            licenses = licenses.env("BACKOFF_MORE_LICENSES", wasm2go.to_string());
        }
        Ok((Path::new(folder).join(FILE), licenses.stdout()?))
    };
    PACKAGES.into_iter().map(page_of).collect()
}

/// The program that knows what packages contain.
pub(crate) fn contents(
    verb: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Program {
    python3("tests/release/contents.py").arg(verb).args(arguments)
}
