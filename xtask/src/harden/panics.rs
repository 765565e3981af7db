//! The proof that no function reaches a panic. The linker makes it: it takes some functions and drops all that they do
//! not reach, so what the rest needs from elsewhere says what they may do.

use super::scale::Scale;
use crate::libbackoff::functions;
use crate::report::Report;
use crate::shell::*;

/// A function of libbackoff that exists only here, and panics. If the proof does not find it, it proves nothing.
const PLANTED: &str = "backoff_planted_panic";

/// What the core takes from elsewhere: printing, and functions of C. A panic would need more.
const ALLOWED: [&str; 7] = [
    "core::fmt::",
    "core::str::converts::from_utf8",
    "bcmp",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
];

pub(crate) fn run(report: &mut Report, _: Scale) {
    report.check("no function of libbackoff reaches a panic", libbackoff);
    report.check("no function of the core reaches a panic", core);
}

/// The handler of panics calls `abort`, and nothing else does.
fn libbackoff() -> Result<()> {
    let line = "bindings-c --crate-type staticlib";
    let archive = compiled(line, "--cfg planted_panic")?.join("libbackoff.a");
    let mut names = functions()?;
    names.push(PLANTED.to_owned());
    let reached = reaching(&archive, &names, |needed| needed == "abort")?;
    Ok(ensure!(reached == [PLANTED], "a panic is reached by {reached:?}"))
}

/// Also private functions, and those that libbackoff does not call. A function with type parameters counts if
/// something calls it.
fn core() -> Result<()> {
    let object = folder().join("core.o");
    let line = "backoff-core --no-default-features --lib \
                --config profile.release.lto=\"off\" --config profile.release.strip=false";
    compiled(line, &format!("-C link-dead-code --emit=obj={}", object.display()))?;
    let (names, readable) = (symbols(&object, "")?, symbols(&object, "-C")?);
    let ours = |name: &str| name.trim_start_matches('<').starts_with("backoff_core::");
    let pairs = names.into_iter().zip(readable);
    let names: Vec<_> = pairs.filter(|(_, name)| ours(name)).map(|(name, _)| name).collect();
    ensure!(names.len() > 500, "the core has only {} functions", names.len());
    let is_panic = |needed: &str| !ALLOWED.iter().any(|allowed| needed.contains(allowed));
    let reached = reaching(&object, &names, is_panic)?;
    Ok(ensure!(reached.is_empty(), "a panic is reached by {reached:?}"))
}

fn folder() -> PathBuf {
    scratch().join("harden").join("panics")
}

fn compiled(line: &str, flags: &str) -> Result<PathBuf> {
    let cargo = cargo("rustc --locked --release --package").words(line).arg("--").words(flags);
    cargo.env("CARGO_TARGET_DIR", folder()).run()?;
    Ok(folder().join("release"))
}

/// The functions that an object defines.
fn symbols(object: &Path, options: &str) -> Result<Vec<String>> {
    let lines = program("nm --defined-only").words(options).arg(object).stdout()?;
    let functions = lines.lines().filter_map(|line| Some(line.split_once(" T ")?.1.to_owned()));
    Ok(functions.collect())
}

/// The functions that need something that is a panic.
fn reaching(
    object: &Path,
    names: &[String],
    is_panic: impl Fn(&str) -> bool,
) -> Result<Vec<String>> {
    let reach =
        |names: &[String]| anyhow::Ok(needed(object, names)?.iter().any(|name| is_panic(name)));
    let mut reached = Vec::new();
    if reach(names)? {
        for name in names {
            if reach(std::slice::from_ref(name))? {
                reached.push(name.clone());
            }
        }
    }
    Ok(reached)
}

fn needed(object: &Path, names: &[String]) -> Result<Vec<String>> {
    let linked = folder().join("linked");
    let ld = program("ld --gc-sections --unresolved-symbols=ignore-all -e 0");
    let ld = ld.args(names.iter().map(|name| format!("--undefined={name}")));
    ld.arg("-o").arg(&linked).arg(object).run()?;
    let defined = symbols(&linked, "")?;
    let missing = names.iter().find(|name| !defined.contains(name));
    ensure!(missing.is_none(), "the linker dropped {missing:?}");
    let needed = program("nm -C --undefined-only").arg(&linked).stdout()?;
    Ok(needed.lines().map(|line| line.trim().trim_start_matches("U ").to_owned()).collect())
}
