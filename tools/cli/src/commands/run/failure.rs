//! What keeps the loop from going on.

use anyhow::Error;
use nix::sys::signal::Signal;

#[derive(Debug)]
pub(super) enum Failure {
    /// A signal ended `backoff` while it waited.
    Signal(Signal),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
