//! The tasks of this project that are not those of one language: `cargo xtask help`.

#![forbid(unsafe_code)]
#![allow(
    clippy::format_push_string,
    clippy::unit_arg,
    clippy::unnecessary_debug_formatting,
    clippy::wildcard_imports,
    reason = "short is better than quick here, paths in manifests are quoted, and `shell` is for all tasks"
)]

mod api;
mod archive;
mod audit;
mod bench;
mod crates;
mod cross;
mod dist;
mod docs;
mod fields;
mod fresh;
mod generate;
mod harden;
mod languages;
mod libbackoff;
mod licenses;
mod playground;
mod processes;
mod program;
mod report;
mod servers;
mod shell;
mod site;
mod test;
mod venv;
mod version;

use std::process::ExitCode;

use crate::languages::Platforms;
use crate::libbackoff::Platform;
use crate::shell::*;

const HELP: &str = "\
cargo xtask <verb>

  demo                         the same delays in five languages, side by side
  test [--all] [PART]          the tests, or those of a language, `command`, `shared`, `pages`,
                               `site`, `playground`, `hosts`, the hosts of a language (`hosts-go`),
                               `processes`, or a page of docs, such as `migrating-go`;
                               with --all also on every platform, which takes longer
  scenario [LANGUAGE]          a server that fails on purpose, and a client in each language
  scenario queues              a job that fails, in each job queue that has an adapter
  scenario fleet               one budget for many processes in four languages, and its replay
  scenario contention          one budget of many clients in Redis and PostgreSQL, beside a script
  evaluate LANGUAGE|reference  answer lines of JSON (tests/README.md)
  generate [--check]           write the generated files, or list those that are stale
  install --prefix DIR [--target TRIPLE]
                               install libbackoff for C, C++ and Go (honours DESTDIR), perhaps for
                               another platform, such as aarch64-unknown-linux-gnu
  package [--host] --out DIR   build the packages for all platforms, or for this machine
  dist [--check]               everything that is published, with checksums and an SBOM, in `dist`,
                               or with --check build the commit twice and compare
  bench [--quick] [--json FILE] [--compare OLD.json] [LANGUAGE]
                               measure ours and others; with --compare also say what got slower
                               (bench/README.md)
  site [--base PATH] [--serve] the pages, the playground and the references of all languages as one
                               site in `target/site`, perhaps for a server that has it at a path
                               such as /backoff/; with --serve also show it on loopback
  harden [--quick] [PART]      what attacks the project for hours, or for minutes with --quick: `miri`,
                               `sanitizers`, `valgrind`, `races`, `models`, `fleet`, `fuzz`, `mutants`,
                               `panics`, `http`
  audit                        check licenses and known vulnerabilities of the crates that are used
                               (needs GitHub)
  semver                       compare the interface of the crates with that of the last release
  version [X | --check TAG]    the version of all packages: print it, change it to X, or check that
                               everything is ready to be published as TAG

A language is rust, c, go, python or js.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match api::rustdoc_of_docs_rs(&words).unwrap_or_else(|| run(&words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<()> {
    match words {
        ["demo"] => processes::demo()?.show(),
        ["test"] => test::everything(false),
        ["test", "--all"] => test::everything(true),
        ["test", "--all", part] => test::part(part, true),
        ["test", part] => test::part(part, false),
        ["evaluate", language] => languages::evaluate(language),
        ["scenario"] => processes::clients(&languages::ALL)?.show(),
        ["scenario", name @ ("queues" | "fleet" | "contention")] => processes::scenario(name),
        ["scenario", name] => processes::clients(&[*languages::named(name)?])?.show(),
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(true),
        ["install", "--prefix", prefix] if !prefix.is_empty() => {
            libbackoff::install(prefix, &Platform::host()?)
        }
        ["install", "--prefix", prefix, "--target", triple] if !prefix.is_empty() => {
            libbackoff::install(prefix, &Platform::named(triple)?)
        }
        ["package", "--out", folder] => dist::package(folder, Platforms::All),
        ["package", "--host", "--out", folder] if docs::in_usual_tests() => {
            dist::package(folder, Platforms::Tests)
        }
        ["package", "--host", "--out", folder] => dist::package(folder, Platforms::Host),
        ["dist"] => dist::write(),
        ["dist", "--check"] => dist::check(),
        ["bench", "--harness", language] => bench::print_harness(language),
        ["bench", options @ ..] => bench::run(options),
        ["site", options @ ..] => site::run(options),
        ["harden", options @ ..] => harden::run(options),
        ["audit"] => audit::audit(),
        ["semver"] => audit::semver(),
        ["version"] => version::print(),
        ["version", "--check", tag] => version::check_tag(tag),
        ["version", to] => version::change(to),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown command: cargo xtask {}\n\n{HELP}", words.join(" ")),
    }
}
