//! Where the packages ran: `docs/compatibility.json`, which `cargo xtask test --all` writes, and the
//! table of `docs/compatibility.md` made from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::json;
use crate::page::with_part;
use crate::shell::root;

const RECORD: &str = "docs/compatibility.json";
const PAGE: &str = "docs/compatibility.md";

/// A platform, a runtime or a tool with which tests passed on the published package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Ran {
    /// As in the table: `Go`.
    pub(crate) language: String,
    /// What it is: `platforms`, `bundlers`.
    pub(crate) group: String,
    /// Its name, and perhaps how: `linux/s390x (qemu)`.
    pub(crate) name: String,
    /// Its version, or nothing if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) version: String,
}

impl Ran {
    pub(crate) fn new(language: &str, group: &str, name: &str, version: &str) -> Self {
        let [language, group, name, version] = [language, group, name, version].map(Into::into);
        Self { language, group, name, version }
    }
}

/// Replaces the lines of the table that ran.
pub(crate) fn save(ran: &[Ran]) -> Result<()> {
    let old: Vec<Ran> = load()?;
    let line = |row: &Ran| (row.language.clone(), row.group.clone());
    let is_old = |row: &&Ran| ran.iter().all(|new| line(new) != line(row));
    let mut rows: Vec<&Ran> = old.iter().filter(is_old).chain(ran).collect();
    rows.sort();
    rows.dedup();
    let text = json::list(&rows)? + "\n";
    fs::write(root().join(RECORD), text).context(RECORD)
}

/// The lines of a file that tests wrote.
pub(crate) fn read(lines: &Path) -> Result<Vec<Ran>> {
    let text = fs::read_to_string(lines).context("no test ran")?;
    text.lines().map(|line| serde_json::from_str(line).context("a line")).collect()
}

fn load() -> Result<Vec<Ran>> {
    let text = fs::read_to_string(root().join(RECORD)).context(RECORD)?;
    serde_json::from_str(&text).context(RECORD)
}

/// The page with the table of what ran.
pub(crate) fn page() -> Result<(PathBuf, String)> {
    let page = fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    Ok((PAGE.into(), with_part(&page, RECORD, &table(&load()?))?))
}

/// A line for each group of each language.
fn table(rows: &[Ran]) -> String {
    let mut groups = BTreeMap::<_, Vec<String>>::new();
    for Ran { language, group, name, version } in rows {
        let space = if version.is_empty() { "" } else { " " };
        groups.entry((language, group)).or_default().push(format!("{name}{space}{version}"));
    }
    let lines = groups.iter().map(|((language, group), names)| {
        format!("| {language} | {group} | {} |\n", names.join(", "))
    });
    format!("\n| language | | tested with |\n|---|---|---|\n{}\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Ran, table};

    #[test]
    fn the_table_has_a_line_for_each_group() {
        let rows = [
            Ran::new("Go", "platforms", "linux/386", ""),
            Ran::new("JavaScript", "bundlers", "esbuild", "0.28.2"),
            Ran::new("JavaScript", "bundlers", "rollup", "4"),
        ];
        assert_eq!(
            table(&rows),
            "\n| language | | tested with |\n|---|---|---|\n| Go | platforms | linux/386 |\n\
             | JavaScript | bundlers | esbuild 0.28.2, rollup 4 |\n\n"
        );
    }
}
