//! The HTTP example and the pages of the two crates.

use std::net::TcpListener;
use std::process::{Command, Output};

use backoff_retry::Policy;

/// Runs the example, which cargo builds with the tests.
fn http(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap().join("examples/http");
    Command::new(built.with_extension(std::env::consts::EXE_EXTENSION))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn the_example_prints_what_is_wrong() {
    let table: [(&[&str], i32, &str); 5] = [
        (
            &["http://127.0.0.1:1/"],
            2,
            "four arguments are needed; usage: http URL POLICY SEED KEY\n",
        ),
        (
            &["http://127.0.0.1:1/", "full:base=1", "42", "job-1"],
            2,
            "policy full:base=1: at 11: base has no unit; the units are d, h, m, s, ms, us, ns; \
             usage: http URL POLICY SEED KEY\n",
        ),
        (
            &["http://127.0.0.1:1/", "default", "-1", "job-1"],
            2,
            "seed -1: invalid digit found in string; usage: http URL POLICY SEED KEY\n",
        ),
        (&["nowhere", "default", "42", "job-1"], 1, "gave up after 1 attempts: permanent: "),
        // Nothing listens on port 1.
        (
            &["http://127.0.0.1:1/", "constant:base=1ms,max_retries=2", "42", "job-1"],
            1,
            "gave up after 3 attempts: max_retries: ",
        ),
    ];
    for (arguments, status, message) in table {
        let output = http(arguments);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), printed.starts_with(message)),
            (Some(status), true),
            "{printed}"
        );
    }
}

#[test]
fn the_example_ends_an_attempt_at_the_limit_of_the_policy() {
    // It accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let output =
        http(&[&url, "constant:base=1ms,max_retries=1,attempt_timeout=50ms", "42", "job-1"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed, "attempt 1: timeout, waiting 1000000 ns\n");
    let printed = String::from_utf8(output.stderr).unwrap();
    let expected = "gave up after 2 attempts: max_retries: the attempt took longer than 50ms\n";
    assert_eq!(printed, expected);
}

#[test]
fn the_default_waits_at_most_as_long_as_the_page_says() {
    let last = Policy::parse("default").unwrap().preview().last().unwrap();
    assert_eq!((last.total_mean_ns, last.total_max_ns), (350_000_000, 700_000_000));
}

#[test]
fn every_page_is_tested_and_linked() {
    let (library, readme) = (include_str!("../src/lib.rs"), include_str!("../README.md"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|page| page.unwrap()).collect();
    assert!(pages.len() >= 5);
    for page in pages {
        let name = page.file_name().into_string().unwrap();
        assert!(library.contains(&format!("include_str!(\"../docs/{name}\")")), "{name}");
        assert!(readme.contains(&format!("/bindings-rust/docs/{name}")), "{name}");
    }
}

#[test]
fn the_pages_name_the_rust_version_of_the_manifest() {
    let version = env!("CARGO_PKG_RUST_VERSION");
    for page in [include_str!("../README.md"), include_str!("../../core/README.md")] {
        assert!(page.contains(&format!("It needs Rust {version} or later.")), "{version}");
    }
}
