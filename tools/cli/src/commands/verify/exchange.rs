//! Runs a program: requests go to its input, and lines come from its output.
//!
//! One thread writes and another reads, because a program may answer at once or read all of its
//! input before it answers.

use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::lines::{LineTooLong, Lines};
use super::process;

/// A program that reads slowly has made progress when it has read this many bytes.
const WRITTEN_AT_ONCE: usize = 4096;
const READ_AT_ONCE: usize = 1 << 16;
/// Chunks that were read and not yet looked at.
const CHUNKS: usize = 16;
/// How often a program that has closed its output is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// What a program answered, and what went wrong besides the answers.
pub(crate) struct Exchange {
    pub(crate) answers: Vec<Vec<u8>>,
    pub(crate) problems: Vec<Problem>,
}

/// What is wrong with a program, whatever it answers.
#[derive(Debug)]
pub(crate) enum Problem {
    /// It neither read nor wrote anything for the timeout.
    Hung,
    /// It has ended, but a process that it started holds its output open.
    OutputHeld,
    /// It closed its output, and did not end within the timeout.
    StillRuns,
    Ended(ExitStatus),
    InputClosed {
        read: usize,
        of: usize,
    },
    Unreadable(std::io::Error),
    TooManyAnswers,
    AnswerTooLong(LineTooLong),
    NoLastLineFeed,
}

enum Event {
    Wrote,
    InputClosed { written: usize },
    Read(Vec<u8>),
    Unreadable(std::io::Error),
    OutputClosed,
}

/// The program could not be started.
#[derive(Debug)]
pub(crate) struct NotStarted {
    program: OsString,
    pub(crate) error: std::io::Error,
}

impl fmt::Display for NotStarted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot run `{}`", self.program.display())
    }
}

impl std::error::Error for NotStarted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Runs a command on an input for which it writes at most `most` lines.
pub(crate) fn run(
    command: &[OsString],
    input: Vec<u8>,
    most: usize,
    timeout: Duration,
) -> Result<Exchange> {
    let (program, arguments) = command.split_first().context("no command")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let is_separate = process::separate(&mut command);
    let mut child =
        command.spawn().map_err(|error| NotStarted { program: program.clone(), error })?;
    let stdin = child.stdin.take().context("no input")?;
    let stdout = child.stdout.take().context("no output")?;
    let of = input.len();
    let (events, received) = sync_channel(CHUNKS);
    let written = events.clone();
    // Nobody waits for these threads: a process that the program has left behind may keep its ends
    // of the pipes open.
    thread::spawn(move || write(stdin, &input, &written));
    thread::spawn(move || read(stdout, &events));
    let mut lines = Lines::new(most);
    let mut problems = Vec::new();
    let is_done = watch(&received, &mut lines, &mut problems, of, timeout);
    if is_done && lines.is_cut_off() {
        problems.push(Problem::NoLastLineFeed);
    }
    if matches!(problems.last(), Some(Problem::Hung)) && process::has_ended(&mut child) {
        problems.pop();
        problems.push(Problem::OutputHeld);
    }
    if !is_done || !ends(&mut child, &mut problems, timeout)? {
        process::kill(&mut child, is_separate);
        child.wait()?;
    }
    Ok(Exchange { answers: lines.into_answers(), problems })
}

/// Reads until the output is closed. Returns whether it was.
fn watch(
    events: &Receiver<Event>,
    lines: &mut Lines,
    problems: &mut Vec<Problem>,
    of: usize,
    timeout: Duration,
) -> bool {
    loop {
        let problem = match events.recv_timeout(timeout) {
            Ok(Event::Wrote) => continue,
            Ok(Event::InputClosed { written }) => {
                problems.push(Problem::InputClosed { read: written, of });
                continue;
            }
            Ok(Event::Read(bytes)) => match lines.add(&bytes) {
                Ok(()) if lines.are_too_many() => Problem::TooManyAnswers,
                Ok(()) => continue,
                Err(too_long) => Problem::AnswerTooLong(too_long),
            },
            Ok(Event::Unreadable(error)) => Problem::Unreadable(error),
            Ok(Event::OutputClosed) | Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => Problem::Hung,
        };
        problems.push(problem);
        return false;
    }
}

/// Waits for a program that has closed its output. Returns whether it ended.
fn ends(child: &mut Child, problems: &mut Vec<Problem>, timeout: Duration) -> Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < timeout {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                problems.push(Problem::Ended(status));
            }
            return Ok(true);
        }
        thread::sleep(POLL);
    }
    problems.push(Problem::StillRuns);
    Ok(false)
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

/// Reads the output in chunks.
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
