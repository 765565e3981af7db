//! Runs a program: requests go to its input, and lines come from its output.
//!
//! One thread writes and another reads, because a program may answer at once or read all of its
//! input before it answers.

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};

use crate::duration::humanize;

/// A program that reads slowly has made progress when it has read this many bytes.
const WRITTEN_AT_ONCE: usize = 4096;
const READ_AT_ONCE: usize = 1 << 16;
/// Chunks that were read and not yet looked at.
const CHUNKS: usize = 16;
/// How often a program that has closed its output is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);
/// No answer is near as long.
const MAX_LINE: usize = 1 << 20;
/// How many bytes all answers may have together; the right ones have less than 1 MB.
const MAX_OUTPUT: usize = 1 << 26;

/// What a program answered, and what went wrong besides the answers.
#[derive(Default)]
pub(crate) struct Exchange {
    pub(crate) answers: Vec<Vec<u8>>,
    pub(crate) problems: Vec<String>,
    /// How the program ended, if it failed.
    pub(crate) status: Option<ExitStatus>,
}

enum Event {
    Wrote,
    InputClosed { written: usize },
    Read(Vec<u8>),
    Unreadable(std::io::Error),
    OutputClosed,
}

/// Runs a command on an input for which it writes at most `max` lines. Only the error of a command that
/// cannot be started is one of I/O.
pub(crate) fn run(
    command: &[OsString],
    input: Vec<u8>,
    max: usize,
    timeout_ns: u64,
) -> Result<Exchange> {
    let timeout = Duration::from_nanos(timeout_ns);
    let (program, arguments) = command.split_first().context("no command")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let is_separate = separate(&mut command);
    let spawn = || command.spawn().with_context(|| format!("cannot run `{}`", program.display()));
    #[cfg(unix)]
    let mut child = super::signals::passed_to(is_separate, spawn)?;
    #[cfg(not(unix))]
    let mut child = spawn()?;
    let stdin = child.stdin.take().context("no input")?;
    let stdout = child.stdout.take().context("no output")?;
    let of = input.len();
    let (events, received) = sync_channel(CHUNKS);
    let written = events.clone();
    // Nobody waits for these threads: a process that the program has left behind may keep its ends
    // of the pipes open.
    thread::spawn(move || write(stdin, &input, &written));
    thread::spawn(move || read(stdout, &events));
    let mut lines = Lines { max, ..Lines::default() };
    let mut exchange = Exchange::default();
    let problems = &mut exchange.problems;
    let is_done = match watch(&received, &mut lines, problems, of, timeout) {
        Ok(true) => {
            if !lines.last.is_empty() {
                problems.push("the last answer does not end in a line feed".to_owned());
            }
            true
        }
        Ok(false) => false,
        Err(Hung) => {
            let timeout = humanize(timeout_ns);
            problems.push(if has_ended(&mut child) {
                format!(
                    "the command has ended, but a process that it started held its output open, and neither \
                     read nor wrote anything for {timeout}"
                )
            } else {
                format!("the command neither read nor wrote anything for {timeout}")
            });
            false
        }
    };
    let status = if is_done { end_of(&mut child, timeout)? } else { None };
    if status.is_none() {
        kill(&mut child, is_separate);
        child.wait().map_err(Error::msg)?;
    }
    #[cfg(unix)]
    super::signals::forget();
    if is_done && status.is_none() {
        let timeout = humanize(timeout_ns);
        problems.push(format!("the command closed its output, and still ran after {timeout}"));
    }
    exchange.status = status.filter(|status| !status.success());
    exchange.answers = lines.into_answers();
    Ok(exchange)
}

/// The program neither reads nor writes.
struct Hung;

/// Reads until the output is closed. Returns whether it was.
fn watch(
    events: &Receiver<Event>,
    lines: &mut Lines,
    problems: &mut Vec<String>,
    of: usize,
    timeout: Duration,
) -> Result<bool, Hung> {
    loop {
        let problem = match events.recv_timeout(timeout) {
            Ok(Event::Wrote) => continue,
            Ok(Event::InputClosed { written }) => {
                problems.push(format!(
                    "the command closed its input after it had read about {written} of {of} bytes"
                ));
                continue;
            }
            Ok(Event::Read(bytes)) => {
                let is_too_long = lines.add(&bytes);
                let after = lines.complete.len();
                match (after > lines.max, is_too_long) {
                    (true, _) => "the command writes more lines than it has requests".to_owned(),
                    (_, true) => format!(
                        "after {after} {} the command writes a line without end",
                        if after == 1 { "answer" } else { "answers" }
                    ),
                    _ => continue,
                }
            }
            Ok(Event::Unreadable(error)) => format!("the output cannot be read: {error}"),
            Ok(Event::OutputClosed) | Err(RecvTimeoutError::Disconnected) => return Ok(true),
            Err(RecvTimeoutError::Timeout) => return Err(Hung),
        };
        problems.push(problem);
        return Ok(false);
    }
}

/// How a program ended that has closed its output, if it ends within the timeout.
fn end_of(child: &mut Child, timeout: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < timeout {
        if let Some(status) = child.try_wait().map_err(Error::msg)? {
            return Ok(Some(status));
        }
        thread::sleep(POLL);
    }
    Ok(None)
}

/// Writes the input. Errors of `send` mean that nobody watches any more.
fn write(mut stdin: ChildStdin, input: &[u8], events: &SyncSender<Event>) {
    let mut written = 0;
    for chunk in input.chunks(WRITTEN_AT_ONCE) {
        // The program no longer reads.
        if stdin.write_all(chunk).is_err() {
            let _ = events.send(Event::InputClosed { written });
            return;
        }
        written += chunk.len();
        if events.send(Event::Wrote).is_err() {
            return;
        }
    }
}

fn read(mut stdout: ChildStdout, events: &SyncSender<Event>) {
    let mut chunk = vec![0; READ_AT_ONCE];
    loop {
        let event = match stdout.read(&mut chunk) {
            Ok(0) => Event::OutputClosed,
            Ok(count) => Event::Read(chunk[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Event::Unreadable(error),
        };
        let is_last = !matches!(event, Event::Read(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// The lines of an output so far, in bounded memory.
#[derive(Default)]
struct Lines {
    complete: Vec<Vec<u8>>,
    last: Vec<u8>,
    /// How many there should be at most.
    max: usize,
    bytes: usize,
}

impl Lines {
    /// Adds output. One line more than there should be is kept. Returns whether a line, or all of them,
    /// are too long.
    fn add(&mut self, bytes: &[u8]) -> bool {
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut parts = bytes.split(|byte| *byte == b'\n');
        self.last.extend_from_slice(parts.next().unwrap_or_default());
        for part in parts {
            if self.complete.len() > self.max {
                return false;
            }
            self.complete.push(std::mem::replace(&mut self.last, part.to_vec()));
        }
        self.last.len() > MAX_LINE || self.bytes > MAX_OUTPUT
    }

    /// All lines. The last one counts even if it is cut off.
    fn into_answers(mut self) -> Vec<Vec<u8>> {
        if !self.last.is_empty() {
            self.last.truncate(MAX_LINE);
            self.complete.push(self.last);
        }
        self.complete
    }
}

/// Whether the program gets a process group of its own, with which what it starts is ended unless that
/// leaves the group.
///
/// On a terminal it does not, so that Ctrl-C reaches it.
fn separate(command: &mut Command) -> bool {
    let is_separate =
        cfg!(unix) && !(stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal());
    #[cfg(unix)]
    if is_separate {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
    #[cfg(not(unix))]
    let _ = command;
    is_separate
}

/// Whether the program has ended. Its process id stays taken.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(child)), options).is_ok_and(|status| status.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    child.try_wait().is_ok_and(|status| status.is_some())
}

/// Ends the program, and its group if it has one. Either may have ended by now, which is no error.
fn kill(child: &mut Child, is_separate: bool) {
    #[cfg(unix)]
    if is_separate {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = is_separate;
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_LINE};

    #[test]
    fn lines_are_the_same_however_the_output_is_cut() {
        let output = b"one\n\ntwo\r\nrest";
        for size in 1..=output.len() {
            let mut lines = Lines { max: 9, ..Lines::default() };
            assert!(!output.chunks(size).any(|chunk| lines.add(chunk)));
            assert_eq!(lines.into_answers(), [&b"one"[..], b"", b"two\r", b"rest"]);
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut lines = Lines { max: 2, ..Lines::default() };
        assert!(!lines.add(&b"\n".repeat(1000)));
        assert_eq!(lines.into_answers().len(), 3);

        let mut lines = Lines { max: 1000, ..Lines::default() };
        let mut line = vec![b'x'; MAX_LINE];
        assert!(!lines.add(&line) && lines.add(b"x"));

        let mut lines = Lines { max: 1000, ..Lines::default() };
        line.push(b'\n');
        assert!((0..100).any(|_| lines.add(&line)), "many long lines");
    }
}
