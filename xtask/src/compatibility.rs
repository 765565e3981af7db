//! Where the packages ran: `docs/compatibility.json`, which `cargo xtask test --all` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::shell::{command, run, scratch};

/// A platform, a runtime or a tool with which tests passed on the published package.
#[derive(Serialize, Deserialize)]
pub(crate) struct Ran {
    /// As in the table: `Go`.
    language: String,
    /// What it is: `platforms`, `bundlers`.
    group: String,
    /// Its name, and perhaps how: `linux/s390x (qemu)`.
    name: String,
    /// Its version, or nothing if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    version: String,
}

impl Ran {
    pub(crate) fn new(language: &str, group: &str, name: &str, version: &str) -> Self {
        let [language, group, name, version] = [language, group, name, version].map(Into::into);
        Self { language, group, name, version }
    }
}

/// Replaces the lines of the table that ran.
pub(crate) fn save(ran: &[Ran]) -> Result<()> {
    let lines: Vec<_> = ran.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let file = scratch().join("ran.jsonl");
    fs::write(&file, lines.join("\n"))?;
    run(command("python3").args(["xtask/compatibility.py", "save"]).arg(file))
}

/// The lines of a file that tests wrote.
pub(crate) fn read(lines: &Path) -> Result<Vec<Ran>> {
    let text = fs::read_to_string(lines).context("no test ran")?;
    text.lines().map(|line| serde_json::from_str(line).context("a line")).collect()
}
