//! Starting `backoff run`, and talking to it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a step may take on a machine that is busy with something else.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A policy without retries.
pub(crate) const ONCE: &str = "constant:base=1s,max_retries=0";

/// A stream with known delays.
pub(crate) const SEED: [&str; 4] = ["--seed", "42", "--key", "job-1"];

/// The policy of these delays, which `docs/programs.md` shows.
pub(crate) const POLICY: &str = "full:base=100ms,cap=20s,max_retries=3";
pub(crate) const DELAYS: [&str; 3] = ["11399434", "83043876", "229309811"];

/// The program with these arguments, without a terminal.
pub(crate) fn backoff(arguments: &[&str]) -> Command {
    let mut command = Command::new("setsid");
    // The tests may run in the background or under `nohup`, which ignore signals.
    command.args(["env", "--default-signal", env!("CARGO_BIN_EXE_backoff")]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `backoff run` of a shell script.
pub(crate) fn run(options: &[&str], script: &str) -> Command {
    let mut command = backoff(&["run"]);
    command.args(options).args(["--", "sh", "-c", script]);
    command
}

pub(crate) fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The lines of JSON of these decisions, without what differs from run to run.
pub(crate) fn events(text: &str) -> Vec<Value> {
    let mut events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &mut events {
        let event = event.as_object_mut().unwrap();
        let elapsed = event.remove("elapsed_ns").unwrap();
        assert!(elapsed.as_str().unwrap().parse::<u64>().is_ok());
        for member in ["time", "pid", "command"] {
            assert!(event.remove(member).is_some(), "{member}");
        }
    }
    events
}

/// An empty folder of this test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("run").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub(crate) fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed() < PATIENCE, "this never happened: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn kill(signal: &str, id: u32) {
    let status = Command::new("kill").args(["-s", signal, "--", &id.to_string()]).status();
    assert!(status.unwrap().success());
}

pub(crate) fn is_running(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !matches!(rest.trim().chars().next(), None | Some('Z')))
}

/// Waits until a process sleeps and has taken all signals that were sent to it. Signals that come
/// at once are one to the kernel, and one that comes before a command exists cannot reach it.
pub(crate) fn wait_until_settled(id: u32) {
    wait_until("the process sleeps", || {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let has = |text| status.lines().any(|line| line == text);
        has("State:\tS (sleeping)") && has("ShdPnd:\t0000000000000000")
    });
}

/// A program whose output is read while it runs. A test that fails does not leave it behind.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Running {
    /// Starts the program; reads its outputs, if they are pipes.
    pub(crate) fn start(mut command: Command) -> Self {
        Self::start_child(command.spawn().unwrap())
    }

    /// Reads the outputs of a program that runs, as far as they are pipes.
    pub(crate) fn start_child(mut child: Child) -> Self {
        let (sender, lines) = channel();
        let output = child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
        let errors = child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>);
        for stream in [output, errors].into_iter().flatten() {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                    let _ = sender.send(String::from_utf8_lossy(&line).trim().to_owned());
                }
            });
        }
        Self { child, lines, seen: Vec::new() }
    }

    /// Reads until a line that contains this text, and returns that line.
    pub(crate) fn expect(&mut self, text: &str) -> String {
        self.until(text).pop().unwrap()
    }

    /// Reads until a line that contains this text, and returns all lines up to it.
    pub(crate) fn until(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    lines.push(line.clone());
                    if line.contains(text) {
                        return lines;
                    }
                }
                Err(error) => panic!("{error:?}: no {text:?} in {:#?}", self.seen),
            }
        }
    }

    /// Reads all lines until the end of the output.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => return lines,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {:#?}", self.seen),
            }
        }
    }

    /// How the program ended: its exit code, or less than 0 for a signal.
    pub(crate) fn end(&mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or_else(|| -status.signal().unwrap());
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end: {:#?}", self.seen);
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
