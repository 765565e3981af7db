//! The tasks of this project that are not those of one language: `cargo xtask help`.

mod demo;
mod differential;
mod docs;
mod drivers;
mod fresh;
mod generate;
mod languages;
mod libbackoff;
mod package;
mod program;
mod report;
mod shell;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask <verb>

  demo                         the same delays in five languages, side by side
  test [PART]                  all tests, or those of a language, `command` or `shared`
  scenario [LANGUAGE]          a server that fails on purpose, and a client in each language
  evaluate LANGUAGE|reference  answer lines of JSON (tests/README.md)
  generate [--check]           write the generated files, or list those that are stale
  install --prefix DIR         install libbackoff, backoff.h and backoff.pc (honours DESTDIR)
  package --out DIR            build the wheel, the npm tarball, the crates and `backoff`

A language is rust, c, go, python or js.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    match words {
        ["demo"] => demo::run(),
        ["test"] => test::all(),
        ["test", part] => test::part(part),
        ["evaluate", language] => drivers::evaluate(language),
        ["scenario"] => scenario::run(languages::clients(&languages::ALL)?),
        ["scenario", name] => scenario::run(languages::clients(&[*languages::named(name)?])?),
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["install", "--prefix", prefix] if !prefix.is_empty() => libbackoff::install(prefix),
        ["package", "--out", folder] if !folder.is_empty() => package::package(folder),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown command: cargo xtask {}\n\n{HELP}", words.join(" ")),
    }
}
