//! Locks of single bytes far behind the content of the file.
//!
//! The kernel frees the locks of a process that ends, however it ends, and a command that it has
//! started does not inherit them. A process must not open the file twice: to close one descriptor
//! frees the locks of the other.

use std::fs::File;

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{F_UNLCK, F_WRLCK, SEEK_SET, flock, off_t, pid_t};

/// The byte of the first lock. It fits in the 32 bits that some systems have for it, so that all
/// processes of a machine lock the same byte.
const FIRST: off_t = 1 << 30;

/// The lock that a transaction holds.
pub(super) const MAIN: Record = Record(FIRST);

/// A byte that can be locked.
pub(super) struct Record(off_t);

impl Record {
    /// The byte of an operation, which its process holds as long as it lives.
    pub(super) fn of_member(member: u64) -> Result<Self> {
        let offset = off_t::try_from(member).ok().and_then(|member| FIRST.checked_add(member));
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
        Ok(self.holder(file)?.is_some())
    }

    /// The process that has locked the byte, if it is another one. It is 0 if it is on another
    /// machine or in another container.
    pub(super) fn holder(&self, file: &File) -> Result<Option<pid_t>> {
        let mut found = self.flock(F_WRLCK);
        fcntl(file, FcntlArg::F_GETLK(&mut found))?;
        let is_locked = found.l_type != self.flock(F_UNLCK).l_type;
        Ok(is_locked.then_some(found.l_pid.max(0)))
    }

    // The types of the constants and members differ between systems.
    #[allow(clippy::cast_possible_truncation, reason = "see above")]
    fn flock(&self, kind: impl Into<i32>) -> flock {
        flock {
            l_type: kind.into() as _,
            l_whence: SEEK_SET as _,
            l_start: self.0,
            l_len: 1,
            l_pid: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pages::MAX_BYTES;
    use super::{FIRST, MAIN, Record};

    #[test]
    fn the_bytes_are_behind_the_content_for_32_bits_too() {
        let first = u64::try_from(i32::try_from(FIRST).unwrap()).unwrap();
        assert!(first >= MAX_BYTES);
        assert_eq!(Record::of_member(0).unwrap().0, MAIN.0 + 1);
        assert!(Record::of_member(u64::MAX).is_err());
    }
}
