//! Running the programs and commands of the documents.
//!
//! A fenced block in a language is a whole program. The next `text` block is its output, perhaps
//! after blocks of other languages. A fenced `sh` block runs as a shell script; a `text` block right
//! after it is what it prints.

use crate::languages::named;
use crate::report::Report;
use crate::shell::*;

struct Block {
    language: String,
    code: String,
}

/// Checks every block of the documents in a folder, except of these, in the order of their names.
pub(crate) fn test_folder(report: &mut Report, folder: &str, except: &[&str]) {
    let pages = report.timed(folder, || {
        let mut pages = entries(&root().join(folder))?;
        pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
        ensure!(!pages.is_empty(), "no pages");
        // Others have nothing to run.
        pages.retain(|page| read(page).is_ok_and(|text| text.contains("```")));
        pages.retain(|page| !except.iter().any(|other| page.ends_with(other)));
        Ok(pages)
    });
    pages.iter().flatten().for_each(|page| test(report, page));
}

pub(crate) fn test(report: &mut Report, path: &Path) {
    let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let library = read(path.with_file_name("src/lib.rs"));
    let is_of_a_crate = library.is_ok_and(|text| text.contains("include_str!(\"../README.md\")"));
    let mut blocks = Vec::new();
    report.check(&format!("{name} has blocks to run"), || {
        blocks = blocks_of(&read(path)?)?;
        Ok(ensure!(!blocks.is_empty(), "no blocks"))
    });
    let is_all = report.is_all;
    for (position, block) in blocks.iter().enumerate() {
        let what = format!("{name}: block {} ({})", position + 1, block.language);
        let mut next = blocks.iter().skip(position);
        match block.language.as_str() {
            "text" => {}
            "" if is_of_a_crate => {} // Cargo runs it, as it runs every example of a crate.
            "sh" => {
                let commands = commands(&block.code, is_all);
                let expected = next.nth(1).filter(|block| block.language == "text");
                let expected = expected.map(|block| &*block.code);
                if !commands.is_empty() {
                    report.check(&what, || shell(&name, &commands, expected, is_all));
                }
            }
            language => report.check(&what, || {
                let expected = next.find(|block| block.language == "text");
                let expected = &expected.context("no text block follows")?.code;
                let language = if language == "cpp" { "c" } else { language };
                let printed = (named(language)?.snippet)(&block.code)?;
                Ok(ensure!(printed == *expected, "expected\n{expected}printed\n{printed}"))
            }),
        }
    }
}

fn blocks_of(text: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            match open.take() {
                Some(block) => blocks.push(block),
                None => {
                    open = Some(Block { language: language.to_owned(), code: String::new() });
                }
            }
        } else {
            ensure!(!line.trim_start().starts_with("```"), "an indented block would not run");
            if let Some(block) = &mut open {
                block.code.extend([line, "\n"]);
            }
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
const CHECKED_ELSEWHERE: [&str; 8] = [
    "cargo xtask bench",
    "cargo xtask site",
    "cargo xtask test",
    "cargo xtask demo",
    "cargo xtask scenario",
    "make -C bindings-c check",
    "cargo build -p backoff-sim --example golden",
    "node --no-warnings tools/simulator/tests/wasi.mjs",
];

/// Compiles for a release what the tests have compiled without optimisation.
const LONG: &str = "cargo install";

/// Compiles without lints what the tests have compiled with them, so the usual tests run that.
const COMPILED: (&str, &str) = ("cargo run --quiet -p backoff-cli -- ", "backoff ");

/// The commands of a block that are not checked elsewhere.
fn commands(code: &str, is_all: bool) -> String {
    let runs = |line: &&str| {
        !CHECKED_ELSEWHERE.iter().any(|command| line.starts_with(command))
            && (is_all || !line.starts_with(LONG))
    };
    let commands = code.lines().filter(runs).collect::<Vec<_>>().join("\n");
    if is_all { commands } else { commands.replace(COMPILED.0, COMPILED.1) }
}

/// Runs commands in the top folder, with new folders `PREFIX`, `OUT` and `PROJECT` to install to,
/// the archives of libbackoff in `DOWNLOADS`, the command and, for those that use pip, a new
/// virtual environment, and compares what they print.
fn shell(document: &str, commands: &str, expected: Option<&str>, is_all: bool) -> Result<()> {
    let place = scratch().join("docs").join(document);
    empty(&place)?;
    let mut folders = vec![programs("c"), programs("command")];
    if commands.lines().any(|line| line.starts_with("pip ")) {
        let environment = place.join("python");
        python3("-m venv").arg(&environment).run()?;
        folders.insert(0, environment.join("bin"));
    }
    let mut bash = program("env -u COLUMNS bash -euc").arg(commands);
    if commands.starts_with("backoff ") {
        // They write files, and run programs, which succeed.
        let (stubs, work) = (place.join("stubs"), place.join("work"));
        copy("/bin/true", &stubs.join("make"))?;
        copy("/bin/true", &stubs.join("rsync"))?;
        empty(&work)?;
        for folder in ["tools", "tests"] {
            symlink(root().join(folder), &work.join(folder))?;
        }
        folders.insert(0, stubs);
        bash = bash.within(work);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = folders.into_iter().chain(std::env::split_paths(&path));
    bash = bash
        .env("PREFIX", place.join("prefix"))
        .env("OUT", place.join("packages"))
        .env("DOWNLOADS", scratch().join("c-archives"))
        .env("PROJECT", place.join("project"))
        .env("PATH", std::env::join_paths(path)?);
    if !is_all {
        bash = bash.env(USUAL, "1");
    }
    let Some(expected) = expected else { return bash.run() };
    let printed = bash.stdout()?;
    // A page does not show an empty last line.
    ensure!(printed.trim_end() == expected.trim_end(), "expected\n{expected}printed\n{printed}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{blocks_of, commands};

    #[test]
    fn a_block_that_would_not_run_is_an_error() {
        let found = blocks_of("text\n```sh\nls\n```\n```text\n1\n```\n").unwrap();
        let found: Vec<_> = found.iter().map(|block| (&*block.language, &*block.code)).collect();
        assert_eq!(found, [("sh", "ls\n"), ("text", "1\n")]);
        assert!(blocks_of("```sh\nls\n").is_err(), "not closed");
        assert!(blocks_of("- a list\n  ```sh\n  ls\n  ```\n").is_err(), "indented");
    }

    #[test]
    fn commands_that_are_checked_elsewhere_are_skipped() {
        let code = "cargo xtask demo\ncargo xtask test\ncargo install --path cli\nls\n";
        assert_eq!(commands(code, false), "ls");
        assert_eq!(commands(code, true), "cargo install --path cli\nls");
        let code = "cargo run --quiet -p backoff-cli -- presets\n";
        assert_eq!(commands(code, false), "backoff presets");
        assert_eq!(commands(code, true), code.trim_end());
    }
}
