//! Everything this project does with itself, one verb a file: `cargo xtask help`.

mod answers;
mod c_table;
mod demo;
mod differential;
mod docs;
mod evaluate;
mod fresh;
mod generate;
mod install;
mod languages;
mod libbackoff;
mod package;
mod report;
mod scenario;
mod server;
mod shell;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask <verb>

  demo                        the same delays in five languages, side by side
  test [rust|c|go|python|js]  everything that must be true, or one language's part of it
  evaluate LANGUAGE           answer lines of JSON (tests/README.md); LANGUAGE may be reference
  scenario [LANGUAGE]         a server that fails on purpose, and a client in each language
  generate [--check]          write the generated files, or say which are stale
  install --prefix DIR        put libbackoff, backoff.h and backoff.pc in place (DESTDIR honoured)
  package --out DIR           build the wheel, the npm tarball and the crates
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
        ["test", language] => test::one(language),
        ["evaluate", language] => evaluate::run(language),
        ["scenario"] => scenario::run(languages::clients(&languages::ALL)?),
        ["scenario", name] => scenario::run(languages::clients(&[*languages::named(name)?])?),
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["install", "--prefix", prefix] if !prefix.is_empty() => install::run(prefix),
        ["package", "--out", folder] if !folder.is_empty() => package::run(folder),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("not understood: cargo xtask {}\n\n{HELP}", words.join(" ")),
    }
}
