//! The workflows of GitHub.

use std::fs;

use anyhow::{Context, ensure};

use crate::report::{Extent, Report};
use crate::shell::{command, root, run};

const FOLDER: &str = ".github/workflows";
const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// Lints the workflows.
pub(crate) fn test(report: &mut Report) {
    if report.extent() == Extent::All {
        report.check("actionlint", || {
            // Not with the shellcheck of this machine, if it has one.
            run(command("go").args(["run", ACTIONLINT, "-shellcheck=", "-pyflakes="]))
        });
    }
    report.check("the workflows run actions by their commits, not by names that can move", || {
        for entry in fs::read_dir(root().join(FOLDER))? {
            let path = entry?.path();
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            for line in text.lines().filter(|line| line.contains("uses:")) {
                ensure!(is_pinned(line), "{}: {line}", path.display());
            }
        }
        Ok(())
    });
}

/// Whether a line is like `uses: actions/checkout@3d3c..  # v7.0.1`, with a whole hash.
fn is_pinned(line: &str) -> bool {
    let Some((_, action)) = line.split_once("uses: ") else { return false };
    let Some((name, version)) = action.split_once(" # v") else { return false };
    let hash = name.split_once('@').map_or("", |(_, hash)| hash);
    let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && version.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_pinned;

    #[test]
    fn an_action_is_pinned_by_a_whole_hash_with_its_version() {
        let hash = "3d3c42e5aac5ba805825da76410c181273ba90b1";
        assert!(is_pinned(&format!("  - uses: actions/checkout@{hash} # v7.0.1")));
        for line in ["uses: actions/checkout@v7", "uses: actions/checkout@3d3c42e # v7.0.1"] {
            assert!(!is_pinned(line), "{line}");
        }
        assert!(!is_pinned(&format!("uses: actions/checkout@{hash}")), "no version");
    }
}
