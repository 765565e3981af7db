//! The events as lines of JSON, and the file of `--events`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write, stderr, stdout};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process::id;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use nix::errno::Errno;
use nix::libc::{O_NOCTTY, O_NOFOLLOW, O_NONBLOCK};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use super::arguments::Arguments;

/// How long a line waits for a reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a pipe is tried again that nobody reads yet.
const INTERVAL: Duration = Duration::from_millis(10);

/// Makes the lines and appends them to a file.
pub(super) struct Events {
    label: Option<String>,
    command: String,
    file: Option<Appended>,
}

/// A file to append to.
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
        let (label, time) = (label.as_deref(), rfc3339(SystemTime::now()));
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

/// A time such as `2026-11-24T13:06:11.123456Z`.
fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (day, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Years begin in March here, so that the leap day is the last one. Day 0 is 0000-03-01.
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let micros = since.subsec_micros();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::rfc3339;

    #[test]
    fn a_time_is_that_of_the_calendar() {
        // From GNU date.
        let table = [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399_000_000, "2000-02-28T23:59:59.000000Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_800_000_001, "2000-03-01T00:00:00.000001Z"),
            (1_735_689_599_999_999, "2024-12-31T23:59:59.999999Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (253_402_300_799_000_000, "9999-12-31T23:59:59.000000Z"),
        ];
        for (micros, expected) in table {
            assert_eq!(rfc3339(SystemTime::UNIX_EPOCH + Duration::from_micros(micros)), expected);
        }
    }
}
