//! The public interface of the crates, one line for each item, so that a change of it shows in a diff,
//! and their pages on docs.rs. Both need a switch that only the tools of docs.rs have.

use public_api::Builder;

use crate::shell::*;

pub(crate) const CRATES: [&str; 5] =
    ["backoff-adapters", "backoff-core", "backoff-export", "backoff-retry", "backoff-sim"];

const LISTED: [&str; 4] = ["backoff-adapters", "backoff-core", "backoff-export", "backoff-retry"];

/// The crate that needs more libraries than all others together.
const LARGE: &str = "backoff-adapters";

/// Whether a crate is documented in the usual tests, or in all.
fn is_within(is_all: bool, name: &str) -> bool {
    is_all || name != LARGE
}

pub(crate) fn listings(is_all: bool) -> Result<Vec<(PathBuf, String)>> {
    let folder = rustdoc(is_all, "-Z unstable-options --output-format json")?;
    let listing = |name| Ok((format!("docs/api/{name}.txt").into(), listing(&folder, name)?));
    LISTED.into_iter().filter(|name| is_within(is_all, name)).map(listing).collect()
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
pub(crate) fn docs_rs(is_all: bool) -> Result<()> {
    let folder = rustdoc(is_all, "--cfg docsrs -D warnings")?;
    for item in ["backoff_core/struct.RngBackoff.html", "backoff_retry/struct.Retry.html"] {
        let page = read(folder.join(item))?;
        ensure!(page.contains("Available on <strong>crate feature"), "{item} names no feature");
    }
    Ok(())
}

/// The folder of the pages of all crates, as docs.rs has them, with a list of the crates.
pub(crate) fn pages() -> Result<PathBuf> {
    for name in CRATES {
        // rustdoc links to crates whose folders are there.
        fs::create_dir_all(target().join("doc").join(name.replace('-', "_")))?;
    }
    rustdoc(true, "--cfg docsrs -Z unstable-options --enable-index-page")
}

/// The crates that are documented, as options of cargo.
pub(crate) fn packages(is_all: bool) -> impl Iterator<Item = &'static str> {
    let crates = CRATES.into_iter().filter(move |name| is_within(is_all, name));
    crates.flat_map(|name| ["--package", name])
}

/// Runs rustdoc with these flags, and returns the folder of what it wrote.
fn rustdoc(is_all: bool, flags: &str) -> Result<PathBuf> {
    cargo("doc --locked --no-deps --all-features")
        .args(packages(is_all))
        .env("RUSTDOC", std::env::current_exe()?)
        .env(IS_RUSTDOC, "1")
        .env("RUSTDOCFLAGS", flags)
        .run()?;
    Ok(target().join("doc"))
}

/// Set where cargo calls this program as `rustdoc`.
const IS_RUSTDOC: &str = "BACKOFF_XTASK_IS_RUSTDOC";

/// The rustdoc with the switch of docs.rs, if cargo calls this program as `rustdoc`. If cargo itself had
/// the switch, it would compile all dependencies again.
pub(crate) fn rustdoc_of_docs_rs(words: &[&str]) -> Option<Result<()>> {
    std::env::var_os(IS_RUSTDOC)?;
    let rustdoc = program("rustdoc").args(words).env("RUSTC_BOOTSTRAP", "1");
    Some(std::env::current_dir().map_err(Into::into).and_then(|dir| rustdoc.within(dir).show()))
}
