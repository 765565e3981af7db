//! `cargo xtask harden`: attacks that take hours, so the usual tests do not have them. A workflow runs them every
//! night; someone runs them before a release.

mod fleet;
mod miri;
mod models;
mod nightly;
mod races;
mod sanitizers;
mod valgrind;

use crate::report::Report;
use crate::shell::*;

/// How much a part does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Minutes, for a change.
    Quick,
    /// Hours, for a night or a release.
    Full,
}

type Part = (&'static str, fn(&mut Report, Scale));

const PARTS: &[Part] = &[
    ("miri", miri::run),
    ("sanitizers", sanitizers::run),
    ("valgrind", valgrind::run),
    ("races", races::run),
    ("models", models::run),
    ("fleet", fleet::run),
];

pub(crate) fn run(options: &[&str]) -> Result<()> {
    let (scale, wanted) = match options {
        ["--quick", wanted @ ..] => (Scale::Quick, wanted),
        wanted => (Scale::Full, wanted),
    };
    let is_wanted = |name: &str| wanted.is_empty() || wanted == [name];
    let mut parts = PARTS.iter().filter(|(name, _)| is_wanted(name)).peekable();
    ensure!(parts.peek().is_some(), "unknown part {}: cargo xtask help", wanted.join(" "));
    let mut report = Report::of(if scale == Scale::Quick { "harden --quick" } else { "harden" });
    parts.for_each(|(name, attack)| report.part(name, |report| attack(report, scale)));
    report.end()
}

#[cfg(test)]
mod tests {
    use super::PARTS;
    use crate::shell::*;

    #[test]
    fn the_help_and_the_workflow_name_every_part() {
        let workflow = read(".github/workflows/harden.yml").unwrap();
        let matrix = workflow.lines().find_map(|line| line.trim().strip_prefix("part: ")).unwrap();
        let nightly: Vec<_> = matrix.trim_matches(['[', ']']).split(", ").collect();
        for (name, _) in PARTS {
            assert!(crate::HELP.contains(&format!("`{name}`")), "{name}");
            assert!(nightly.contains(name), "{name}");
        }
    }
}
