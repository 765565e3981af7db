//! The events as lines of JSON, and the file of `--events`.

use std::fmt::Write as _;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write, stderr, stdout};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process::id;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use humantime::format_rfc3339_micros;
use nix::errno::Errno;
use nix::libc::{O_NOCTTY, O_NOFOLLOW, O_NONBLOCK};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use super::arguments::Arguments;

/// How long a line waits for a reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a pipe is tried again that nobody reads yet.
const INTERVAL: Duration = Duration::from_millis(10);

pub(super) struct Events {
    label: Option<String>,
    command: String,
    file: Option<Appended>,
}

struct Appended {
    file: File,
    /// The same file, if its end can be read.
    reader: Option<File>,
}

/// A line. Many processes may append to one file, so each line says whose it is.
#[derive(Serialize)]
struct Line<'a, T> {
    time: String,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    command: &'a str,
    #[serde(flatten)]
    event: &'a T,
}

impl Events {
    pub(super) fn new(arguments: &Arguments) -> Self {
        let label = arguments.label.clone().or_else(|| arguments.stream.key.clone());
        // Not its arguments, which may be secret.
        let command = arguments.command.first().map(|name| name.to_string_lossy().into_owned());
        Self { label, command: command.unwrap_or_default(), file: None }
    }

    /// Opens the file. It is not opened if it is a pipe that nobody reads, and then returns false.
    pub(super) fn open(&mut self, path: &Path) -> Result<bool> {
        let file =
            open(path).and_then(|file| file.map(|file| Appended::new(path, file)).transpose());
        self.file =
            file.with_context(|| format!("cannot open the file {} of --events", path.display()))?;
        Ok(self.file.is_some())
    }

    /// The line of an event, which is also appended to the file.
    pub(super) fn line(&self, event: &impl Serialize) -> Option<String> {
        let Self { label, command, file } = self;
        let label = label.as_deref();
        let mut time = String::new();
        // A clock after the year 9999 is an error.
        write!(time, "{}", format_rfc3339_micros(SystemTime::now())).ok()?;
        let line = serde_json::to_string(&Line { time, pid: id(), label, command, event }).ok()?;
        if let Some(file) = file.as_ref().filter(|appended| is_writable(&appended.file)) {
            file.append(&line);
        }
        Some(line)
    }
}

impl Appended {
    fn new(path: &Path, file: File) -> Result<Self> {
        let metadata = file.metadata()?;
        let is_same =
            |reader: &File| reader.metadata().is_ok_and(|its| id_of(&its) == id_of(&metadata));
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(O_NONBLOCK | O_NOCTTY);
        let reader = metadata.is_file().then(|| options.open(path).ok()).flatten();
        Ok(Self { file, reader: reader.filter(is_same) })
    }

    /// Appends a line. What a full disk has left of an earlier one stays a line of its own.
    fn append(&self, line: &str) {
        let before = if self.ends_within_a_line().unwrap_or(false) { "\n" } else { "" };
        let _ = (&self.file).write_all(format!("{before}{line}\n").as_bytes());
    }

    fn ends_within_a_line(&self) -> io::Result<bool> {
        let Some(reader) = &self.reader else { return Ok(false) };
        let Some(last) = reader.metadata()?.len().checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        reader.read_exact_at(&mut byte, last)?;
        Ok(byte != *b"\n")
    }
}

/// Waits for a reader that is slow, but not for one that never reads: signals must get through.
pub(super) fn is_writable(file: impl AsFd) -> bool {
    let patience = Timespec::try_from(PATIENCE).ok();
    !matches!(poll(&mut [PollFd::new(&file, PollFlags::OUT)], patience.as_ref()), Ok(0))
}

/// Opens a file to append to it. Nothing if it is a pipe that nobody reads.
fn open(path: &Path) -> Result<Option<File>> {
    if let Ok(metadata) = fs::metadata(path)
        && let Some(stream) = own_stream(&metadata)?
    {
        return Ok(Some(stream));
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let mut options = OpenOptions::new();
        options.append(true).custom_flags(O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
        let error = match options.clone().create(true).open(path) {
            Ok(file) => return Ok(Some(file)),
            Err(error) => error,
        };
        match error.raw_os_error().map(Errno::from_raw) {
            // A link in a folder of others may lead to a file that only this user can change.
            Some(Errno::ELOOP | Errno::EMLINK) => {
                options.custom_flags(O_NONBLOCK | O_NOCTTY);
                let file = options.open(path)?;
                let is_file = file.metadata()?.is_file();
                ensure!(!is_file, "it is a symbolic link to a file; name the file itself");
                return Ok(Some(file));
            }
            Some(Errno::ENXIO) if until <= Instant::now() => return Ok(None),
            Some(Errno::ENXIO) => sleep(INTERVAL),
            _ => return Err(error.into()),
        }
    }
}

/// Standard error or output, if a file is one of them, as `/dev/stderr` is: through its descriptor what
/// the command prints there and the events follow each other, and a link leads nowhere else.
fn own_stream(metadata: &Metadata) -> io::Result<Option<File>> {
    for stream in [stderr().as_fd(), stdout().as_fd()] {
        let file = File::from(stream.try_clone_to_owned()?);
        if id_of(&file.metadata()?) == id_of(metadata) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// What is the same for all names of a file.
fn id_of(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
