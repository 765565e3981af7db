//! The crates whose code a binary contains, by cargo's own account.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};

use crate::shell::{cargo, stdout};

/// A crate, and the crates that its code calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linked {
    /// As in the manifest: `MIT OR Apache-2.0`.
    pub(crate) license: String,
    pub(crate) dependencies: BTreeSet<Crate>,
}

/// A name and a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// What is linked into a crate of this project for a target, the crate itself included.
pub(crate) fn linked(package: &str, target: &str) -> Result<BTreeMap<Crate, Linked>> {
    let tree =
        stdout(cargo().args(["tree", "--locked", "--package", package, "--target", target]).args(
            ["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "|{p}|{l}"],
        ))?;
    parse(&tree)
}

/// Reads lines `DEPTH|NAME vVERSION (PATH)|LICENSE`, perhaps with ` (*)` where the dependencies were
/// listed before.
fn parse(tree: &str) -> Result<BTreeMap<Crate, Linked>> {
    let mut crates = BTreeMap::<Crate, Linked>::new();
    let mut path: Vec<Crate> = Vec::new();
    for line in tree.lines() {
        let mut parts = line.split('|');
        let mut part = || parts.next().with_context(|| format!("cargo tree printed {line:?}"));
        let (depth, name, license) = (part()?.parse::<usize>()?, part()?, part()?);
        let (name, version) = name.split_once(" v").context("a version")?;
        let version = version.split(' ').next().unwrap_or(version);
        let this = Crate { name: name.to_owned(), version: version.to_owned() };
        ensure!(depth <= path.len(), "cargo tree skipped a depth: {line:?}");
        path.truncate(depth);
        if let Some(parent) = path.last() {
            crates.entry(parent.clone()).or_default().dependencies.insert(this.clone());
        }
        license
            .trim_end_matches(" (*)")
            .clone_into(&mut crates.entry(this.clone()).or_default().license);
        path.push(this);
    }
    ensure!(!crates.is_empty(), "cargo tree printed nothing");
    Ok(crates)
}

#[cfg(test)]
mod tests {
    use super::{Crate, parse};

    #[test]
    fn dependencies_are_those_of_the_line_above_with_less_depth() {
        let tree = "0|top v0.1.0 (/top)|MIT\n1|a v1.0.0|Zlib\n2|b v2.0.0|MIT\n1|b v2.0.0|MIT (*)\n";
        let crates = parse(tree).unwrap();
        let depends_on = |name: &str| {
            let (_, linked) = crates.iter().find(|(this, _)| this.name == name).unwrap();
            linked.dependencies.iter().map(|Crate { name, .. }| &**name).collect::<Vec<_>>()
        };
        assert_eq!(depends_on("top"), ["a", "b"]);
        assert_eq!(depends_on("a"), ["b"]);
        assert!(depends_on("b").is_empty());
        let licenses: Vec<_> = crates.values().map(|linked| &*linked.license).collect();
        assert_eq!(licenses, ["Zlib", "MIT", "MIT"]);
        assert!(parse("1|a v1.0.0|MIT\n").is_err());
    }
}
