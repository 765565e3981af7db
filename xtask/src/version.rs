//! `cargo xtask version`: the one version of all packages, and every file that has it.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use semver::Version;

use crate::shell::{cargo, command, progress, root, show, stdout};

/// A place of the version in a file: the text before it, and what is written there.
type Place = (&'static str, &'static str, fn(&Version) -> String);

/// The places beside the lock files of cargo and the changelog. The first is the truth.
const PLACES: [Place; 26] = [
    ("Cargo.toml", "[workspace.package]\nversion = \"", whole),
    ("Cargo.toml", "\nbackoff-core = { path = \"core\", version = \"", whole),
    ("Cargo.toml", "\nbackoff-export = { path = \"tools/export\", version = \"", whole),
    ("Cargo.toml", "\nbackoff-retry = { path = \"bindings-rust\", version = \"", whole),
    ("Cargo.toml", "\nbackoff-sim = { path = \"tools/simulator\", version = \"", whole),
    ("bindings-wasm/package.json", "\n\t\"version\": \"", whole),
    ("bindings-wasm/package-lock.json", "\n\t\"version\": \"", whole),
    ("bindings-wasm/package-lock.json", "\"name\": \"backoff-wasm\", \"version\": \"", whole),
    ("bindings-c/src/version.rs", "BACKOFF_VERSION_MAJOR: u32 = ", |version| {
        version.major.to_string()
    }),
    ("bindings-c/src/version.rs", "BACKOFF_VERSION_MINOR: u32 = ", |version| {
        version.minor.to_string()
    }),
    ("bindings-c/src/version.rs", "BACKOFF_VERSION_PATCH: u32 = ", |version| {
        version.patch.to_string()
    }),
    ("bindings-c/src/version.rs", "BACKOFF_VERSION: u32 = ", number),
    ("include/backoff.h", "BACKOFF_VERSION_MAJOR UINT32_C(", |version| version.major.to_string()),
    ("include/backoff.h", "BACKOFF_VERSION_MINOR UINT32_C(", |version| version.minor.to_string()),
    ("include/backoff.h", "BACKOFF_VERSION_PATCH UINT32_C(", |version| version.patch.to_string()),
    ("include/backoff.h", "BACKOFF_VERSION UINT32_C(", number),
    ("bindings-go/adapters/asynq/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/avast/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/aws/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/clientgo/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/failsafe/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/postgres/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/redis/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/retryablehttp/go.mod", GO_MODULE, whole),
    ("bindings-go/adapters/river/go.mod", GO_MODULE, whole),
    ("bindings-go/internal/checks/go.mod", GO_MODULE, whole),
];

/// What an adapter of Go requires.
const GO_MODULE: &str = "github.com/backoff-rs/backoff/bindings-go v";

/// In these, every package of this project has the version.
const LOCKS: [&str; 4] = [
    "Cargo.lock",
    "bench/rust/Cargo.lock",
    "bindings-rust/adapters/tests/tls/Cargo.lock",
    "core/fuzz/Cargo.lock",
];

const CHANGELOG: &str = "CHANGELOG.md";
/// The end of the changelog's heading until the release.
const UNRELEASED: &str = " (unreleased)";

fn whole(version: &Version) -> String {
    version.to_string()
}

/// The version as a number of C.
fn number(version: &Version) -> String {
    (version.major * 1_000_000 + version.minor * 1_000 + version.patch).to_string()
}

/// Prints the version, and fails if a file has another one.
pub(crate) fn print() -> Result<()> {
    check()?;
    println!("{}", present()?);
    Ok(())
}

/// Changes the version everywhere, also in what is generated.
pub(crate) fn change(to: &str) -> Result<()> {
    let (to, from) = (next(to, &present()?)?, present()?);
    check()?;
    for (file, before, value) in PLACES {
        let text = read(file)?;
        let (start, end) = place(file, before, &text)?;
        let changed = [&text[..start], &value(&to), &text[end..]].concat();
        fs::write(root().join(file), changed).context(file)?;
    }
    for file in LOCKS {
        fs::write(root().join(file), locked(&read(file)?, &from, &to)).context(file)?;
    }
    fs::write(root().join(CHANGELOG), logged(&read(CHANGELOG)?, &to)?).context(CHANGELOG)?;
    check()?;
    // In a new process, because the version is compiled into this one.
    show(cargo().args(["run", "--quiet", "--package", "xtask", "--", "generate"]))?;
    progress(&format!("{from} is now {to}; next: describe it in {CHANGELOG}"));
    Ok(())
}

/// Fails if a file has another version than `Cargo.toml`.
pub(crate) fn check() -> Result<()> {
    let version = present()?;
    for (file, before, value) in PLACES {
        let text = read(file)?;
        let (start, end) = place(file, before, &text)?;
        let (found, expected) = (&text[start..end], value(&version));
        ensure!(found == expected, "{file} has {found} after {before:?}, not {expected}");
    }
    for file in LOCKS {
        let text = read(file)?;
        for package in packages(&text).filter(|package| is_ours(package)) {
            ensure!(package.contains(&line(&version)), "{file}, not {version}:\n{package}");
        }
    }
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
    let changed = stdout(command("git").args(["status", "--porcelain"]))?;
    ensure!(changed.is_empty(), "changes that are not committed:\n{changed}");
    Ok(())
}

/// The version in the root manifest.
pub(crate) fn present() -> Result<Version> {
    let [(file, before, _), ..] = PLACES;
    let text = read(file)?;
    let (start, end) = place(file, before, &text)?;
    parse(&text[start..end])
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(root().join(file)).with_context(|| file.to_owned())
}

/// Where the version is in a file: behind the first of these texts, up to what cannot be in it.
fn place(file: &str, before: &str, text: &str) -> Result<(usize, usize)> {
    let start = text.find(before).with_context(|| format!("no {before:?} in {file}"))?;
    let start = start + before.len();
    let end = text[start..].find(['"', ';', ')', '\n']).context("an end")?;
    Ok((start, start + end))
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
    if next <= *present {
        bail!("{next} is not above the present version {present}");
    }
    Ok(next)
}

/// The packages in a lock file of cargo.
fn packages(lock: &str) -> impl Iterator<Item = &str> {
    lock.split_inclusive("\n\n").filter(|package| package.starts_with("[[package]]"))
}

/// Whether a package of a lock file has the version of this project. The fuzzers and the benchmarks
/// are not published.
fn is_ours(package: &str) -> bool {
    let is = |name| package.contains(&format!("\nname = \"{name}\""));
    let has_none = ["backoff-fuzz", "bench-rust", "tls-for-tests"];
    !package.contains("\nsource = ") && !has_none.into_iter().any(is)
}

fn line(version: &Version) -> String {
    format!("\nversion = \"{version}\"\n")
}

/// A lock file after a change of the version.
fn locked(lock: &str, from: &Version, to: &Version) -> String {
    let mut lock = lock.to_owned();
    for package in packages(&lock.clone()).filter(|package| is_ours(package)) {
        lock = lock.replace(package, &package.replace(&line(from), &line(to)));
    }
    lock
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

    use super::{locked, logged, next};

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
    fn only_our_packages_in_a_lock_file_change() {
        let ours = "[[package]]\nname = \"backoff-core\"\nversion = \"1.2.3\"\n\n";
        let fuzz = "[[package]]\nname = \"backoff-fuzz\"\nversion = \"1.2.3\"\n\n";
        let other = "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\nsource = \"registry\"\n";
        let lock = format!("version = 4\n\n{ours}{fuzz}{other}");
        let expected = lock.replacen("1.2.3", "1.3.0", 1);
        assert_eq!(locked(&lock, &Version::new(1, 2, 3), &Version::new(1, 3, 0)), expected);
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
