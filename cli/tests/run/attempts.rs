//! Which attempts are made, and what they see.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{DELAYS, POLICY, SEED, backoff, errors, folder, output, run};

/// The lines of JSON, without their times.
fn events(text: &str) -> Vec<Value> {
    let mut events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &mut events {
        let elapsed = event.as_object_mut().unwrap().remove("elapsed_ns").unwrap();
        assert!(elapsed.as_str().unwrap().parse::<u64>().is_ok());
    }
    events
}

#[test]
fn the_delays_are_those_of_the_stream() {
    let mut command = backoff(&["--json", "run", POLICY]);
    command.args(SEED).args(["--on", "75", "--", "sh", "-c", "echo $BACKOFF_ATTEMPT; exit 75"]);
    let output = output(command);
    assert_eq!(output.status.code(), Some(75));
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "1\n2\n3\n4\n");
    let retry = |(number, delay): (usize, &str)| {
        let (attempts, outcome) = (number + 1, "transient");
        json!({"event": "retry", "attempts": attempts, "code": 75, "outcome": outcome, "delay_ns": delay})
    };
    let mut expected: Vec<Value> = DELAYS.into_iter().enumerate().map(retry).collect();
    expected.push(json!({
        "event": "stop", "attempts": 4, "code": 75, "outcome": "transient",
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
fn events_in_a_file_are_apart_from_what_the_command_prints() {
    let file = folder("events").join("events");
    let path = file.to_str().unwrap();
    for options in [&["--quiet"][..], &[]] {
        let script = "printf partial >&2; exit 75";
        let common = ["constant:base=1ns,max_retries=1", "--on", "75", "--events", path];
        let output = output(run(&[&common[..], options].concat(), script));
        assert_eq!(output.status.code(), Some(75));
        let expected = if options.is_empty() {
            "partialbackoff: attempt 1 exited with 75; retry in 1ns\n\
             partialbackoff: attempt 2 exited with 75; all retries were made\n"
        } else {
            "partialpartial"
        };
        assert_eq!(errors(&output), expected);
    }
    let events = events(&fs::read_to_string(&file).unwrap());
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["retry", "stop", "retry", "stop"]);
}

#[test]
fn events_that_nobody_can_write_run_nothing() {
    let file = folder("no_events").join("missing").join("events");
    let options = ["default", "--on-any", "--events", file.to_str().unwrap()];
    let output = output(run(&options, "echo ran"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(125), 0));
    assert!(errors(&output).starts_with("error: cannot open the file"), "{}", errors(&output));
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
        (&["--on-timeout", "28"], "exit 28", 3, "timeout", "max_retries"),
        (&["--on", "137"], "kill -KILL $$", 3, "transient", "max_retries"),
        (&["--on", "75"], "kill -KILL $$", 1, "permanent", "permanent"),
        (&["--on-any"], "exit 0", 1, "success", "success"),
        (&["--on-any"], "[ $BACKOFF_ATTEMPT = 2 ]", 2, "success", "success"),
    ];
    for (options, script, attempts, outcome, reason) in table {
        let mut command = backoff(&["--json", "run", "constant:base=1ns,max_retries=2"]);
        command.args(options).args(["--", "sh", "-c", script]);
        let output = output(command);
        let events = events(&errors(&output));
        assert_eq!(events.len(), attempts, "{options:?} {script}");
        let last = events.last().unwrap();
        assert_eq!(last["outcome"], outcome, "{options:?} {script}");
        assert_eq!(last["reason"], reason, "{options:?} {script}");
    }
}

#[test]
fn a_success_is_silent() {
    let output = output(run(&["default", "--on-any"], "true"));
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
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
        assert!(errors(&output).starts_with(&line), "{}", errors(&output));
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
        (&["default", "--on", "0"], "0 is not in 1..=255"),
        (&["default", "--on", "256"], "256 is not in 1..=255"),
        (&["default", "--on", "+4"], "+4 is not in 1..=255"),
        (&["default", "--on", "1", "--on-any"], "cannot be used with"),
        (&["default", "--on", "7", "--on-timeout", "7"], "exit code 7 is in both --on and"),
        (&["full:base=1", "--on-any"], "at 11: base has no unit"),
        (&["default", "--on-any", "--budget", "x"], "unknown"),
        (&["default", "--on-any", "--budget-file", "f"], "--budget <BUDGET>"),
        (&["default", "--on-any", "--attempt-timeout", "0s"], "0s is too short"),
        (&["default", "--on-any", "--attempt-timeout", "1"], "unit"),
        (&["default", "--on-any", "--retry-after-fd", "2"], "2 is not in 3..=1023"),
        (&["default", "--on-any", "--seed", "x"], "not a whole number"),
    ];
    for (options, message) in table {
        let output = output(run(options, "echo ran"));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {errors}");
        assert!(errors.contains(message), "{options:?}: {errors}");
        assert!(output.stdout.is_empty());
    }
    let output = output(backoff(&["run", "default", "--on-any"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("<COMMAND>"), "{}", errors(&output));
}
