//! The examples that talk to a server: `http.c`, and the two that poll.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{SANITIZED, compile, compiler, prefix, source};
use crate::report::Report;
use scenario::server::{Answer, Script, Server, gaps};
use crate::shell::{cargo, command, line, progress, run, scratch, stdout};

const POLICY: &str = "full:base=100ms,cap=20s,max_retries=4,hint_max=5s";

const BUSY: Answer = Answer::Status(503, Some(1), "");
const BROKEN: Answer = Answer::Status(500, None, "broken");
const MISSING: Answer = Answer::Status(404, None, "");
const READY: Answer = Answer::Status(200, None, "\n ready\r\n");

/// A libcurl for the tests, built from source: the flags that find it.
fn curl() -> Result<Vec<String>> {
    progress("building libcurl");
    let manifest = source("tests/curl/Cargo.toml");
    let messages = stdout(
        cargo()
            .args(["build", "--locked", "--quiet", "--release", "--message-format=json"])
            .arg("--manifest-path")
            .arg(manifest)
            .env("CARGO_TARGET_DIR", scratch().join("curl")),
    )?;
    let out = |package: &str| {
        messages
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["reason"] == "build-script-executed")
            .find(|message| message["package_id"].as_str().is_some_and(|id| id.contains(package)))
            .and_then(|message| message["out_dir"].as_str().map(str::to_owned))
            .with_context(|| format!("cargo does not tell where it built {package}"))
    };
    let (curl, zlib) = (out("#curl-sys@")?, out("#libz-sys@")?);
    Ok(vec![
        format!("-I{curl}/include"),
        format!("{curl}/build/libcurl.a"),
        format!("{zlib}/lib/libz.a"),
    ])
}

/// A program that asks a server, with its arguments to come.
fn example(name: &str, flags: &[&str]) -> Result<Command> {
    let curl = if name == "http" { curl()? } else { Vec::new() };
    let flags: Vec<&str> = flags.iter().copied().chain(curl.iter().map(String::as_str)).collect();
    let file = source(&format!("examples/{name}.c"));
    let program = if flags.contains(&SANITIZED[0]) { "sanitized-" } else { "" };
    compile(compiler("cc", "c99"), &file, &flags, &format!("{program}{name}"))
}

/// The HTTP example.
pub(crate) fn client() -> Result<Command> {
    prefix()?;
    example("http", &[])
}

/// What the HTTP example prints for a server that fails twice.
pub(super) fn http(code: &str) -> Result<String> {
    ensure!(code == fs::read_to_string(source("examples/http.c"))?, "not examples/http.c");
    let server = Server::of_requests(&[BUSY, BROKEN, READY])?;
    stdout(client()?.args([&server.url(""), POLICY, "42", "job-1"]))
}

/// Runs the examples against servers that fail, plain and under the sanitizers.
pub(super) fn test(report: &mut Report) {
    let plain: &[&str] = &[];
    for (how, flags) in [("", plain), (", sanitized", &SANITIZED)] {
        report.check(&format!("C: examples/http.c{how}"), || test_http(flags));
        report.check(&format!("C: examples/poll.c{how}"), || test_poll(flags));
        report.check(&format!("C: examples/poll_event_loop.c{how}"), || test_event_loop(flags));
    }
}

/// A run of a program to its end: the code it exits with, and what it prints on both streams.
fn ended(program: &mut Command, code: i32) -> Result<String> {
    let output = program.output()?;
    let text = String::from_utf8([output.stdout, output.stderr].concat())?;
    ensure!(output.status.code() == Some(code), "`{}`: {}\n{text}", line(program), output.status);
    Ok(text)
}

fn again(program: &Command) -> Command {
    with_files(program, 64)
}

/// The program with so few files that one that is not closed is missed, and none from us.
fn with_files(program: &Command, files: u32) -> Command {
    let mut shell = command("sh");
    let ours = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-";
    shell.arg("-c").arg(format!("{ours}; ulimit -n {files}; exec \"$0\" \"$@\""));
    shell.arg(program.get_program());
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

fn test_http(flags: &[&str]) -> Result<()> {
    let program = example("http", flags)?;
    let get = |url: &str, policy: &str, code: i32| {
        ended(again(&program).args([url, policy, "42", "job-1"]), code)
    };
    let equal = |printed: String, expected: &str| {
        ensure!(printed == expected, "expected\n{expected}printed\n{printed}");
        Ok(())
    };

    // The waits are those of the README's first example, but where the server says how long.
    let server = Server::of_requests(&[BUSY, BROKEN, Answer::Bytes(""), Answer::Silence, READY])?;
    let printed = get(&server.url(""), POLICY, 0)?;
    equal(
        printed,
        "attempt 1: throttled, waiting 1000000000 ns\n\
         attempt 2: transient, waiting 83043876 ns\n\
         attempt 3: transient, waiting 229309811 ns\n\
         attempt 4: timeout, waiting 83486434 ns\n\
         done after 5 attempts: ready\n",
    )?;
    never_shorter(&server, &[1000000000, 83043876, 229309811, 83486434])?;

    let server = Server::of_requests(&[READY])?;
    equal(get(&server.url(""), POLICY, 0)?, "done after 1 attempts: ready\n")?;
    let server = Server::of_requests(&[MISSING])?;
    equal(get(&server.url(""), POLICY, 1)?, "gave up after 1 attempts: permanent: HTTP 404\n")?;
    let server = Server::of_requests(&[BROKEN])?;
    equal(
        get(&server.url(""), "none:base=1ms,max_retries=1", 1)?,
        "attempt 1: transient, waiting 1000000 ns\n\
         gave up after 2 attempts: max_retries: HTTP 500\n",
    )?;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    equal(
        get(&format!("http://127.0.0.1:{nobody}/"), "none:base=1ms,max_retries=0", 1)?,
        "gave up after 1 attempts: max_retries: Could not connect to server\n",
    )?;
    for wrong in [
        &["http://127.0.0.1:1/", POLICY, "42"][..],
        &["http://127.0.0.1:1/", "full:base=1", "42", "job-1"],
        &["http://127.0.0.1:1/", POLICY, "", "job-1"],
        &["http://127.0.0.1:1/", POLICY, "-1", "job-1"],
        &["http://127.0.0.1:1/", POLICY, "1x", "job-1"],
        &["http://127.0.0.1:1/", POLICY, "18446744073709551616", "job-1"],
    ] {
        ended(again(&program).args(wrong), 2)?;
    }
    Ok(())
}

/// The service says everything that it can.
const SERVICE: Script = &[
    Answer::Bytes(""),
    Answer::Bytes("starting\n"),
    Answer::Bytes("busy\n"),
    Answer::Silence,
    Answer::Bytes("ready\n"),
];
const REFUSAL: Script = &[Answer::Bytes("no\n")];
const OUTCOMES: [&str; 4] = ["transient", "transient", "throttled", "timeout"];

fn test_poll(flags: &[&str]) -> Result<()> {
    let program = example("poll", flags)?;
    let server = Server::of_connections(SERVICE)?;
    // The three of every program, a socket, and one to spare.
    let printed = ended(with_files(&program, 5).arg(server.port.to_string()), 0)?;
    polled(&printed, "", &server)?;
    let server = Server::of_connections(REFUSAL)?;
    let printed = ended(again(&program).arg(server.port.to_string()), 1)?;
    ensure!(printed == "attempt 1: stop, permanent\n", "{printed}");
    for wrong in [&[][..], &["0"], &["65536"], &["x"]] {
        ended(again(&program).args(wrong), 2)?;
    }
    Ok(())
}

fn test_event_loop(flags: &[&str]) -> Result<()> {
    let program = example("poll_event_loop", flags)?;
    let began = Instant::now();
    let servers: Vec<Server> =
        (0..8).map(|_| Server::of_connections(SERVICE)).collect::<Result<_>>()?;
    let ports = servers.iter().map(|server| server.port.to_string());
    // The three of every program, a pipe, a socket for each, and some to spare.
    let printed = ended(with_files(&program, 3 + 2 + 8 + 9).args(ports), 0)?;
    for server in &servers {
        polled(&printed, &format!("port {}, ", server.port), server)?;
    }
    // Each of them is silent for a second; one after another they would take eight.
    ensure!(began.elapsed() < Duration::from_secs(6), "{:?}\n{printed}", began.elapsed());

    let refused = Server::of_connections(REFUSAL)?;
    let printed = ended(again(&program).arg(refused.port.to_string()), 1)?;
    ensure!(printed.ends_with("attempt 1: stop, permanent\n"), "{printed}");

    for wrong in ["0", "65536", "x"] {
        ended(again(&program).arg(wrong), 2)?;
    }

    // One is asked and one is waited for when both are given up.
    let (silent, starting) = (
        Server::of_connections(&[Answer::Silence])?,
        Server::of_connections(&[Answer::Bytes("starting\n")])?,
    );
    let ports = [silent.port, starting.port].map(|port| port.to_string());
    let running =
        again(&program).args(ports).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    while starting.visits("").len() < 2 {
        thread::sleep(Duration::from_millis(5));
    }
    let interrupted = Instant::now();
    run(command("kill").args(["-INT", &running.id().to_string()]))?;
    let output = running.wait_with_output()?;
    let printed = String::from_utf8([output.stdout, output.stderr].concat())?;
    ensure!(output.status.code() == Some(1), "{}\n{printed}", output.status);
    ensure!(interrupted.elapsed() < Duration::from_millis(700), "{:?}", interrupted.elapsed());
    ensure!(printed.matches(": cancelled\n").count() == 2, "{printed}");
    Ok(())
}

/// That a program printed each outcome of a service, and waited so long as it printed.
fn polled(printed: &str, of: &str, server: &Server) -> Result<()> {
    let said: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix(of)).collect();
    let mut waits = Vec::new();
    for ((number, outcome), line) in (1..).zip(OUTCOMES).zip(&said) {
        let wait = line
            .strip_prefix(&format!("attempt {number}: {outcome}, wait "))
            .and_then(|rest| rest.strip_suffix(" ns"))
            .with_context(|| format!("{outcome}?\n{printed}"))?;
        waits.push(wait.parse()?);
    }
    ensure!(said.len() == 5 && said.last() == Some(&"attempt 5: stop, success"), "{printed}");
    never_shorter(server, &waits)
}

fn never_shorter(server: &Server, waits_ns: &[u64]) -> Result<()> {
    let gaps = gaps(&server.visits(""));
    ensure!(gaps.len() == waits_ns.len(), "{gaps:?} of {waits_ns:?}");
    for (gap, wait_ns) in gaps.iter().zip(waits_ns) {
        ensure!(*gap >= Duration::from_nanos(*wait_ns), "{gaps:?} of {waits_ns:?}");
    }
    Ok(())
}
