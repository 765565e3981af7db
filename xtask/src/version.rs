//! `cargo xtask version`: the one version of all packages, and every file that has it.

use semver::Version;

use crate::shell::*;

type Form = fn(&Version) -> String;

/// Where files have the version: the text before it, and how it is written there. The rest is generated from these.
const PLACES: [(&str, &str, Form); 11] = [
    ("Cargo.toml", "\nversion = \"", whole),
    ("Cargo.toml", "\", version = \"", whole),
    ("bench/rust/Cargo.toml", "backoff-core = \"", whole),
    ("bench/rust/Cargo.toml", "backoff-retry = { version = \"", whole),
    ("bindings-wasm/package.json", "\n\t\"version\": \"", whole),
    ("bindings-wasm/package-lock.json", "\n\t\"version\": \"", whole),
    ("bindings-wasm/package-lock.json", "\"backoff-wasm\", \"version\": \"", whole),
    (VERSION_OF_C, "VERSION_MAJOR: u32 = ", |version| version.major.to_string()),
    (VERSION_OF_C, "VERSION_MINOR: u32 = ", |version| version.minor.to_string()),
    (VERSION_OF_C, "VERSION_PATCH: u32 = ", |version| version.patch.to_string()),
    (VERSION_OF_C, "VERSION: u32 = ", |version| {
        (version.major * 1_000_000 + version.minor * 1_000 + version.patch).to_string()
    }),
];

const VERSION_OF_C: &str = "bindings-c/src/version.rs";

const GO_MODULE: &str = "github.com/backoff-rs/backoff/bindings-go v";

/// The workspaces of cargo, whose lock files have the version of every package of this project.
const WORKSPACES: [&str; 8] = [
    ".",
    "bench/rust",
    "bindings-rust/adapters/tests/oldest/reqwest",
    "bindings-rust/adapters/tests/oldest/stores",
    "bindings-rust/adapters/tests/oldest/tower",
    "bindings-rust/adapters/tests/tls",
    "bindings-rust/models",
    "core/fuzz",
];

const CHANGELOG: &str = "CHANGELOG.md";
/// The end of the changelog's heading until the release.
const UNRELEASED: &str = " (unreleased)";

fn whole(version: &Version) -> String {
    version.to_string()
}

fn places() -> Result<Vec<(PathBuf, &'static str, Form)>> {
    let modules = entries(&root().join("bindings-go/adapters"))?.into_iter();
    let modules = modules.chain([root().join("bindings-go/internal/checks")]);
    let modules = modules.map(|folder| (folder.join("go.mod"), GO_MODULE, whole as Form));
    Ok(PLACES
        .map(|(file, before, form)| (file.into(), before, form))
        .into_iter()
        .chain(modules)
        .collect())
}

/// The present version, which cargo takes from the root manifest.
pub(crate) fn present() -> Result<Version> {
    parse(env!("CARGO_PKG_VERSION"))
}

pub(crate) fn print() -> Result<()> {
    check()?;
    println!("{}", present()?);
    Ok(())
}

/// Changes the version everywhere, also in what is generated.
pub(crate) fn change(to: &str) -> Result<()> {
    let from = present()?;
    let to = next(to, &from)?;
    check()?;
    for (file, before, form) in places()? {
        let [old, new] = [&from, &to].map(|version| before.to_owned() + &form(version));
        write(&file, read(&file)?.replace(&old, &new))?;
    }
    update_locks("")?;
    write(CHANGELOG, logged(&read(CHANGELOG)?, &to)?)?;
    // In a new process, because the version is compiled into this one.
    cargo("run --quiet --package xtask -- generate").show()?;
    cargo("run --quiet --package xtask -- version").show()?;
    progress(&format!("{from} is now {to}; next: describe it in {CHANGELOG}"));
    Ok(())
}

/// Fails if a file has another version than `Cargo.toml`.
pub(crate) fn check() -> Result<()> {
    let version = present()?;
    for (file, before, form) in places()? {
        let (text, expected) = (read(&file)?, form(&version));
        let found = text.split(before).skip(1).map(|rest| rest.split(['"', ';', '\n']).next());
        let found: Vec<&str> = found.flatten().collect();
        let is_right = !found.is_empty() && found.iter().all(|found| *found == expected);
        ensure!(is_right, "{} has {found:?} after {before:?}, not {expected}", file.display());
    }
    update_locks("--locked")?;
    let heading = heading(&read(CHANGELOG)?)?.to_owned();
    let of_heading = heading.split(' ').next().unwrap_or_default();
    ensure!(of_heading == version.to_string(), "{CHANGELOG} begins with {heading}, not {version}");
    Ok(())
}

/// Fails unless the files are ready to be published as this tag of Git.
pub(crate) fn check_tag(tag: &str) -> Result<()> {
    check()?;
    let version = present()?;
    ensure!(tag == format!("v{version}"), "the tag is {tag}, the version {version}");
    let heading = heading(&read(CHANGELOG)?)?.to_owned();
    ensure!(!heading.ends_with(UNRELEASED), "{CHANGELOG}: write the date instead of{UNRELEASED}");
    let changed = program("git status --porcelain").stdout()?;
    ensure!(changed.is_empty(), "changes that are not committed:\n{changed}");
    Ok(())
}

/// A version that every registry takes.
fn parse(text: &str) -> Result<Version> {
    let version = Version::parse(text)
        .with_context(|| format!("{text:?} is no version such as 1.2.3 or 1.2.3-rc.1"))?;
    ensure!(version.build.is_empty(), "{text}: registries refuse what is after the plus");
    let parts = [version.major, version.minor, version.patch];
    ensure!(parts.iter().all(|part| *part < 1000), "{text}: a part is above 999");
    Ok(version)
}

fn next(text: &str, present: &Version) -> Result<Version> {
    let next = parse(text)?;
    ensure!(next > *present, "{next} is not above the present version {present}");
    Ok(next)
}

/// Writes the versions of our packages into the lock files. With `--locked` it fails if they have others.
fn update_locks(option: &str) -> Result<()> {
    let update =
        |folder| cargo("update --quiet --workspace").words(option).within(root().join(folder));
    WORKSPACES.iter().try_for_each(|folder| update(folder).run())
}

/// The first heading of the changelog that begins with a digit.
fn heading(changelog: &str) -> Result<&str> {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let is_version = |heading: &&str| heading.starts_with(|first: char| first.is_ascii_digit());
    headings.into_iter().find(is_version).context("the changelog has no version")
}

/// The changelog with a heading for a version, which replaces that of a version that is not
/// released.
fn logged(changelog: &str, to: &Version) -> Result<String> {
    let old = heading(changelog)?;
    let new = format!("## {to}{UNRELEASED}");
    let below = if old.ends_with(UNRELEASED) { String::new() } else { format!("\n\n## {old}") };
    Ok(changelog.replacen(&format!("## {old}"), &(new + &below), 1))
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::{logged, next};

    #[test]
    fn only_a_later_version_that_registries_take_is_next() {
        let present = Version::new(1, 2, 3);
        for text in ["1.2.4", "1.3.0-rc.1", "2.0.0"] {
            assert_eq!(next(text, &present).unwrap().to_string(), text);
        }
        for text in ["1.2.3", "1.2.3-rc.1", "1.2.2", "1.3", "v1.3.0", "1.3.0+7", "1.1000.0", ""] {
            assert!(next(text, &present).is_err(), "{text}");
        }
    }

    #[test]
    fn the_changelog_gets_one_heading_for_a_version() {
        let to = &Version::new(1, 3, 0);
        for (before, after) in [
            (
                "## Rules\n\n## 1.2.4 (unreleased)\n- a\n",
                "## Rules\n\n## 1.3.0 (unreleased)\n- a\n",
            ),
            ("## 1.2.3 (May)\n- a\n", "## 1.3.0 (unreleased)\n\n## 1.2.3 (May)\n- a\n"),
        ] {
            assert_eq!(logged(before, to).unwrap(), after);
        }
    }
}
