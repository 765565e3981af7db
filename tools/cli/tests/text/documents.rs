//! The examples of the help, as a user runs them. `cargo xtask test` runs those of the page.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::{BACKOFF, output, root, stdout};

/// Runs a script in the top folder, with the command in its path and a folder `PREFIX`.
fn shell(script: &str) -> Output {
    // Tests run at the same time.
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let folder = Path::new(BACKOFF).parent().unwrap().display();
    let path = std::env::var("PATH").unwrap_or_default();
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("documents-{}", CALLS.fetch_add(1, Ordering::Relaxed)));
    let mut command = Command::new("bash");
    command.args(["-euc", script]).current_dir(root()).env("PATH", format!("{folder}:{path}"));
    command.env("PREFIX", &prefix).env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
    let run = command.output().unwrap();
    let _ = fs::remove_dir_all(prefix);
    run
}

/// The subcommands whose examples are quick and need nothing else.
const OWN: [&str; 9] =
    ["explain", "preview", "delays", "fit", "export", "import", "presets", "completions", "man"];

#[test]
fn the_examples_of_the_help_work() {
    let mut count = 0;
    for subcommand in OWN {
        let help = stdout(&[subcommand, "--help"]);
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        for example in examples.lines().map(str::trim).filter(|line| !line.is_empty()) {
            // Without the parts that wait or write to a home.
            let example = example.replace("sleep ", "echo ").replace("| man -l -", "");
            let (example, _) = example.split_once(" > ~").unwrap_or((&example, ""));
            let example = example.replace("~/.local", "\"$PREFIX\"");
            let run = shell(&example);
            assert_eq!(run.status.code(), Some(0), "{example}: {run:?}");
            count += 1;
        }
    }
    assert!(count >= 3 * OWN.len() - 1, "{count}");
}

/// Those that write files, or need programs of the reader: in a folder of their own, where the
/// programs are there and succeed.
#[test]
fn the_examples_of_the_other_subcommands_work() {
    const BEFORE: &str = r#"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
for program in make curl my-port; do
    printf '#!/bin/sh\nexit 0\n' > "$folder/$program"
    chmod +x "$folder/$program"
done
printf '#!/bin/sh\nexec python3 "%s/tests/evaluate.py"\n' "$PWD" > "$folder/my-port"
ln -s "$PWD/tests" "$folder/tests"
PATH="$folder:$PATH"
cd "$folder"
"#;
    for (subcommand, count) in
        [("simulate", 5), ("compare", 2), ("advise", 3), ("merge", 3), ("verify", 4), ("run", 2)]
    {
        let help = stdout(&[subcommand, "--help"]);
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        let lines = examples.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
        let script = lines.map(str::trim).collect::<Vec<_>>().join("\n");
        let commands = script.lines().filter(|line| line.starts_with("backoff ")).count();
        assert_eq!(commands, count, "{subcommand}: {script}");
        // Few runs show that the options are accepted. The pages have such commands with all their runs.
        let few = |line: &str| match line.split_once(" simulate ") {
            Some((before, after)) if !line.contains("--runs") => {
                let (model, options) = after.split_once(' ').unwrap_or((after, ""));
                format!("{before} simulate {model} --runs 2 {options}")
            }
            _ => line.to_owned(),
        };
        let script = script.lines().map(few).collect::<Vec<_>>().join("\n");
        let run = shell(&format!("{BEFORE}{script}"));
        assert_eq!(run.status.code(), Some(0), "{script}: {run:?}");
    }
}

#[test]
fn the_short_help_of_each_subcommand_is_short() {
    for subcommand in OWN {
        let help = stdout(&[subcommand, "-h"]);
        let first = help.lines().next().unwrap();
        assert!(first.len() <= 72 && !first.ends_with('.'), "{first}");
        assert!(help.contains("Usage: backoff"), "{help}");
    }
    assert_eq!(output(&["--version"]).status.code(), Some(0));
}
