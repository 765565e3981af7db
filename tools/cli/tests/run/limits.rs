//! Time limits, `Retry-After` and budgets of one process.

use std::time::Instant;

use crate::support::{ONCE, Running, errors, folder, is_running, output, run, wait_until};

/// It has tokens for several retries, but for only one after a timeout.
const LITTLE: &str = "quota:max_tokens=10,cost=1,cost_throttled=1,cost_timeout=10";

#[test]
fn the_last_line_says_why_there_is_no_retry() {
    // The list is not asked about an attempt that met its limit.
    let took = ["--on", "1", "--attempt-timeout", "50ms"];
    let sleep = "exec sleep 1000";
    let twice = "constant:base=1ns,max_retries=1";
    let table: [(&str, &[&str], &str, i32, &str); 10] = [
        (twice, &took, sleep, 124, "took too long; all retries were made"),
        (
            twice,
            &["--on-any", "--never", "100-124", took[2], took[3]],
            sleep,
            124,
            "took too long; --never has its exit code, 124",
        ),
        (
            "constant:base=1ns,max_retries=1,attempt_timeout=50ms",
            &["--on-any", "--kill-after", "1h"],
            sleep,
            124,
            "took too long; all retries were made",
        ),
        (
            "constant:base=1ns,max_retries=1,attempt_timeout=1h",
            &took,
            sleep,
            124,
            "took too long; all retries were made",
        ),
        (
            "constant:base=1ns,max_retries=1,attempt_timeout=1ns",
            &["--on-any", "--attempt-timeout", "none"],
            "sleep 0.1; exit 7",
            7,
            "exited with 7; all retries were made",
        ),
        (
            "constant:base=1ns,max_retries=2",
            &["--on-throttled", "124", "--attempt-timeout", "50ms", "--budget", LITTLE],
            sleep,
            124,
            "took too long; the budget allows no retry",
        ),
        (
            twice,
            &["--on-any", "--attempt-timeout", "1h"],
            "exit 7",
            7,
            "exited with 7; all retries were made",
        ),
        (ONCE, &["--on-any"], "exit 7", 7, "exited with 7; the policy allows no retries"),
        (
            "constant:base=1h,max_elapsed=1m",
            &["--on-any"],
            "exit 3",
            3,
            "exited with 3; the wait would end after max_elapsed",
        ),
        (
            twice,
            &["--on-any", "--budget", "concurrent:ratio=0,min_concurrent=0"],
            "exit 3",
            3,
            "exited with 3; the budget allows no retry",
        ),
    ];
    for (policy, options, script, code, last) in table {
        let output = output(run(&[&[policy], options].concat(), script));
        assert_eq!(output.status.code(), Some(code), "{last}");
        let errors = errors(&output);
        let number = errors.lines().count();
        assert_eq!(errors.lines().last(), Some(&*format!("backoff: attempt {number} {last}")));
        assert!(
            number == 1 || errors.lines().next().unwrap().ends_with("; retry in 1ns"),
            "{errors}"
        );
    }
}

/// What a script prints before it takes too long, which is later on a slow machine.
fn timed_out(script: &str) -> String {
    for timeout in ["100ms", "1s", "10s", "100s"] {
        let options = [ONCE, "--on-any", "--attempt-timeout", timeout, "--kill-after", "50ms"];
        let mut running = Running::start(run(&options, script));
        // The output ends only when no process has it any more.
        let lines = running.rest();
        assert_eq!(running.end(), 124);
        if let Some(line) = lines.into_iter().find(|line| !line.is_empty()) {
            return line;
        }
    }
    panic!("it prints nothing");
}

#[test]
fn what_ignores_sigterm_is_killed() {
    timed_out("trap '' TERM; echo ready; while :; do sleep 1; done");
}

#[test]
fn a_stopped_command_is_ended_too() {
    let options = [ONCE, "--on-any", "--attempt-timeout", "200ms", "--kill-after", "1h"];
    let output = output(run(&options, "kill -STOP $$; exec sleep 1000"));
    assert_eq!(output.status.code(), Some(124));
}

#[test]
fn a_timeout_also_ends_the_processes_of_the_command() {
    for trap in ["", "trap '' TERM; "] {
        let id = timed_out(&format!("({trap}exec sh -c 'echo $$; sleep 1000; :') & wait"));
        wait_until("the process has ended", || !is_running(&id));
    }
}

#[test]
fn what_a_command_leaves_behind_does_not_keep_us() {
    let folder = folder("left_behind");
    let fifo = folder.join("fifo");
    let fifo = fifo.to_str().unwrap();
    let options = ["constant:base=1ns,max_retries=1", "--on-any", "--retry-after-fd", "3"];
    // It keeps all descriptors until the test lets it go.
    let script = format!("[ -p {fifo} ] || mkfifo {fifo}; (cat {fifo}) & exit 5");
    let mut running = Running::start(run(&options, &script));
    assert_eq!(running.end(), 5);
    std::fs::write(fifo, "").unwrap();
}

#[test]
fn a_policy_without_a_limit_is_a_warning() {
    let script = "[ $BACKOFF_ATTEMPT = 3 ]";
    let warning = "policy constant:base=1ns has no limit, so the command may run for ever; add \
                   max_retries=3 or max_elapsed=10m";
    let text = output(run(&["constant:base=1ns", "--on-any"], script));
    let mut lines = vec![format!("backoff: {warning}")];
    lines.extend([1, 2].map(|n| format!("backoff: attempt {n} exited with 1; retry in 1ns")));
    assert_eq!(errors(&text), lines.join("\n") + "\n");
    let quiet = output(run(&["constant:base=1ns", "--on-any", "--quiet"], script));
    assert_eq!(errors(&quiet), "");
    let json = output(run(&["constant:base=1ns", "--on-any", "--json"], script));
    assert_eq!(errors(&json).matches(warning).count(), 1, "{}", errors(&json));
    for limited in ["constant:base=1ns,max_retries=9", "constant:base=1ns,max_elapsed=1d"] {
        let output = output(run(&[limited, "--on-any"], script));
        assert!(!errors(&output).contains("no limit"), "{}", errors(&output));
    }
    // It is no news before there is a wait.
    let once = output(run(&["constant:base=1ns", "--on-any"], "true"));
    assert_eq!(errors(&once), "");
}

#[test]
fn the_wait_is_at_least_as_long_as_the_delay() {
    let begun = Instant::now();
    output(run(&["constant:base=300ms,max_retries=1", "--on-any"], "exit 3"));
    assert!(begun.elapsed().as_millis() >= 300);
}

#[test]
fn the_command_can_say_when_to_come_back() {
    let far = "Fri, 01 Jan 9999 00:00:00 GMT";
    let table = [
        ("echo 7 >&3", "retry in 7s"),
        ("printf 7 >&3", "retry in 7s"),
        (r"printf '7\r\n' >&3", "retry in 7s"),
        ("echo 7 >&3; exec 3>&-; sleep 0.1", "retry in 7s"),
        (&format!("echo '{far}' >&3"), "retry in 1h"),
        ("echo 0 >&3", "retry in 2s"),
        ("true", "retry in 2s"),
        (
            "echo soon >&3",
            "ignored a Retry-After that is neither seconds nor an HTTP date: \"soon\"",
        ),
        ("echo 7 >&3; echo 8 >&3", "ignored"),
        ("head -c 1024 /dev/zero | tr '\\0' 7 >&3", "retry in 1h"),
        ("head -c 1025 /dev/zero | tr '\\0' 7 >&3", "ignored"),
        // More than a pipe holds.
        ("head -c 1000000 /dev/zero >&3", "ignored"),
    ];
    for (script, expected) in table {
        let options = ["constant:base=2s,max_retries=1", "--on-any", "--retry-after-fd", "3"];
        let script = format!("{script}; exit 1");
        Running::start(run(&options, &script)).expect(expected);
        if expected.starts_with("ignored") {
            // Warnings are never hidden.
            Running::start(run(&[&options[..], &["--quiet"]].concat(), &script)).expect(expected);
        }
    }
}

#[test]
fn a_descriptor_that_is_in_use_is_refused() {
    let mut command = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_backoff");
    command.args(["-c", r#"exec 7>&1; exec "$0" "$@""#, program, "run", ONCE, "--on-any"]);
    command.args(["--retry-after-fd", "7", "--", "echo", "ran"]);
    let output = output(command);
    assert_eq!(output.status.code(), Some(125));
    let expected =
        "error: file descriptor 7 of --retry-after-fd is already in use; choose another\n";
    assert_eq!(errors(&output), expected);
}
