//! Which attempts are made, and what they see.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{DELAYS, POLICY, SEED, backoff, errors, events, folder, output, run};

#[test]
fn the_delays_are_those_of_the_stream() {
    let mut command = backoff(&["--json", "run", POLICY]);
    command.args(SEED).args(["--on", "75", "--", "sh", "-c", "echo $BACKOFF_ATTEMPT; exit 75"]);
    let output = output(command);
    assert_eq!(output.status.code(), Some(75));
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "1\n2\n3\n4\n");
    let retry = |(number, delay): (usize, &str)| {
        let (attempts, outcome) = (number + 1, "transient");
        json!({
            "label": "job-1", "event": "retry", "attempts": attempts, "code": 75,
            "outcome": outcome, "delay_ns": delay,
        })
    };
    let mut expected: Vec<Value> = DELAYS.into_iter().enumerate().map(retry).collect();
    expected.push(json!({
        "label": "job-1", "event": "stop", "attempts": 4, "code": 75, "outcome": "transient",
        "reason": "max_retries", "delay_ns": "0",
    }));
    assert_eq!(events(&errors(&output)), expected);
}

#[test]
fn retries_are_reported_as_text_or_not_at_all() {
    let options = [&[POLICY, "--on", "75"][..], &SEED].concat();
    let output_of = |more: &[&str]| {
        let output = output(run(&[&options[..], more].concat(), "exit 75"));
        assert_eq!(output.status.code(), Some(75));
        errors(&output)
    };
    let expected = "backoff: attempt 1 exited with 75; retry in 11.4ms\n\
                    backoff: attempt 2 exited with 75; retry in 83.0ms\n\
                    backoff: attempt 3 exited with 75; retry in 229ms\n\
                    backoff: attempt 4 exited with 75; all retries were made\n";
    assert_eq!(output_of(&[]), expected);
    assert_eq!(output_of(&["--quiet"]), "");
}

#[test]
fn only_allowed_codes_are_repeated() {
    let table = [
        (&["--on", "75"][..], "exit 75", 3, "transient", "max_retries"),
        (&["--on", "74,75"], "exit 75", 3, "transient", "max_retries"),
        (&["--on", "74, 75"], "exit 75", 3, "transient", "max_retries"),
        (&["--on", "74", "--on", "75"], "exit 75", 3, "transient", "max_retries"),
        (&["--on", "74"], "exit 75", 1, "permanent", "permanent"),
        (&["--on-any"], "exit 75", 3, "transient", "max_retries"),
        (&["--on-any"], "exit 127", 3, "transient", "max_retries"),
        (&["--on-any", "--on-throttled", "75"], "exit 75", 3, "throttled", "max_retries"),
        (&["--on", "64-78,111"], "exit 64", 3, "transient", "max_retries"),
        (&["--on", "64-78,111"], "exit 78", 3, "transient", "max_retries"),
        (&["--on", "64-78,111"], "exit 111", 3, "transient", "max_retries"),
        (&["--on", "64-78,111"], "exit 79", 1, "permanent", "permanent"),
        (&["--on-any", "--never", "2,22"], "exit 22", 1, "permanent", "permanent"),
        (&["--on-any", "--never", "2,22"], "exit 21", 3, "transient", "max_retries"),
        (&["--on", "1-5", "--never", "3"], "exit 3", 1, "permanent", "permanent"),
        (&["--on-any"], "kill -PIPE $$", 1, "permanent", "permanent"),
        (&["--on", "141"], "kill -PIPE $$", 3, "transient", "max_retries"),
        (&["--on-timeout", "28"], "exit 28", 3, "timeout", "max_retries"),
        (&["--on-any"], "exit 124", 3, "timeout", "max_retries"),
        (&["--on", "124"], "exit 124", 3, "timeout", "max_retries"),
        (&["--on-any", "--never", "22,124"], "exit 124", 1, "permanent", "permanent"),
        (&["--on-throttled", "124"], "exit 124", 3, "throttled", "max_retries"),
        (&["--on", "137"], "kill -KILL $$", 3, "transient", "max_retries"),
        (&["--on", "75"], "kill -KILL $$", 1, "permanent", "permanent"),
        (&["--on-any"], "exit 0", 1, "success", "success"),
        (&["--on-any"], "[ $BACKOFF_ATTEMPT = 2 ]", 2, "success", "success"),
    ];
    for (options, script, attempts, outcome, reason) in table {
        let common = ["constant:base=1ns,max_retries=2", "--json"];
        let output = output(run(&[&common, options].concat(), script));
        let events = events(&errors(&output));
        assert_eq!(events.len(), attempts, "{options:?} {script}");
        let last = events.last().unwrap();
        assert_eq!(last["outcome"], outcome, "{options:?} {script}");
        assert_eq!(last["reason"], reason, "{options:?} {script}");
    }
}

#[test]
fn a_command_whose_reader_left_is_not_repeated() {
    let program = env!("CARGO_BIN_EXE_backoff");
    let script = format!(
        "{program} run constant:base=1ns,max_retries=2 --on-any -- \
         sh -c 'echo attempt >&2; exec yes' | head -n 1"
    );
    let output = Command::new("setsid").args(["sh", "-c", &script]).output().unwrap();
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout).as_ref(), errors(&output).as_str()),
        ("y\n", "attempt\n")
    );
}

#[test]
fn a_command_that_cannot_run_is_not_repeated() {
    let folder = folder("cannot_run");
    let file = folder.join("text");
    fs::write(&file, "no program").unwrap();
    let file = file.to_str().unwrap();
    let table = [
        ("no-such-command", 127, "No such file or directory"),
        ("/no/such/command", 127, "No such file or directory"),
        ("", 127, "No such file or directory"),
        (file, 126, "Permission denied"),
        (folder.to_str().unwrap(), 126, "Permission denied"),
    ];
    for (command, code, message) in table {
        let output = output(backoff(&["run", "constant:base=1h", "--on-any", "--", command]));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(code), "{command}: {errors}");
        assert!(errors.starts_with(&format!("error: cannot run {command}")), "{errors}");
        assert!(errors.contains(message), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[test]
fn a_script_without_an_interpreter_is_one_of_the_shell() {
    let file = folder("script").join("script");
    // Written by another process, because a file that a test still has open cannot be executed.
    let text = "echo $BACKOFF_ATTEMPT \"$@\"; exit 5";
    let write = r#"printf '%s\n' "$1" > "$0"; chmod +x "$0""#;
    let status = Command::new("sh").args(["-c", write]).arg(&file).arg(text).status();
    assert!(status.unwrap().success());
    let mut command = backoff(&["run", "constant:base=1ns,max_retries=1", "--on", "5", "--"]);
    command.arg(file).args(["a  b", "-c"]);
    let output = output(command);
    assert_eq!(output.status.code(), Some(5), "{}", errors(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1 a  b -c\n2 a  b -c\n");
}

#[test]
fn the_signal_of_the_command_is_its_own() {
    // SIGSEGV has a handler in Rust, SIGPIPE is ignored, SIGQUIT would leave a core dump.
    for (name, signal) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("PIPE", 13), ("QUIT", 3)] {
        let script = format!("ulimit -c 0; kill -{name} $$");
        let output = output(run(&["constant:base=1ns,max_retries=1", "--on-any"], &script));
        assert_eq!(output.status.signal(), Some(signal), "{name}");
        let line = format!("backoff: attempt 1 was killed by SIG{name}; retry in 1ns");
        let is_repeated = errors(&output).starts_with(&line);
        assert_eq!(is_repeated, name != "PIPE", "{}", errors(&output));
    }
}

#[test]
fn standard_input_is_handed_through() {
    let mut command = run(
        &["constant:base=1ns,max_retries=2", "--on", "1"],
        // `read` of a shell takes one line and leaves the rest.
        "read line; echo $BACKOFF_ATTEMPT $line; exit 1",
    );
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    let output = child.wait_with_output().unwrap();
    // The third attempt reads the end.
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1 one\n2 two\n3\n");
}

#[test]
fn arguments_and_output_are_those_of_the_command() {
    let script = r#"printf '%s|' "$@"; echo error >&2"#;
    let mut command = run(&["default", "--on-any"], script);
    command.args(["0", "a b", "--json", "", "--", "\u{e4}"]);
    let output = output(command);
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "a b|--json||--|\u{e4}|");
    assert_eq!(errors(&output), "error\n");
}

#[test]
fn wrong_arguments_run_nothing() {
    let table = [
        (&["default"][..], "--on <CODES>|--on-throttled <CODES>|--on-timeout <CODES>|--on-any"),
        (&["default", "--never", "2"], "--on <CODES>|"),
        (&["default", "--on", "0"], "0 is success, and the codes of failures are 1 to 255"),
        (&["default", "--on", "256"], "256 is not a number from 1 to 255"),
        (&["default", "--on", "+4"], "+4 is not a number from 1 to 255"),
        (&["default", "--on", "5-1"], "5-1 ends before it begins"),
        (&["default", "--on", "5-"], "5- has no last exit code, as 64-78 has"),
        (&["default", "--on=-5"], "-5 has no first exit code, as 64-78 has"),
        (&["default", "--on", ""], "an exit code is missing; write codes such as 75 or 64-78"),
        (&["default", "--on", "5,"], "an exit code is missing; write codes such as 75 or 64-78"),
        (&["default", "--on", "5", "--never", "5"], "exit code 5 is in both --on and --never"),
        (
            &["default", "--on", "3,75", "--never", "70-80"],
            "exit code 75 is in both --on and --never",
        ),
        (&["default", "--on", "1-2", "--never", "1,2"], "exit code 1 is in both --on and --never"),
        (
            &["default", "--on-any", "--on-timeout=8", "--never=8"],
            "8 is in both --on-timeout and --never",
        ),
        (&["default", "--on", "1", "--on-any"], "cannot be used with"),
        (&["default", "--on", "7", "--on-timeout", "7"], "exit code 7 is in both --on and"),
        (&["default", "--on", "1-7", "--on-timeout", "7"], "exit code 7 is in both --on and"),
        (&["full:base=1", "--on-any"], "at 11: base has no unit"),
        (&["default", "--on-any", "--budget", "x"], "unknown"),
        (&["default", "--on-any", "--budget-file", "f"], "--budget <BUDGET>"),
        (&["default", "--on-any", "--attempt-timeout", "0s"], "0s is too short"),
        (&["default", "--on-any", "--attempt-timeout", "1"], "unit"),
        (&["default", "--on-any", "--kill-after", "1s"], "--kill-after needs --attempt-timeout"),
        (&["default", "--on-any", "--retry-after-fd", "2"], "not a whole number from 3 to 1023"),
        (&["default", "--on-any", "--retry-after-fd", "x"], "not a whole number from 3 to 1023"),
        (&["default", "--on-any", "--seed", "x"], "not a whole number"),
        (
            &["default", "--on-any", "--stdout", "success"],
            "possible values: passthrough, on-success",
        ),
        (&["default", "--on-any", "--stdin", "again"], "possible values: shared, replay"),
        (
            &["default", "--on-any", "--budget=envoy", "--budget-file=f"],
            "a budget of the kind concurrent cannot be in a file",
        ),
        (
            &["default", "--on-any", "--budget=sre", "--budget-file=./f", "--events=f"],
            "--budget-file and --events are the same file, f",
        ),
    ];
    for (options, message) in table {
        let output = output(run(options, "echo ran"));
        let errors = errors(&output);
        // Not 2, which is a result of grep, make and others.
        assert_eq!(output.status.code(), Some(125), "{options:?}: {errors}");
        assert!(errors.contains(message), "{options:?}: {errors}");
        assert!(output.stdout.is_empty());
        // Not that of `backoff` itself.
        assert!(!errors.contains("Usage: backoff [OPTIONS] <COMMAND>"), "{errors}");
    }
}

#[test]
fn a_command_without_the_dashes_is_told_of_them() {
    for command in [&["true"][..], &["curl", "-fsS"], &[]] {
        let output = output(backoff(&[&["run", "default", "--on-any"], command].concat()));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(125), "{errors}");
        assert!(errors.contains("tip: put -- before the command: backoff run POLICY"), "{errors}");
    }
}

#[test]
fn an_argument_that_is_not_utf8_is_named() {
    let mut command = backoff(&["run", "default", "--on-any", "--events"]);
    // A name of a file may have any bytes.
    command.arg(OsStr::from_bytes(b"\xfe")).args(["--seed=1", "--key"]);
    command.arg(OsStr::from_bytes(b"a\xff")).args(["--", "true"]);
    let output = output(command);
    assert_eq!(output.status.code(), Some(125));
    let expected = "error: argument 8, 'a\u{fffd}', is not UTF-8\n";
    assert!(errors(&output).starts_with(expected), "{}", errors(&output));
}

#[test]
fn a_builtin_needs_a_shell() {
    for (command, shown) in [("cd\x1b[31m", "cd\\u{1b}[31m"), ("", "''")] {
        let output = output(backoff(&["run", "default", "--on-any", "--", command]));
        assert_eq!(output.status.code(), Some(127));
        let expected = format!(
            "error: cannot run {shown} (a function or a builtin of a shell needs `sh -c`): No such \
             file or directory (os error 2)\n"
        );
        assert_eq!(errors(&output), expected);
    }
}
