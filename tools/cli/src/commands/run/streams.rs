//! Standard input and standard output of the attempts.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write, stderr, stdin, stdout};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;

use anyhow::{Context, Result, anyhow};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::PIPE_BUF;
use nix::sys::signal::Signal;
use rustix::event::{PollFd, PollFlags};
use tempfile::tempfile;

use super::end::Failure;
use super::arguments::{Arguments, Stdin, Stdout};
use super::report::Report;
use super::signals::Signals;

pub(super) struct Streams {
    input: Option<Input>,
    is_captured: bool,
    /// What the current attempt has printed.
    output: Option<File>,
    watched: Vec<Watched>,
}

/// The input that each attempt reads from the start.
struct Input {
    file: File,
    start: u64,
    is_copy: bool,
}

/// A file that the attempts share although the user may not know it.
struct Watched {
    file: File,
    /// Where the current attempt began.
    at: u64,
    advice: &'static str,
}

impl Streams {
    /// Reads standard input to its end, if every attempt shall have it.
    pub(super) fn begin(arguments: &Arguments, signals: &Signals) -> Result<Self, Failure> {
        let input = match arguments.stdin {
            Some(Stdin::Replay) => Some(Input::begin(signals)?),
            _ => None,
        };
        let mut watched = Vec::new();
        if arguments.stdin.is_none() {
            let advice = "failed after it read standard input, so the next one reads only the \
                          rest; with --stdin replay each attempt reads all of it";
            watched.extend(Watched::new(copy(stdin())?, advice)?);
        }
        let file = copy(stdout())?;
        if arguments.stdout.is_none() && !is_log(&file)? {
            let advice = "failed, but its output stays in standard output; with --stdout \
                          on-success only the output of a successful attempt is written";
            watched.extend(Watched::new(file, advice)?);
        }
        let is_captured = arguments.stdout == Some(Stdout::OnSuccess);
        Ok(Self { input, is_captured, output: None, watched })
    }

    /// The descriptors of the next attempt, each with the number that it has there.
    pub(super) fn open(&mut self) -> Result<Vec<(RawFd, RawFd)>> {
        let mut descriptors = Vec::new();
        if let Some(Input { file, start, is_copy }) = &mut self.input {
            file.seek(SeekFrom::Start(*start)).context("cannot read standard input again")?;
            if *is_copy {
                descriptors.push((file.as_raw_fd(), stdin().as_raw_fd()));
            }
        }
        if self.is_captured {
            // A new one, because an earlier attempt may have left processes that go on to print.
            let file = temporary()?;
            descriptors.push((file.as_raw_fd(), stdout().as_raw_fd()));
            self.output = Some(file);
        }
        for watched in &mut self.watched {
            watched.at = watched.file.stream_position()?;
        }
        Ok(descriptors)
    }

    /// Warns, once for each, of files that the attempt has moved in and the next one goes on with.
    pub(super) fn warn(&mut self, attempt: u64, report: &Report) {
        self.watched.retain_mut(|Watched { file, at, advice }| {
            let is_unmoved = file.stream_position().is_ok_and(|now| now == *at);
            if !is_unmoved {
                report.warning(&anyhow!("attempt {attempt} {advice}"));
            }
            is_unmoved
        });
    }

    /// Writes what the successful attempt has printed. Returns the signal that ended this instead;
    /// SIGPIPE if nobody reads.
    pub(super) fn write(&mut self, signals: &Signals) -> Result<Option<Signal>> {
        let Some(mut output) = self.output.take() else { return Ok(None) };
        let cannot = || "cannot write standard output";
        output.rewind().with_context(cannot)?;
        let mut to = copy(stdout()).with_context(cannot)?;
        // A pipe that is ready takes so much without a wait.
        let mut part = [0; PIPE_BUF];
        loop {
            let length = output.read(&mut part).with_context(cannot)?;
            let mut left = &part[..length];
            if left.is_empty() {
                return Ok(None);
            }
            while !left.is_empty() {
                if let Some(received) = signals.wait_for(&PollFd::new(&to, PollFlags::OUT))? {
                    return Ok(Some(received.signal));
                }
                match to.write(left) {
                    Ok(length) => left = &left[length..],
                    Err(error) if is_temporary(&error) => {}
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                        return Ok(Some(Signal::SIGPIPE));
                    }
                    Err(error) => return Err(error).with_context(cannot),
                }
            }
        }
    }
}

impl Input {
    fn begin(signals: &Signals) -> Result<Self, Failure> {
        let mut file = copy(stdin())?;
        if is_file(&file)? {
            let start = file.stream_position().context("cannot read standard input")?;
            return Ok(Self { file, start, is_copy: false });
        }
        let mut all = temporary()?;
        let mut part = vec![0; 1 << 16];
        loop {
            let received = signals.wait_for(&PollFd::new(&file, PollFlags::IN));
            if let Some(received) = received.context("cannot read standard input")? {
                return Err(Failure::Signal(received.signal));
            }
            match file.read(&mut part) {
                Ok(0) => return Ok(Self { file: all, start: 0, is_copy: true }),
                Ok(length) => {
                    let cannot = "cannot keep a copy of standard input";
                    all.write_all(&part[..length]).context(cannot)?;
                }
                Err(error) if is_temporary(&error) => {}
                Err(error) => {
                    return Err(anyhow!(error).context("cannot read standard input").into());
                }
            }
        }
    }
}

impl Watched {
    /// Only of a regular file is known whether an attempt moves in it.
    fn new(file: File, advice: &'static str) -> Result<Option<Self>> {
        Ok(is_file(&file)?.then_some(Self { file, at: 0, advice }))
    }
}

fn copy(stream: impl AsFd) -> Result<File> {
    let copy = stream.as_fd().try_clone_to_owned();
    Ok(File::from(copy.context("cannot use a standard stream")?))
}

/// A file without a name.
fn temporary() -> Result<File> {
    let folder = std::env::temp_dir();
    tempfile().with_context(|| format!("cannot make a temporary file in {}", folder.display()))
}

fn is_file(file: &File) -> Result<bool> {
    Ok(file.metadata()?.is_file())
}

/// Whether a file keeps what everyone appends, or also has what standard error gets.
fn is_log(file: &File) -> Result<bool> {
    let flags = OFlag::from_bits_truncate(fcntl(file, FcntlArg::F_GETFL)?);
    let name = |file: &File| file.metadata().map(|data| (data.dev(), data.ino()));
    Ok(flags.contains(OFlag::O_APPEND) || name(file)? == name(&copy(stderr())?)?)
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}
