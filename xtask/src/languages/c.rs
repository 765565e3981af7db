//! C: libbackoff, installed under a prefix of its own.

mod examples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, ensure};

pub(crate) use examples::client;

use crate::libbackoff;
use crate::report::{Report, Runner};
use crate::shell::{command, empty, root, run, scratch, stdout};

/// The tests of a single thread, which run under the sanitizers, too.
const TESTS: [&str; 5] = ["conformance", "lines", "decisions", "retry", "misuse"];

const SANITIZED: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The prefix under which the library is installed for the tests.
pub(crate) fn prefix() -> Result<PathBuf> {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    if let Some(prefix) = INSTALLED.get() {
        return Ok(prefix.clone());
    }
    let prefix = prefix_path();
    empty(&prefix)?;
    libbackoff::build()?.put(&prefix, &prefix)?;
    Ok(INSTALLED.get_or_init(|| prefix).clone())
}

/// What pkg-config says of the installed library.
fn pkg_config(prefix: &Path, questions: &[&str]) -> Result<Vec<String>> {
    let answer = stdout(
        command("pkg-config")
            .args(questions)
            .arg("backoff")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    )?;
    Ok(answer.split_whitespace().map(str::to_owned).collect())
}

/// A C or C++ compiler with every warning an error.
fn compiler(program: &str, standard: &str) -> Command {
    let mut compiler = command(program);
    compiler.arg(format!("-std={standard}"));
    compiler.args(["-D_POSIX_C_SOURCE=200809L", "-O1", "-g"]);
    compiler.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    compiler
}

/// Compiles one source file into a program that finds the installed library where it runs.
fn compile(mut compiler: Command, source: &Path, flags: &[&str], name: &str) -> Result<Command> {
    let prefix = prefix_path();
    let program = scratch().join("c-programs").join(name);
    fs::create_dir_all(program.parent().expect("it is in a folder"))?;
    compiler.arg(source).args(flags).arg("-o").arg(&program);
    compiler.args(pkg_config(&prefix, &["--cflags", "--libs"])?).arg("-pthread");
    run(&mut compiler)?;
    let mut program = command(program);
    program.env("LD_LIBRARY_PATH", prefix.join("lib"));
    Ok(program)
}

fn prefix_path() -> PathBuf {
    scratch().join("prefix")
}

fn source(name: &str) -> PathBuf {
    root().join("bindings-c").join(name)
}

/// The driver.
pub(crate) fn driver() -> Result<Command> {
    prefix()?;
    compile(compiler("cc", "c99"), &source("tests/driver.c"), &[], "driver")
}

/// The evaluator.
pub(crate) fn evaluator() -> Result<Command> {
    prefix()?;
    compile(compiler("cc", "c99"), &source("tests/evaluate.c"), &["-O2"], "evaluate")
}

/// A user's program over the installed library.
pub(crate) fn snippet(code: &str) -> Result<String> {
    if code.contains("<curl/curl.h>") {
        return examples::http(code);
    }
    prefix()?;
    let file = scratch().join("snippet.c");
    fs::write(&file, code)?;
    stdout(&mut compile(compiler("cc", "c99"), &file, &[], "snippet")?)
}

/// The installed header, libraries and pkg-config file, as a C user has them.
pub(crate) fn test(report: &mut Report) {
    let mut prefix = None;
    report.check("libbackoff installs", || {
        prefix = Some(self::prefix()?);
        Ok(())
    });
    let Some(prefix) = prefix else { return };

    report.check("the header stands alone in C99, C++11 and C++20", || {
        let header = prefix.join("include/backoff.h");
        for (program, standard, language) in
            [("cc", "c99", "c"), ("c++", "c++11", "c++"), ("c++", "c++20", "c++")]
        {
            run(compiler(program, standard).args(["-fsyntax-only", "-x", language]).arg(&header))?;
        }
        Ok(())
    });
    for name in TESTS.into_iter().chain(["threads", "cancel"]) {
        program(report, name, compiler("cc", "c99"), &source(&format!("tests/{name}.c")), &[]);
    }
    report.suite_of("C: layout", Runner::Summary, || {
        let mut program = compile(compiler("cc", "c99"), &source("tests/layout.c"), &[], "layout")?;
        program.args(pkg_config(&prefix, &["--modversion"])?);
        Ok(program)
    });
    for standard in ["c++11", "c++20"] {
        let name = format!("header in {standard}");
        program(report, &name, compiler("c++", standard), &source("tests/header.cpp"), &[]);
    }
    for name in TESTS.into_iter().chain(["cancel"]) {
        let file = source(&format!("tests/{name}.c"));
        program(report, &format!("{name}, sanitized"), compiler("cc", "c99"), &file, &SANITIZED);
    }
    report.suite_of("C: conformance, static", Runner::Summary, || compile_statically(&prefix));
    examples::test(report);
    report.check("exported symbols are those of symbols.txt", || symbols(&prefix));
    report.check("libbackoff cannot panic", || {
        let names = stdout(command("nm").arg("-C").arg(prefix.join("lib/libbackoff.so")))?;
        ensure!(names.contains("backoff_delay_ns"), "no symbols to search: {names}");
        ensure!(!names.contains("panicking"), "{names}");
        Ok(())
    });
    report.check("SONAME and needed libraries", || {
        let dynamic = stdout(command("readelf").arg("-d").arg(prefix.join("lib/libbackoff.so")))?;
        let soname = concat!("[libbackoff.so.", env!("CARGO_PKG_VERSION_MAJOR"), "]");
        ensure!(dynamic.contains(soname), "no {soname} in\n{dynamic}");
        let needed = dynamic.lines().filter(|line| line.contains("NEEDED"));
        ensure!(
            needed.clone().count() == 1 && needed.clone().all(|line| line.contains("[libc.so")),
            "{dynamic}"
        );
        Ok(())
    });
    report.check("the README shows the examples as they are", || {
        let readme = fs::read_to_string(source("README.md"))?;
        for example in ["examples/http.c", "examples/retry.c", "examples/decide.c"] {
            ensure!(readme.contains(&fs::read_to_string(source(example))?), "{example}");
        }
        Ok(())
    });
    report.check("DESTDIR is honoured and not remembered", || {
        let staged = scratch().join("staged");
        empty(&staged)?;
        libbackoff::build()?.put(Path::new("/opt/backoff"), &staged.join("opt/backoff"))?;
        let file = fs::read_to_string(staged.join("opt/backoff/lib/pkgconfig/backoff.pc"))?;
        ensure!(file.starts_with("prefix=/opt/backoff\n"), "{file}");
        ensure!(!file.contains("staged"), "{file}");
        Ok(())
    });
}

fn program(report: &mut Report, name: &str, compiler: Command, file: &Path, flags: &[&str]) {
    report.suite_of(&format!("C: {name}"), Runner::Summary, || {
        compile(compiler, file, flags, &name.replace([' ', ','], "-"))
    });
}

/// The conformance test with the library inside it.
fn compile_statically(prefix: &Path) -> Result<Command> {
    let program = scratch().join("c-programs/static");
    let include = format!("-I{}", prefix.join("include").display());
    let mut compiler = compiler("cc", "c99");
    compiler.arg(source("tests/conformance.c")).arg(include);
    run(compiler.arg(prefix.join("lib/libbackoff.a")).arg("-o").arg(&program))?;
    Ok(command(program))
}

fn symbols(prefix: &Path) -> Result<()> {
    let library = prefix.join("lib/libbackoff.so");
    let listed = stdout(command("nm").args(["-D", "--defined-only"]).arg(library))?;
    let mut exported: Vec<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    exported.sort_unstable();
    let committed = fs::read_to_string(source("tests/symbols.txt"))?;
    ensure!(exported == committed.lines().collect::<Vec<_>>(), "exported: {exported:#?}");
    Ok(())
}
