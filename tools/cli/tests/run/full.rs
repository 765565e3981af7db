//! Files that take no more: the disk is full, or a limit of the user is reached.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{ONCE, errors, folder, output, run};

/// A program under a file size limit (`ulimit -f`).
fn limited(bytes: u64, command: &Command) -> Command {
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--fsize={bytes}")).arg(command.get_program()).args(command.get_args());
    limited.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    limited
}

/// Fills a file with lines that are complete.
fn fill(file: &Path, bytes: usize) {
    fs::write(file, "{}\n".repeat(bytes / 3)).unwrap();
}

#[test]
fn an_event_that_does_not_fit_is_half_a_line_and_the_next_begins_one() {
    let file = folder("half_line").join("events");
    fill(&file, 999);
    let path = file.to_str().unwrap();
    let once = [ONCE, "--on-any", "--events", path];
    let limited = output(limited(1023, &run(&once, "exit 3")));
    assert_eq!(limited.status.code(), Some(3));
    let expected = "backoff: attempt 1 exited with 3; the policy allows no retries\n";
    assert_eq!(errors(&limited), expected);
    assert_eq!(fs::metadata(&file).unwrap().len(), 1023);
    // Another process finds the half line; there is one within a process, too.
    output(run(&once, "exit 3"));
    let twice = ["constant:base=1ns,max_retries=1", "--on-any", "--events", path];
    let script = format!("[ $BACKOFF_ATTEMPT = 1 ] || printf half >> {path}; exit 3");
    output(run(&twice, &script));
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| *line != "{}");
    let are_events = lines.map(|line| serde_json::from_str::<Value>(line).is_ok());
    let expected = [false, true, true, false, true];
    assert_eq!(are_events.collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn a_copy_that_does_not_fit_is_an_error() {
    let mut command = limited(1000, &run(&[ONCE, "--on-any", "--stdin", "replay"], "cat"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[b'x'; 2000]).unwrap();
    let replayed = child.wait_with_output().unwrap();
    assert_eq!(replayed.status.code(), Some(125));
    let expected = "error: cannot keep a copy of standard input: File too large (os error 27)\n";
    assert_eq!(errors(&replayed), expected);
    let file = folder("limited_output").join("file");
    fill(&file, 999);
    let mut command = limited(1000, &run(&[ONCE, "--on-any", "--stdout", "on-success"], "seq 9"));
    command.stdout(File::options().append(true).open(file).unwrap());
    let written = output(command);
    assert_eq!(written.status.code(), Some(125));
    let expected = "error: cannot write standard output: File too large (os error 27)\n";
    assert_eq!(errors(&written), expected);
}

#[test]
fn the_limit_ends_the_command_as_without_us() {
    let file = folder("limited_command").join("file");
    let script = format!("exec head -c 2000 /dev/zero > {}", file.display());
    let ended = output(limited(1000, &run(&[ONCE, "--on", "1"], &script)));
    assert_eq!(ended.status.signal(), Some(25), "{}", errors(&ended));
    // Unless the caller ignores the signal.
    let ignoring = "trap '' XFSZ; exec \"$0\" run \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", ignoring, env!("CARGO_BIN_EXE_backoff"), ONCE, "--on", "2"]);
    command.args(["--", "sh", "-c", &script]);
    let ended = output(limited(1000, &command));
    assert_eq!(ended.status.code(), Some(1), "{}", errors(&ended));
}
