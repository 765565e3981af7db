//! Everything this project does with itself, one verb a file: `cargo xtask help`.

mod artifacts;
mod c_table;
mod generate;
mod install;
mod shell;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask <verb>

  demo                        the same delays in five languages, side by side
  test [rust|c|go|python|js]  everything that must be true, or one language's part of it
  generate [--check]          write the generated files, or say which are stale
  install --prefix DIR        put libbackoff, backoff.h and backoff.pc in place (DESTDIR honoured)
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
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["install", "--prefix", prefix] => install::run(prefix),
        ["help"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("no such verb: {}\n\n{HELP}", words.join(" ")),
    }
}
