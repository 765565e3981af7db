//! Running the programs and commands of the documents.
//!
//! A fenced block in a language is a whole program. The next `text` block is its output, perhaps
//! after blocks of other languages. A fenced `sh` block runs as a shell script; a `text` block right
//! after it is what it prints.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::languages::named;
use crate::report::{Extent, Report};
use crate::shell::{command, empty, programs, root, run, scratch, stdout, symlink};

struct Block {
    language: String,
    code: String,
}

/// Checks every block of the documents in a folder, except of these.
pub(crate) fn test_folder(report: &mut Report, folder: &str, except: &[&str]) {
    match pages(&root().join(folder)) {
        Ok(pages) => {
            for page in
                pages.iter().filter(|page| except.iter().all(|other| !page.ends_with(other)))
            {
                test(report, page);
            }
        }
        Err(error) => report.check(folder, || Err(error)),
    }
}

/// The documents in a folder that have blocks, in the order of their names.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut pages = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    ensure!(!pages.is_empty(), "no pages in {}", folder.display());
    pages.retain(|page| fs::read_to_string(page).is_ok_and(|text| text.contains("```")));
    pages.sort();
    Ok(pages)
}

/// Checks every block of a document.
pub(crate) fn test(report: &mut Report, path: &Path) {
    let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let library = fs::read_to_string(path.with_file_name("src/lib.rs"));
    let is_of_a_crate = library.is_ok_and(|text| text.contains("include_str!(\"../README.md\")"));
    let blocks = match fs::read_to_string(path).context(name.clone()) {
        Ok(text) => blocks(&text),
        Err(error) => Err(error),
    };
    let blocks = match blocks {
        Ok(blocks) => blocks,
        Err(error) => return report.check(&name, || Err(error)),
    };
    report.check(&format!("{name} has blocks to run"), || {
        ensure!(!blocks.is_empty(), "no blocks");
        Ok(())
    });
    for (position, block) in blocks.iter().enumerate() {
        let what = format!("{name}: block {} ({})", position + 1, block.language);
        match block.language.as_str() {
            "text" => {}
            "" if is_of_a_crate => {} // Cargo runs it, as it runs every example of a crate.
            "sh" => {
                let commands = commands(&block.code, report.extent());
                let next = blocks.get(position + 1).filter(|block| block.language == "text");
                if !commands.is_empty() {
                    let expected = next.map(|block| &*block.code);
                    let extent = report.extent();
                    report.check(&what, || shell(&name, &commands, expected, extent));
                }
            }
            language => report.check(&what, || {
                let printed = blocks.get(position..).unwrap_or_default();
                let printed = printed.iter().find(|block| block.language == "text");
                snippet(language, &block.code, &printed.context("no text block follows")?.code)
            }),
        }
    }
}

fn blocks(text: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        let fence = line.strip_prefix("```");
        ensure!(
            fence.is_some() || !line.trim_start().starts_with("```"),
            "an indented block would not run"
        );
        match (fence, open.as_mut()) {
            (Some(language), None) => {
                open = Some(Block { language: language.to_owned(), code: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            (None, None) => {}
        }
    }
    ensure!(open.is_none(), "the last block is not closed");
    Ok(blocks)
}

/// Set for the commands of documents in the usual tests.
const USUAL: &str = "BACKOFF_XTASK_USUAL";

/// Whether a document runs this program in the usual tests.
pub(crate) fn in_usual_tests() -> bool {
    std::env::var_os(USUAL).is_some()
}

/// Commands of documents that have checks of their own, or that would run this test again.
const CHECKED_ELSEWHERE: [&str; 7] = [
    "cargo xtask bench",
    "cargo xtask test",
    "cargo xtask demo",
    "cargo xtask scenario",
    "make -C bindings-c check",
    "cargo build -p backoff-sim --example golden",
    "node --no-warnings tools/simulator/tests/wasi.mjs",
];

/// Compiles for a release what the tests have compiled without optimisation.
const LONG: &str = "cargo install";

/// The commands of a block that are not checked elsewhere.
fn commands(code: &str, extent: Extent) -> String {
    let runs = |line: &&str| {
        !CHECKED_ELSEWHERE.iter().any(|command| line.starts_with(command))
            && (extent == Extent::All || !line.starts_with(LONG))
    };
    code.lines().filter(runs).collect::<Vec<_>>().join("\n")
}

fn snippet(name: &str, code: &str, expected: &str) -> Result<()> {
    let printed = (named(name)?.snippet)(code)?;
    ensure!(printed == expected, "expected\n{expected}printed\n{printed}");
    Ok(())
}

/// Makes a folder for examples of `backoff`, which write files: with links to what they read, and
/// with programs for them to run, which succeed.
fn prepare(stubs: &Path, work: &Path) -> Result<()> {
    empty(stubs)?;
    empty(work)?;
    for program in ["make", "rsync"] {
        fs::copy("/bin/true", stubs.join(program))?;
    }
    for folder in ["tools", "tests"] {
        symlink(root().join(folder), &work.join(folder))?;
    }
    Ok(())
}

/// Runs commands in the top folder, with new folders `PREFIX`, `OUT` and `PROJECT` to install to,
/// the archives of libbackoff in `DOWNLOADS`, the command and, for those that use pip, a new
/// virtual environment, and compares what they print. Examples of `backoff` run in a folder of their
/// own.
fn shell(document: &str, commands: &str, expected: Option<&str>, extent: Extent) -> Result<()> {
    let place = scratch().join("docs").join(document);
    empty(&place)?;
    let mut folders = vec![programs()];
    if commands.lines().any(|line| line.starts_with("pip ")) {
        let environment = place.join("python");
        run(command("python3").args(["-m", "venv"]).arg(&environment))?;
        folders.insert(0, environment.join("bin"));
    }
    let mut bash = command("bash");
    if commands.starts_with("backoff ") {
        let (stubs, work) = (place.join("stubs"), place.join("work"));
        prepare(&stubs, &work)?;
        folders.insert(0, stubs);
        bash.current_dir(work);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = folders.into_iter().chain(std::env::split_paths(&path));
    bash.args(["-euc", commands])
        .env_remove("COLUMNS")
        .env("PREFIX", place.join("prefix"))
        .env("OUT", place.join("packages"))
        .env("DOWNLOADS", scratch().join("c-archives"))
        .env("PROJECT", place.join("project"))
        .env("PATH", std::env::join_paths(path)?);
    if extent == Extent::Usual {
        bash.env(USUAL, "1");
    }
    let Some(expected) = expected else { return run(&mut bash) };
    let printed = stdout(&mut bash)?;
    // A page does not show an empty last line.
    ensure!(printed.trim_end() == expected.trim_end(), "expected\n{expected}printed\n{printed}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{blocks, commands};
    use crate::report::Extent;

    #[test]
    fn a_block_that_would_not_run_is_an_error() {
        let found = blocks("text\n```sh\nls\n```\n```text\n1\n```\n").unwrap();
        let found: Vec<_> = found.iter().map(|block| (&*block.language, &*block.code)).collect();
        assert_eq!(found, [("sh", "ls\n"), ("text", "1\n")]);
        assert!(blocks("```sh\nls\n").is_err(), "not closed");
        assert!(blocks("- a list\n  ```sh\n  ls\n  ```\n").is_err(), "indented");
    }

    #[test]
    fn commands_that_are_checked_elsewhere_are_skipped() {
        let usual = |code| commands(code, Extent::Usual);
        assert_eq!(usual("cargo xtask demo\ncargo xtask test\ncargo xtask scenario\n"), "");
        assert_eq!(usual("cargo xtask test\nls\n"), "ls");
        assert_eq!(usual("cargo install --path cli\nls\n"), "ls");
        assert_eq!(commands("cargo install --path cli\n", Extent::All), "cargo install --path cli");
    }
}
