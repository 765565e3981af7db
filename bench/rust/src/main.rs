//! The harness of Rust: see ../../README.md for its arguments.

mod allocations;
mod delays;
mod http;
mod loops;
mod measure;
mod policies;

use std::env;
use std::process::{Command, ExitCode};

const LIBRARIES: [&str; 9] = [
    "criterion",
    "fastrand",
    "backon",
    "tokio-retry",
    "exponential-backoff",
    "tokio",
    "reqwest",
    "reqwest-middleware",
    "reqwest-retry",
];

/// A work, done by us or by a peer.
struct Entry {
    work: &'static str,
    by: String,
    /// Does it the given number of times.
    run: fn(u64),
}

/// All entries, those of one work together.
fn entries() -> Vec<Entry> {
    let peers = |(work, by, run): &(&'static str, &str, fn(u64))| {
        let version = version(by).map_or(String::new(), |version| format!(" {version}"));
        Entry { work, by: format!("{by}{version}"), run: *run }
    };
    let http = if http::has_server() { http::ENTRIES } else { &[] };
    [delays::ENTRIES, policies::ENTRIES, loops::ENTRIES, http].concat().iter().map(peers).collect()
}

/// The version of a crate in the lock file.
fn version(name: &str) -> Option<&'static str> {
    let lock = include_str!("../Cargo.lock");
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

fn works() {
    let mut works: Vec<_> = entries().iter().map(|entry| entry.work).collect();
    works.dedup();
    works.iter().for_each(|work| println!("{work}"));
}

fn measure(work: &str) {
    let mut entries: Vec<_> = entries().into_iter().filter(|entry| entry.work == work).collect();
    if env::var_os("BENCH_REVERSED").is_some() {
        entries.reverse();
    }
    for entry in entries {
        let (bytes, allocations) = allocations::of_one(entry.run);
        let ns = measure::ns(&entry);
        println!(
            "{}",
            serde_json::json!({
                "work": work, "by": entry.by, "ns": ns, "bytes": bytes, "allocations": allocations
            })
        );
    }
}

fn find(work: &str, by: &str) -> Entry {
    let is_it = |entry: &Entry| entry.work == work && entry.by == by;
    entries().into_iter().find(is_it).expect("a work and who does it")
}

fn check() {
    delays::check();
    loops::check();
    entries().iter().for_each(|entry| (entry.run)(1));
}

fn versions() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc");
    let rustc = String::from_utf8(rustc.stdout).expect("text");
    let rustc = rustc.split(' ').nth(1).expect("a version");
    println!("{}", serde_json::json!({ "name": "rustc", "version": rustc }));
    for name in LIBRARIES {
        println!("{}", serde_json::json!({ "name": name, "version": version(name) }));
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["works"] => works(),
        ["measure", work] => measure(work),
        ["criterion", work, by] => measure::criterion(&find(work, by)),
        ["count", work, by, times] => (find(work, by).run)(times.parse().expect("a number")),
        ["check"] => check(),
        ["versions"] => versions(),
        _ => {
            eprintln!("usage: works | measure WORK | count WORK BY N | check | versions");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
