//! Standard input and standard output of several attempts.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Running, errors, events, folder, kill, output, run, wait_until_settled};

const TWICE: [&str; 2] = ["constant:base=1ns,max_retries=1", "--on-any"];
const CAPTURED: [&str; 4] =
    ["constant:base=1ns,max_retries=1", "--on-any", "--stdout", "on-success"];
const REPLAYED: [&str; 4] = ["constant:base=1ns,max_retries=1", "--on-any", "--stdin", "replay"];

/// What `seq` prints.
fn numbers(last: u32) -> String {
    (1..=last).map(|number| number.to_string() + "\n").collect()
}

#[test]
fn only_a_success_is_written() {
    let script = "echo attempt $BACKOFF_ATTEMPT; [ $BACKOFF_ATTEMPT = 2 ]";
    let captured = output(run(&CAPTURED, script));
    assert_eq!((captured.status.code(), captured.stdout), (Some(0), b"attempt 2\n".to_vec()));
    // The default.
    let all = output(run(&TWICE, script));
    assert_eq!(all.stdout, b"attempt 1\nattempt 2\n");
    let failed = output(run(&CAPTURED, "echo attempt; exit 3"));
    assert_eq!((failed.status.code(), failed.stdout), (Some(3), vec![]));
}

#[test]
fn a_long_output_is_written_as_a_whole() {
    let script = "seq 300000; [ $BACKOFF_ATTEMPT = 2 ]";
    let expected = numbers(300_000);
    let to_pipe = output(run(&CAPTURED, script));
    assert_eq!(String::from_utf8(to_pipe.stdout).unwrap(), expected);
    let file = folder("long").join("file");
    let mut command = run(&CAPTURED, script);
    command.stdout(File::create(&file).unwrap());
    assert_eq!(errors(&output(command)), "backoff: attempt 1 exited with 1; retry in 1ns\n");
    assert_eq!(fs::read_to_string(file).unwrap(), expected);
}

#[test]
fn what_an_earlier_attempt_left_behind_cannot_speak() {
    let folder = folder("late");
    let folder = folder.to_str().unwrap();
    let until = |name| format!("until [ -e {folder}/{name} ]; do sleep 0.01; done");
    let script = format!(
        "case $BACKOFF_ATTEMPT in
         1) ({}; echo late; touch {folder}/said) & exit 1 ;;
         2) touch {folder}/go; {}; echo right ;;
         esac",
        until("go"),
        until("said")
    );
    let output = output(run(&CAPTURED, &script));
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"right\n".to_vec()));
}

/// `--stdout on-success` with a file of events.
fn with_events(file: &Path, script: &str) -> Command {
    run(&[&CAPTURED[..], &["--events", file.to_str().unwrap()]].concat(), script)
}

/// The event, code, outcome and reason of each event in a file.
fn outcomes(file: &Path) -> Vec<[Value; 4]> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names = ["event", "code", "outcome", "reason"];
    lines.map(|event| names.map(|name| event[name].clone())).collect()
}

#[test]
fn a_reader_that_leaves_ends_it_as_it_would_end_the_command() {
    let file = folder("left").join("events");
    let mut command = with_events(&file, "echo ready >&2; seq 300000");
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut running = Running::start_child(child);
    running.expect("ready");
    assert_eq!(running.end(), -13);
    assert_eq!(json!(outcomes(&file)), json!([["stop", 141, "permanent", "permanent"]]));
}

#[test]
fn a_signal_ends_the_writing() {
    let file = folder("unwritten").join("events");
    let mut command = with_events(&file, "seq 300000");
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let mut running = Running::start_child(child);
    // It writes, and the rest is more than a pipe holds.
    pipe.read_exact(&mut [0]).unwrap();
    wait_until_settled(running.child.id());
    assert_eq!(fs::read(&file).unwrap(), b"");
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
    assert_eq!(running.rest(), ["backoff: attempt 1 exited with 0; ended by SIGTERM"]);
    assert_eq!(json!(outcomes(&file)), json!([["stop", 0, null, "cancelled"]]));
}

#[test]
fn a_success_that_cannot_be_written_is_none() {
    let file = folder("full").join("events");
    let mut command = with_events(&file, "echo text");
    command.stdout(File::options().write(true).open("/dev/full").unwrap());
    let written = output(command);
    assert_eq!(written.status.code(), Some(125));
    let expected = "error: cannot write standard output: No space left on device (os error 28)\n";
    assert_eq!(errors(&written), expected);
    assert_eq!(json!(outcomes(&file)), json!([["error", null, null, null]]));
}

#[test]
fn each_attempt_reads_all_of_the_input() {
    let script = "cat; [ $BACKOFF_ATTEMPT = 2 ]";
    let text = numbers(50_000);
    let mut command = run(&REPLAYED, script);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let sent = text.clone();
    std::thread::spawn(move || input.write_all(sent.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), text.repeat(2));
}

#[test]
fn each_attempt_reads_a_file_from_where_it_was() {
    let file = folder("replay").join("file");
    fs::write(&file, "one\ntwo\nthree\n").unwrap();
    let program = env!("CARGO_BIN_EXE_backoff");
    let options = REPLAYED.join(" ");
    // `read` takes one line of a file and leaves the rest.
    let script = format!(
        "read line; {program} run {options} -- sh -c 'cat; exit 1'; read line; echo $line."
    );
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", &script]).stdin(File::open(file).unwrap());
    let output = output(command);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "two\nthree\ntwo\nthree\n.\n");
}

#[test]
fn a_signal_ends_the_reading() {
    let file = folder("unread").join("events");
    let options = [&REPLAYED[..], &["--events", file.to_str().unwrap()]].concat();
    let mut command = run(&options, "echo ran");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"first").unwrap();
    let mut running = Running::start_child(child);
    let id = running.child.id();
    crate::support::wait_until("it waits for more", || {
        fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe.ends_with("backoff"))
            && fs::read_to_string(format!("/proc/{id}/status"))
                .is_ok_and(|status| status.contains("State:\tS (sleeping)"))
    });
    kill("TERM", id);
    assert_eq!(running.end(), -15);
    assert_eq!(running.rest(), Vec::<String>::new());
    let expected = json!({
        "event": "stop", "attempts": 0, "reason": "cancelled", "delay_ns": "0",
    });
    assert_eq!(events(&fs::read_to_string(file).unwrap()), [expected]);
}

/// What a run with these redirections of the shell says about files that the attempts share.
fn warnings(options: &str, script: &str, redirections: &str) -> Vec<String> {
    let file = folder("shared").join("file");
    fs::write(&file, "one\ntwo\n").unwrap();
    let program = env!("CARGO_BIN_EXE_backoff");
    let line = format!(
        "\"$0\" run constant:base=1ns,max_retries=2 --on-any -q {options} -- sh -c '{script}' {redirections}"
    );
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", &line, program]).env("FILE", &file).stdin(Stdio::null());
    let output = output(command);
    let all = errors(&output) + &fs::read_to_string(&file).unwrap();
    all.lines().filter(|line| line.contains("--std")).map(str::to_owned).collect()
}

#[test]
fn a_file_that_the_attempts_share_is_a_warning() {
    let (prints, reads) = ("echo text; exit 1", "read line; exit 1");
    let [output] = &warnings("", prints, "> $FILE")[..] else { panic!() };
    assert_eq!(
        output,
        "backoff: attempt 1 failed, but its output stays in standard output; with --stdout \
         on-success only the output of a successful attempt is written"
    );
    let [input] = &warnings("", reads, "< $FILE")[..] else { panic!() };
    assert_eq!(
        input,
        "backoff: attempt 1 failed after it read standard input, so the next one reads only the \
         rest; with --stdin replay each attempt reads all of it"
    );
    for (options, script, redirections) in [
        ("", "exit 1", "> $FILE"),
        ("", "exit 1", "< $FILE"),
        // Logs.
        ("", prints, ">> $FILE"),
        ("", prints, "> $FILE 2>&1"),
        // What the user has chosen.
        ("--stdout passthrough", prints, "> $FILE"),
        ("--stdin shared", reads, "< $FILE"),
        ("--stdout on-success", prints, "> $FILE"),
        ("--stdin replay", reads, "< $FILE"),
        // Without a failure.
        ("", "echo text", "> $FILE"),
        ("", prints, ""),
    ] {
        let warnings = warnings(options, script, redirections);
        assert_eq!(warnings, Vec::<String>::new(), "{options} {script} {redirections}");
    }
}
