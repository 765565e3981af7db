//! Locks of single bytes far behind the content of the file.
//!
//! The kernel frees the locks of a process that ends, however it ends, and a command that it has
//! started does not inherit them. A process must not open the file twice: to close one descriptor
//! frees the locks of the other.

use std::fs::File;

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{F_UNLCK, F_WRLCK, SEEK_SET, flock};

/// The byte of the first lock.
const FIRST: i64 = 1 << 62;

/// The lock that a transaction holds.
pub(super) const MAIN: Record = Record(FIRST);

/// A byte that can be locked.
pub(super) struct Record(i64);

impl Record {
    /// The byte of an operation, which its process holds as long as it lives.
    pub(super) fn of_member(member: u64) -> Result<Self> {
        let offset = i64::try_from(member).ok().and_then(|member| FIRST.checked_add(member));
        let byte = offset.and_then(|offset| offset.checked_add(1));
        byte.map(Self).context("it has had too many operations")
    }

    /// Locks the byte, unless another process has.
    pub(super) fn try_lock(&self, file: &File) -> Result<bool> {
        match fcntl(file, FcntlArg::F_SETLK(&self.flock(F_WRLCK))) {
            Ok(_) => Ok(true),
            Err(Errno::EACCES | Errno::EAGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn unlock(&self, file: &File) -> Result<()> {
        fcntl(file, FcntlArg::F_SETLK(&self.flock(F_UNLCK)))?;
        Ok(())
    }

    /// Whether another process has locked the byte.
    pub(super) fn is_locked_by_another(&self, file: &File) -> Result<bool> {
        let mut found = self.flock(F_WRLCK);
        fcntl(file, FcntlArg::F_GETLK(&mut found))?;
        Ok(found.l_type != self.flock(F_UNLCK).l_type)
    }

    // The types of the constants and members differ between systems.
    #[allow(clippy::cast_possible_truncation, reason = "see above")]
    fn flock(&self, kind: impl Into<i32>) -> flock {
        flock {
            l_type: kind.into() as _,
            l_whence: SEEK_SET as _,
            l_start: self.0 as _,
            l_len: 1,
            l_pid: 0,
        }
    }
}
