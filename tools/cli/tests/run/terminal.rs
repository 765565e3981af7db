//! Keys of a real terminal. Python's `pty` makes the terminal: the program leads its session.

use std::fs;
use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};

use crate::support::{ONCE, Running, folder, is_running, kill, wait_until, wait_until_settled};

/// Runs the arguments in a new terminal, connected to its own input and output, and prints how they
/// ended: an exit code, or less than 0 for a signal.
const TERMINAL: &str = "\
import os, pty, sys
status = pty.spawn(sys.argv[1:])
print('status', os.waitstatus_to_exitcode(status))
";

/// Closes a terminal as soon as its program has printed something, and prints how that ended.
const CLOSE: &str = "\
import os, pty, sys
process, terminal = pty.fork()
if process == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.read(terminal, 100)
os.close(terminal)
print('status', os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
";

/// Keeps a file from being opened until its standard input ends, and says that somebody tries.
const KEEP: &str = "\
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, lambda *_: print('opening', flush=True))
file = open(sys.argv[1], 'w')
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('kept', flush=True)
sys.stdin.read()
";

const CONTROL_C: &[u8] = b"\x03";
const CONTROL_Z: &[u8] = b"\x1a";
const CONTROL_BACKSLASH: &[u8] = b"\x1c";

struct Terminal {
    running: Running,
    keys: ChildStdin,
}

impl Terminal {
    fn start(arguments: &[&str]) -> Self {
        Self::python(TERMINAL, arguments)
    }

    fn python(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new("env");
        // As in `backoff` of `support.rs`.
        command.args(["--default-signal", "python3", "-c", program]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(command);
        let keys = running.child.stdin.take().unwrap();
        Self { running, keys }
    }

    fn run(options: &[&str], script: &str) -> Self {
        let program = [env!("CARGO_BIN_EXE_backoff"), "run"];
        Self::start(&[&program[..], options, &["--", "sh", "-c", script]].concat())
    }

    fn press(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
    }
}

const RETRY: [&str; 2] = ["constant:base=1ns", "--on-any"];

/// Says how often it was interrupted.
const COUNT: &str = "n=0; trap 'n=$((n+1)); echo interrupted $n' INT; echo ready $PPID; \
                     while :; do sleep 0.05; done";

#[test]
fn control_c_during_the_wait_ends_it() {
    for keys in [CONTROL_C, &[CONTROL_C, CONTROL_C].concat()] {
        let mut terminal = Terminal::run(&["constant:base=1h", "--on-any"], "exit 1");
        terminal.running.expect("retry in 1h");
        terminal.press(keys);
        terminal.running.expect("status -2");
    }
}

#[test]
fn a_key_reaches_the_command_and_its_end_is_that_of_the_loop() {
    // It goes on for a while, and says how often it was interrupted.
    let goes_on = "n=0; trap 'n=$((n+1))' INT; echo ready; i=0; \
                   while [ $n = 0 ]; do sleep 0.05; done; \
                   while [ $i -lt 10 ]; do i=$((i+1)); sleep 0.05; done; echo $n in all; exit 4";
    for (script, keys, lines) in [
        ("echo ready; exec sleep 1000", CONTROL_C, "status -2"),
        ("trap 'exit 9' INT; echo ready; while :; do sleep 0.05; done", CONTROL_C, "status 9"),
        (goes_on, CONTROL_C, "1 in all|status 4"),
        ("ulimit -c 0; echo ready; exec sleep 1000", CONTROL_BACKSLASH, "status -3"),
        ("echo ready; read line; echo got $line; exit 0", b"hello\n", "got hello|status 0"),
    ] {
        let mut terminal = Terminal::run(&RETRY, script);
        terminal.running.expect("ready");
        terminal.press(keys);
        for line in lines.split('|') {
            terminal.running.expect(line);
        }
    }
}

#[test]
fn control_c_just_before_the_command_starts_ends_it() {
    let folder = folder("before_start");
    let file = folder.join("budget");
    let file = file.to_str().unwrap();
    let Terminal { running: mut keeper, keys: end } = Terminal::python(KEEP, &[file]);
    keeper.expect("kept");
    let script = format!(
        "echo id $$; exec {} run {ONCE} --on-any --budget quota --budget-file {file} -- sleep 1000",
        env!("CARGO_BIN_EXE_backoff")
    );
    let mut terminal = Terminal::start(&["sh", "-c", &script]);
    let line = terminal.running.expect("id");
    let id = line.rsplit(' ').next().unwrap();
    keeper.expect("opening");
    terminal.press(CONTROL_C);
    wait_until("the key is a signal", || {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        status.lines().any(|line| line == "ShdPnd:\t0000000000000002")
    });
    drop(end);
    terminal.running.expect("status -2");
}

#[test]
fn control_c_reaches_the_command_once_and_twice_ends_it() {
    let mut terminal = Terminal::run(&RETRY, COUNT);
    let line = terminal.running.expect("ready");
    let id = line.rsplit(' ').next().unwrap().parse().unwrap();
    terminal.press(CONTROL_C);
    terminal.running.expect("interrupted 1");
    wait_until_settled(id);
    terminal.press(CONTROL_C);
    // Killed: the command never says that it was interrupted a third time.
    terminal.running.expect("status -2");
}

#[test]
fn a_signal_of_another_process_is_passed_on() {
    let script = "trap 'echo got it; exit 9' INT; echo ready $PPID; while :; do sleep 0.05; done";
    let mut terminal = Terminal::run(&RETRY, script);
    let line = terminal.running.expect("ready");
    let id = line.rsplit(' ').next().unwrap().parse().unwrap();
    kill("INT", id);
    terminal.running.expect("got it");
    terminal.running.expect("status 9");
}

#[test]
fn a_script_ends_with_control_c() {
    let program = env!("CARGO_BIN_EXE_backoff");
    let script = format!("{program} run constant:base=1h --on-any -- false; echo after");
    let mut terminal = Terminal::start(&["bash", "-c", &script]);
    terminal.running.expect("retry in 1h");
    terminal.press(CONTROL_C);
    let rest = terminal.running.rest();
    assert!(rest.iter().any(|line| line.contains("status -2")), "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains("after")), "{rest:?}");
}

#[test]
fn control_z_stops_it_and_fg_continues_it() {
    let program = env!("CARGO_BIN_EXE_backoff");
    let script = "echo ready; read line; echo got $line; exit 0";
    let script = format!(
        "set -m; {program} run {ONCE} --on-any -- sh -c '{script}'; echo stopped $?; fg; echo done $?"
    );
    let mut terminal = Terminal::start(&["bash", "-c", &script]);
    terminal.running.expect("ready");
    terminal.press(CONTROL_Z);
    terminal.running.expect("stopped 148");
    terminal.press(b"hello\n");
    terminal.running.expect("got hello");
    terminal.running.expect("done 0");
}

#[test]
fn a_terminal_that_closes_ends_the_command() {
    let program = [env!("CARGO_BIN_EXE_backoff"), "run"];
    let command = ["--", "sh", "-c", "echo ready; exec sleep 1000"];
    let arguments = [&program[..], &RETRY, &command].concat();
    let mut terminal = Terminal::python(CLOSE, &arguments);
    terminal.running.expect("status -1");
}

/// Runs a script under a shell, which goes on: the end of the terminal's first process would end all
/// others. The shell prints how the program ended.
fn under_shell(options: &[&str], script: &str) -> Terminal {
    let program = env!("CARGO_BIN_EXE_backoff");
    let options = options.join(" ");
    let line =
        format!("trap : INT; {program} run {options} -- sh -c \"$0\"; echo ended $?; read line");
    Terminal::start(&["bash", "-c", &line, script])
}

/// Runs a script that prints an id and then takes too long, which is later on a slow machine.
/// Returns the id.
fn timed_out(script: &str) -> (Terminal, String) {
    for timeout in ["300ms", "3s", "30s", "100s"] {
        let options = [ONCE, "--on-any", "--attempt-timeout", timeout, "--kill-after", "50ms"];
        let mut terminal = under_shell(&options, script);
        let lines = terminal.running.until("ended");
        assert_eq!(lines.last().unwrap(), "ended 124", "{lines:?}");
        if let Some(id) = lines.iter().find_map(|line| line.strip_prefix("id ")) {
            return (terminal, id.to_owned());
        }
    }
    panic!("it prints nothing");
}

#[test]
fn a_timeout_also_ends_the_processes_of_the_command() {
    for script in [
        // The shell waits for its child.
        "sh -c 'echo id $$; exec sleep 1000'; echo after",
        // One that ignores SIGTERM, and whose parent ends first.
        "sh -c 'trap \"\" TERM; echo id $$; while :; do sleep 0.05; done' & wait",
        // A grandchild whose parent is gone.
        "(sh -c 'echo id $$; exec sleep 1000' &); sleep 1000; echo after",
    ] {
        let (_terminal, id) = timed_out(script);
        wait_until("the process has ended", || !is_running(&id));
    }
}

#[test]
fn a_second_signal_also_ends_the_processes_of_the_command() {
    let script = "trap 'echo interrupted' INT; echo ready $PPID; \
                  sh -c 'trap \"\" INT; echo id $$; while :; do sleep 0.05; done' & \
                  while :; do wait; done";
    let mut terminal = under_shell(&RETRY, script);
    let line = terminal.running.expect("ready ");
    let parent = line.rsplit(' ').next().unwrap().parse().unwrap();
    let line = terminal.running.expect("id ");
    let id = line.rsplit(' ').next().unwrap();
    terminal.press(CONTROL_C);
    terminal.running.expect("interrupted");
    // The command may get the signal first.
    wait_until_settled(parent);
    terminal.press(CONTROL_C);
    terminal.running.expect("ended 130");
    wait_until("the process has ended", || !is_running(id));
}

#[test]
fn a_process_that_an_earlier_attempt_left_behind_goes_on() {
    let folder = folder("goes_on");
    let file = folder.join("id");
    let file = file.to_str().unwrap();
    // It is older than the second attempt by more than the clock of the kernel rounds.
    let script = format!(
        "if [ $BACKOFF_ATTEMPT = 1 ]; then \
         sleep 1000 > /dev/null 2>&1 < /dev/null & echo $! > {file}; exit 1; fi; \
         echo second; sleep 1000"
    );
    for timeout in ["1s", "10s", "100s"] {
        let options =
            ["constant:base=300ms,max_retries=1", "--on", "1", "--attempt-timeout", timeout];
        let mut terminal = under_shell(&options, &script);
        let lines = terminal.running.until("ended");
        assert_eq!(lines.last().unwrap(), "ended 124", "{lines:?}");
        // On a slow machine the first attempt may take too long, and ends all.
        if lines.iter().any(|line| line == "second") {
            assert!(is_running(fs::read_to_string(file).unwrap().trim()));
            // The end of the terminal ends it.
            return;
        }
    }
    panic!("the first attempt always takes too long");
}
