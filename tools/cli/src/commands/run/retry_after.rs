//! The descriptor through which a command can say when to come back.
//!
//! Each attempt has a pipe of its own, so that a process that an earlier attempt left behind cannot
//! speak for a later one. The pipe is read while the attempt runs, and what it holds when the
//! attempt ends counts; nobody waits for its end.

use std::fs::File;
use std::io::{self, PipeReader, Read, pipe};
use std::mem::swap;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use backoff_core::parse_retry_after_ns;
use rustix::io::{dup2, fcntl_dupfd_cloexec, ioctl_fionbio};

/// The longest value in bytes (SPEC 14.1), and a line end.
const MAX_LENGTH: usize = 1024 + 2;

pub(super) struct RetryAfter {
    descriptor: OwnedFd,
    nothing: OwnedFd,
}

/// The end of an attempt's pipe that is read.
pub(super) struct Reader {
    pipe: PipeReader,
    text: Vec<u8>,
    is_open: bool,
}

impl RetryAfter {
    /// Takes the number, which must be free.
    pub(super) fn take(number: RawFd) -> Result<Self> {
        let mut nothing = OwnedFd::from(File::open("/dev/null").context("cannot open /dev/null")?);
        let mut descriptor = fcntl_dupfd_cloexec(&nothing, number)
            .with_context(|| format!("cannot use file descriptor {number}"))?;
        // The file that was just opened may have the number.
        if nothing.as_raw_fd() == number {
            swap(&mut nothing, &mut descriptor);
        }
        ensure!(
            descriptor.as_raw_fd() == number,
            "file descriptor {number} of --retry-after-fd is already in use; choose another"
        );
        Ok(Self { descriptor, nothing })
    }

    /// The pipe of the next attempt. The command inherits its other end.
    pub(super) fn open(&mut self) -> io::Result<Reader> {
        let (read, write) = pipe()?;
        ioctl_fionbio(&read, true)?;
        dup2(&write, &mut self.descriptor)?;
        Ok(Reader { pipe: read, text: Vec::new(), is_open: true })
    }

    /// Closes the other end here, after the start of the command.
    pub(super) fn close(&mut self) -> io::Result<()> {
        Ok(dup2(&self.nothing, &mut self.descriptor)?)
    }
}

impl Reader {
    /// The pipe, to wait for data, until the command has closed it.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.is_open.then(|| self.pipe.as_fd())
    }

    /// Reads what is there. A value that is too long is read, too, so that its writer ends.
    pub(super) fn read(&mut self) {
        let mut part = [0; 4096];
        // A bounded number of times, so that a command that never ends to write cannot keep us.
        for _ in 0..64 {
            match self.pipe.read(&mut part) {
                Ok(0) => self.is_open = false,
                Ok(length) => {
                    let free = (MAX_LENGTH + 1).saturating_sub(self.text.len());
                    self.text.extend_from_slice(&part[..length.min(free)]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => self.is_open = error.kind() == io::ErrorKind::WouldBlock,
            }
            break;
        }
    }

    /// The time that the command asked to wait, in nanoseconds, or nothing if it wrote nothing.
    pub(super) fn value(mut self) -> Result<Option<u64>> {
        self.read();
        let text = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            return Ok(None);
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        parse_retry_after_ns(text, now_ns).map(Some).with_context(|| {
            let shown = &text[..text.len().min(40)];
            format!(
                "ignored a Retry-After that is neither seconds nor an HTTP date: \"{}\"",
                shown.escape_ascii()
            )
        })
    }
}
