//! Signals from other processes, without a terminal.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{
    ONCE, Running, backoff, folder, is_running, kill, run, wait_until, wait_until_settled,
};

/// Says which signals it has got.
const COUNT: &str = "trap 'echo int' INT; trap 'echo term' TERM; trap 'echo hup' HUP; \
                     echo ready; while :; do sleep 0.05; done";

/// The output ends with this line, without another attempt or retry.
fn assert_is_over(running: &mut Running, last: &str) {
    let mut rest = running.rest();
    // Shells say this about a command of the same group.
    rest.retain(|line| line != "Terminated" && line != "Hangup");
    assert_eq!(rest.join("\n"), last);
}

#[test]
fn a_signal_during_the_command_is_passed_on_and_ends_it() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        let script = "ulimit -c 0; echo ready $BACKOFF_ATTEMPT; exec sleep 1000";
        let mut running = Running::start(run(&["constant:base=1ns", "--on-any"], script));
        running.expect("ready 1");
        kill(name, running.child.id());
        assert_eq!(running.end(), -number, "{name}");
        let last = format!(
            "backoff: attempt 1 was killed by SIG{name}; there is no retry after SIG{name}"
        );
        assert_is_over(&mut running, &last);
    }
}

#[test]
fn a_command_that_handles_the_signal_has_the_last_word() {
    let no_retry = "backoff: attempt 1 exited with 75; there is no retry after SIGTERM";
    for (script, code, last) in [("exit 0", 0, ""), ("exit 75", 75, no_retry)] {
        let script = format!("trap '{script}' TERM; echo ready; while :; do sleep 0.05; done");
        let mut running = Running::start(run(&["constant:base=1ns", "--on-any"], &script));
        running.expect("ready");
        kill("TERM", running.child.id());
        assert_eq!(running.end(), code);
        assert_is_over(&mut running, last);
    }
}

#[test]
fn a_signal_that_is_for_the_command_ends_nothing() {
    let script = "trap 'echo got $BACKOFF_ATTEMPT' ALRM USR1 USR2 WINCH; trap 'exit 7' TERM; \
                  echo ready; while :; do sleep 0.05; done";
    let mut running = Running::start(run(&["constant:base=1h", "--on=7"], script));
    running.expect("ready");
    for name in ["ALRM", "USR1", "USR2", "WINCH"] {
        kill(name, running.child.id());
        running.expect("got 1");
    }
    kill("TERM", running.child.id());
    assert_eq!(running.end(), 7);
    // During the wait there is no command.
    let mut running = Running::start(run(&["constant:base=1h", "--on-any"], "exit 1"));
    running.expect("retry in 1h");
    kill("USR1", running.child.id());
    wait_until_settled(running.child.id());
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut running = Running::start(run(&["constant:base=1ns", "--on-any"], COUNT));
    running.expect("ready");
    kill("INT", running.child.id());
    running.expect("int");
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
    // The command cannot say anything any more, and its output ends.
    let last = "backoff: attempt 1 was killed by SIGTERM; there is no retry after SIGINT";
    assert_is_over(&mut running, last);
}

#[test]
fn a_signal_for_a_whole_group_reaches_the_command_once() {
    let mut running = Running::start(run(&["constant:base=1ns", "--on-any"], COUNT));
    running.expect("ready");
    let group = format!("-{}", running.child.id());
    let status = Command::new("kill").args(["-s", "INT", "--", &group]).status();
    assert!(status.unwrap().success());
    running.expect("int");
    kill("HUP", running.child.id());
    assert_eq!(running.end(), -1);
    let last = "backoff: attempt 1 was killed by SIGHUP; there is no retry after SIGINT";
    assert_is_over(&mut running, last);
}

#[test]
fn a_signal_during_the_wait_ends_it_at_once() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        let mut running = Running::start(run(&["constant:base=1h", "--on-any"], "exit 1"));
        running.expect("retry in 1h");
        kill(name, running.child.id());
        assert_eq!(running.end(), -number, "{name}");
        let last = format!("backoff: SIG{name} ended the wait; there is no retry");
        assert_eq!(running.rest(), [last]);
    }
}

#[test]
fn a_wait_that_is_stopped_ends_at_its_time() {
    let mut running =
        Running::start(run(&["constant:base=2s", "--on-any"], "exit $BACKOFF_ATTEMPT"));
    running.expect("attempt 1 exited with 1; retry in 2s");
    let begun = Instant::now();
    wait_until_settled(running.child.id());
    kill("STOP", running.child.id());
    std::thread::sleep(Duration::from_secs(2));
    kill("CONT", running.child.id());
    running.expect("attempt 2");
    // Not 2 s after it goes on.
    assert!(begun.elapsed() < Duration::from_millis(3500), "{:?}", begun.elapsed());
}

/// Whatever the signal meets, the last line is not a promise of another attempt.
#[test]
fn the_last_line_says_that_a_signal_ended_it() {
    for _ in 0..50 {
        let mut running = Running::start(run(&["immediate", "--on-any"], "exit 1"));
        running.expect("; retry in 0s");
        kill("TERM", running.child.id());
        assert_eq!(running.end(), -15);
        let last = running.rest().pop().unwrap_or_default();
        let ends =
            ["; ended by SIGTERM", "; there is no retry after SIGTERM", "; there is no retry"];
        assert!(ends.iter().any(|end| last.ends_with(end)), "{last}");
    }
}

#[test]
fn a_code_that_would_be_repeated_is_no_answer_to_a_signal() {
    for (option, expected) in [("--on=7", -15), ("--on=8", 7)] {
        let folder = folder("no_answer");
        let file = folder.join("ended");
        let file = file.to_str().unwrap();
        // Python can block signals, and the shell cannot.
        let script = format!(
            "import os, signal, sys, time\n\
             signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n\
             print('ready', flush=True)\n\
             while not os.path.exists('{file}'): time.sleep(0.01)\n\
             os._exit(7)"
        );
        let mut command = backoff(&["run"]);
        command.args(["constant:base=1ns", option, "--", "python3", "-c", &script]);
        let mut running = Running::start(command);
        running.expect("ready");
        kill("TERM", running.child.id());
        wait_until_settled(running.child.id());
        std::fs::write(file, "").unwrap();
        assert_eq!(running.end(), expected);
        if expected == -15 {
            running.expect("backoff: attempt 1 exited with 7; ended by SIGTERM");
        }
    }
}

#[test]
fn a_signal_during_a_timeout_ends_it() {
    let options =
        ["constant:base=1ns", "--on-any", "--attempt-timeout", "1s", "--kill-after", "1h"];
    let mut running = Running::start(run(&options, COUNT));
    running.expect("term");
    kill("INT", running.child.id());
    running.expect("int");
    kill("INT", running.child.id());
    assert_eq!(running.end(), -2);
}

#[test]
fn the_processes_of_the_command_get_the_signal_too() {
    let script = "sleep 1000 & echo $!; wait";
    let mut running = Running::start(run(&[ONCE, "--on-any"], script));
    let id = running.expect("");
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
    wait_until("the process has ended", || !is_running(&id));
}

/// The program under a shell that ignores a signal.
fn ignoring(signal: &str, options: &[&str], script: &str) -> Command {
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", &format!("trap '' {signal}; exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_backoff")).arg("run").args(options);
    command.args(["--", "sh", "-c", script]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let mut running = Running::start(ignoring("HUP", &["constant:base=1h", "--on-any"], "exit 1"));
    running.expect("retry in 1h");
    kill("HUP", running.child.id());
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
}

#[test]
fn a_caller_that_ignores_its_children_does_not_matter() {
    let options = ["constant:base=1ns,max_retries=2", "--on-any"];
    let mut running = Running::start(ignoring("CHLD", &options, "exit 7"));
    assert_eq!(running.end(), 7);
}

/// Whether a command keeps its grace in one of many tries. Each says so, and how far apart the two
/// signals were at most; on a slow machine they may always be too far apart.
fn assert_is_one_request(keeps_its_grace: impl Fn() -> (bool, Duration)) {
    let mut shortest = Duration::MAX;
    for _ in 0..50 {
        let (is_one, apart) = keeps_its_grace();
        if is_one {
            return;
        }
        shortest = shortest.min(apart);
    }
    assert!(shortest >= Duration::from_millis(50), "{shortest:?}");
}

#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    // `timeout` sends it to the process and to its group.
    assert_is_one_request(|| {
        let script = "trap 'sleep 0.1; echo cleaned; exit 3' TERM; echo ready; \
                      while :; do sleep 0.05; done";
        let mut running = Running::start(run(&[ONCE, "--on-any"], script));
        running.expect("ready");
        let id = running.child.id().to_string();
        let begun = Instant::now();
        assert!(Command::new("kill").args(["-s", "TERM", &id, &id]).status().unwrap().success());
        let apart = begun.elapsed();
        (running.end() == 3, apart)
    });
}

#[test]
fn sigterm_soon_after_the_command_reacts_is_the_same() {
    assert_is_one_request(|| {
        let script = "trap 'echo got it; sleep 0.1; echo cleaned; exit 3' TERM; echo ready; \
                      while :; do sleep 0.01; done";
        let mut running = Running::start(run(&[ONCE, "--on-any"], script));
        running.expect("ready");
        let begun = Instant::now();
        kill("TERM", running.child.id());
        running.expect("got it");
        kill("TERM", running.child.id());
        let apart = begun.elapsed();
        (running.end() == 3, apart)
    });
}

#[test]
fn the_first_process_of_a_container_exits_with_a_code() {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork"]);
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("not tested: this system allows no containers");
        return;
    }
    let mut command = unshare();
    command.arg(env!("CARGO_BIN_EXE_backoff")).args(["run", ONCE, "--on-any", "--"]);
    let output = command.args(["sh", "-c", "kill -TERM $$"]).output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 15), "{output:?}");
}

#[test]
fn an_error_leaves_no_command_behind() {
    let mut running = Running::start(run(&[ONCE, "--on-any"], "echo $$; exec sleep 1000"));
    let command = running.expect("");
    let id = running.child.id();
    wait_until_settled(id);
    // A process that may have no descriptors cannot wait for them.
    let script = format!("import resource as r; r.prlimit({id}, r.RLIMIT_NOFILE, (0, 0))");
    assert!(Command::new("python3").args(["-c", &script]).status().unwrap().success());
    kill("CHLD", id);
    assert_eq!(running.end(), 125);
    wait_until("the command has ended", || !is_running(&command));
}

#[test]
fn standard_error_that_nobody_reads_keeps_nobody() {
    let (_reader, mut writer) = std::io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    let script = "echo attempt $BACKOFF_ATTEMPT; exit 1";
    let mut command = run(&["constant:base=1ns", "--on-any"], script);
    command.stderr(writer);
    let mut running = Running::start(command);
    running.expect("attempt 2");
    kill("TERM", running.child.id());
    assert_eq!(running.end(), -15);
}
